// SPDX-License-Identifier: BSD-3-Clause
// Packs the entries of a rank: about 1.5 bytes each.
#pragma once

#include <string>
#include <vector>

#include "recording/call_model.hpp"
#include "recording/entry.hpp"
#include "recording/folding.hpp"

namespace quadrille::recording {

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
