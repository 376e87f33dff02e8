// SPDX-License-Identifier: BSD-3-Clause
// Packs the entries of a rank: about 1.5 bytes each. The source reads them, too (RecordedCalls).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recording/call_model.hpp"

namespace quadrille::recording {

// An entry of a rank's recording before it is packed.
struct Entry {
  std::uint32_t site = 0;  // index in the rank's own sites
  double gap_ns = 0, away_ns = 0, duration_ns = 0;
};

// Finds where a rank's entries repeat: periods of up to 4,096 sites. Each 64 repetitions become one, with the means of their times.
class Folding {
 public:
  // Gets a group of entries, in order, and how often they came.
  using Emit = std::function<void(const std::vector<Entry>& entries, std::uint32_t repetitions)>;
  explicit Folding(Emit emit) : emit_(std::move(emit)) {}

  void add(const Entry& entry);
  void finish();

 private:
  void search(const Entry& entry);
  void follow(const Entry& entry);
  void begin_period();
  void emit_period();
  void emit_plain(std::size_t count);
  std::uint64_t context() const;

  const Emit emit_;
  std::vector<Entry> waiting_;                           // not part of a period as yet
  std::unordered_map<std::uint64_t, std::size_t> seen_;  // by the last sites: where in `waiting_` they ended last
  std::size_t candidate_ = 0, matched_ = 0;              // so many entries equal those `candidate_` before them; 0: none
  std::vector<Entry> period_;                            // the sums of the repetitions; empty: none was found
  std::uint32_t repetitions_ = 0;
  std::vector<Entry> partial_;  // the repetition that has begun
};

class CallPacker {
 public:
  // folds: keeps means of repetitions.
  explicit CallPacker(bool folds)
      : folds_(folds), folding_([this](const auto& entries, auto repetitions) { put(entries, repetitions); }) {}
  CallPacker(const CallPacker&) = delete;
  CallPacker& operator=(const CallPacker&) = delete;

  void add(const Entry& entry);
  std::string finish();  // the packed entries

 private:
  struct SiteRounding {
    Rounding gap, away, duration;
  };
  void put(const std::vector<Entry>& entries, std::uint32_t repetitions);

  const bool folds_;
  Folding folding_;
  std::vector<Entry> group_;
  std::vector<SiteRounding> rounding_;  // by site
  CallModel model_;
  Encoder encoder_;
};

}  // namespace quadrille::recording
