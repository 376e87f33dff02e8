// SPDX-License-Identifier: BSD-3-Clause
// Finds where a rank's entries repeat: periods of up to 4,096 sites. Each 64 repetitions become one repetition with the means of
// their times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recording/entries.hpp"

namespace quadrille::recording {

class Folding {
 public:
  // Receives a group of entries, in order, and the number of its repetitions.
  using Emit = std::function<void(const std::vector<Entry>& entries, std::uint32_t repetitions)>;
  explicit Folding(Emit emit) : emit_(std::move(emit)) {}

  void add(const Entry& entry);
  void finish();

  // How times vary among the repetitions whose means were emitted, by site.
  struct Variation {
    double repetitions = 0, gap_squares = 0, duration_squares = 0;  // sums of the squares of the distances from the means
  };
  const std::unordered_map<std::uint32_t, Variation>& variations() const { return variations_; }

 private:
  void search(const Entry& entry);
  void follow(const Entry& entry);
  void begin_period();
  void emit_period();
  void emit_plain(std::size_t count);
  std::uint64_t context() const;

  const Emit emit_;
  std::vector<Entry> waiting_;                           // not yet part of a period
  std::unordered_map<std::uint64_t, std::size_t> seen_;  // by a sequence of sites: where in `waiting_` it ended last
  std::size_t candidate_ = 0, matched_ = 0;  // the last `matched_` entries equal those `candidate_` before them; 0: none
  std::vector<Entry> period_;                // the sums of the repetitions; empty: none was found
  std::vector<std::array<double, 2>>
      squares_;  // for each entry of `period_`: the sum of its gaps squared, and of its durations squared
  std::unordered_map<std::uint32_t, Variation> variations_;
  std::uint32_t repetitions_ = 0;
  std::vector<Entry> partial_;  // the repetition that has begun
};

// The units of a rank's file with its entries folded: first its definitions, then the entries. Throws Error{malformed} if the units
// are damaged.
std::string folded(std::string_view units);

}  // namespace quadrille::recording
