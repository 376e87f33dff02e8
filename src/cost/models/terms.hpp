// SPDX-License-Identifier: BSD-3-Clause
// Helpers that several models use.
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

inline Picoseconds sum_of(const Charges& charges) {
  Picoseconds sum = 0;
  for (const Charge& charge : charges) sum = add_times(sum, charge.time);
  return sum;
}

// Returns the bytes of a round's longest message times the number of messages that share its busiest link.
inline Bytes shared_bytes(const RoundFigures& round) {
  Bytes product = 0;
  if (__builtin_mul_overflow(std::max<Count>(1, round.sharing), round.longest, &product))
    throw Error(ErrorCode::too_large, "the messages that share a link together reach 2^63 bytes; make the sizes smaller");
  return product;
}

// Returns the time of stages whose messages are all in flight at the same time. `charges_of` gives the times of a stage's
// start-ups, packing, copying and wire. A stage takes the time of packing plus the longest of the other three. Stages run one after
// the other. With `dataflow`, the packing of a stage overlaps with the stage before. If packing takes longer than the other parts
// of its own stage, these parts overlap with packing instead. Time that overlaps is not charged.
template <class ChargesOf>
Overlapped overlapped_stages(const std::vector<StageFigures>& stages, const ChargesOf& charges_of) {
  constexpr std::size_t composing = 1;
  Overlapped sum;
  const auto add = [](Charges& charges, std::size_t term, const Charge& charge) {
    add_bytes(charges[term].amount, charge.amount);
    charges[term].time = add_times(charges[term].time, charge.time);
  };
  bool first = true;
  for (const StageFigures& stage : stages) {
    if (stage.startups == 0) continue;
    const Charges charges = charges_of(stage);
    std::size_t longest = 0;
    for (const std::size_t term : {2u, 3u})
      if (charges[term].time > charges[longest].time) longest = term;
    add(sum.nonblocking, composing, charges[composing]);
    add(sum.nonblocking, longest, charges[longest]);
    const bool is_hidden = !first && charges[composing].time <= charges[longest].time;
    if (!is_hidden) add(sum.dataflow, composing, charges[composing]);
    if (first || is_hidden) add(sum.dataflow, longest, charges[longest]);
    first = false;
  }
  return sum;
}

// Returns the time of stages whose messages are all in flight at the same time, on a machine that does one thing at a time: the sum
// of all parts of all stages.
template <class ChargesOf>
Overlapped added_stages(const std::vector<StageFigures>& stages, const ChargesOf& charges_of) {
  Overlapped sum;
  for (const StageFigures& stage : stages) {
    const Charges charges = charges_of(stage);
    for (std::size_t term = 0; term < charges.size(); ++term) {
      add_bytes(sum.nonblocking[term].amount, charges[term].amount);
      sum.nonblocking[term].time = add_times(sum.nonblocking[term].time, charges[term].time);
    }
  }
  sum.dataflow = sum.nonblocking;
  return sum;
}

// Coefficients in a machine's table [flat], which the models flat and free-running read.
namespace flat_table {

inline constexpr Coefficient startup{.key = "startup_us", .meaning = "T_s, start-up of a message"};
inline constexpr Coefficient compose{.key = "compose_us_per_byte", .meaning = "t_m, packing and unpacking messages"};
inline constexpr Coefficient copy{.key = "copy_us_per_byte", .meaning = "t_c, copying to and from the network interface"};
inline constexpr Coefficient wire{.key = "wire_us_per_byte", .meaning = "t_d, transfer on the wire"};
inline constexpr Coefficient overlap{
    .key = "overlap",
    .meaning = "1 if several messages can be in progress at once, 0 if the processors do all the work themselves",
    .required = false,
    .standard = 1,
    .most = 1,
    .is_whole = true};

}  // namespace flat_table

}  // namespace quadrille
