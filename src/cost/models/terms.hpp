// SPDX-License-Identifier: BSD-3-Clause
// What the files of models share.
#pragma once

#include <algorithm>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

inline double seconds(const Coefficients& coefficients, std::string_view key) { return coefficients.find(key)->second * 1e-6; }

inline Picoseconds time_of(const Coefficients& coefficients, std::string_view key) {
  return whole_units(coefficients.find(key)->second * 1e6);
}

inline ByteTime byte_time_of(const Coefficients& coefficients, std::string_view key) {
  return ByteTime::of_seconds(seconds(coefficients, key));
}

inline Charge startups_charge(Count amount, Picoseconds each) { return {amount, times(amount, each)}; }
inline Charge bytes_charge(Bytes amount, ByteTime each) { return {amount, each.of(amount)}; }

// The longest message of a round, as often as messages share its busiest link.
inline Bytes shared_bytes(const RoundFigures& round) {
  Bytes product = 0;
  if (__builtin_mul_overflow(std::max<Count>(1, round.sharing), round.longest, &product))
    throw Error(ErrorCode::too_large, "the messages that share a link together reach 2^63 bytes; make the sizes smaller");
  return product;
}

// Of a stage whose messages are under way together: putting them together, and whatever of the rest takes longest.
struct StageTimes {
  Picoseconds composing = 0, moving = 0;
};

// Stages one after the other; with `dataflow` a stage's composing is hidden behind the stage before.
template <class TimesOf>
Overlapped overlapped_stages(const std::vector<StageFigures>& stages, const TimesOf& times_of) {
  Overlapped sum;
  bool first = true;
  for (const StageFigures& stage : stages) {
    if (stage.startups == 0) continue;
    const auto [composing, moving] = times_of(stage);
    const Picoseconds both = add_times(composing, moving);
    sum.nonblocking = add_times(sum.nonblocking, both);
    sum.dataflow = add_times(sum.dataflow, first ? both : std::max(composing, moving));
    first = false;
  }
  return sum;
}

}  // namespace quadrille
