// SPDX-License-Identifier: BSD-3-Clause
// Helpers that several models use.
#pragma once

#include <algorithm>
#include <vector>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

inline double seconds(const Coefficients& coefficients, std::string_view key) { return coefficients.find(key)->second * 1e-6; }

inline Picoseconds time_of(const Coefficients& coefficients, std::string_view key) {
  QUADRILLE_ASSERT(coefficients.contains(key));
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

// Returns the bytes of a round's longest message times the number of messages that share its busiest link. On slow links a message
// is longer; on fast links it is not shorter, because ranks send no faster than the machine's link.
inline Bytes shared_bytes(const RoundFigures& round) {
  Bytes product = 0;
  if (__builtin_mul_overflow(std::max<Count>(1, round.sharing), std::max(round.longest, round.slowest), &product))
    throw Error(ErrorCode::too_large, "the messages that share a link together reach 2^63 bytes; make the sizes smaller");
  return product;
}

// Returns the bytes of a round that a rank with this many ports sends, or receives, one message after the other: messages wait for
// each other only if a rank has more of them than ports.
inline Bytes bytes_one_by_one(const RoundFigures& round, Count ports) {
  return round.messages > ports ? std::max(round.bytes, round.queue) : round.bytes;
}

// Returns the windows of all stages, or the rounds of stages whose windows are not counted.
inline std::vector<RoundFigures> windows_of(const std::vector<StageFigures>& stages) {
  std::vector<RoundFigures> all;
  for (const StageFigures& stage : stages) {
    const std::vector<RoundFigures>& windows = stage.windows.empty() ? stage.rounds : stage.windows;
    all.insert(all.end(), windows.begin(), windows.end());
  }
  return all;
}

inline void add_charge(Charge& sum, const Charge& charge) {
  add_bytes(sum.amount, charge.amount);
  sum.time = add_times(sum.time, charge.time);
}

inline void add_charges(Charges& sum, const Charges& charges) {
  for (std::size_t term = 0; term < sum.size(); ++term) add_charge(sum[term], charges[term]);
}

// Returns the time of stages, or windows, whose messages are all in flight at the same time. `charges_of` gives the times of
// start-ups, packing, copying and wire of each stage. A stage takes the time of packing plus the longest of the other three
// times, or plus all three if `is_alone` says that no rank has two messages that could overlap. Stages run one after the other.
// With `dataflow`, packing overlaps with the stage before: of each stage after the first, only the packing or only the rest is
// charged, whichever is longer.
template <class Stage, class ChargesOf, class IsAlone>
Overlapped overlapped_stages(const std::vector<Stage>& stages, const ChargesOf& charges_of, const IsAlone& is_alone) {
  constexpr std::size_t composing = 1, parts[] = {0, 2, 3};
  Overlapped sum;
  bool first = true;
  for (const Stage& stage : stages) {
    if (stage.messages == 0) continue;
    const Charges charges = charges_of(stage);
    std::size_t longest = 0;
    Picoseconds rest = 0;
    for (const std::size_t term : parts) {
      rest = add_times(rest, charges[term].time);
      if (charges[term].time > charges[longest].time) longest = term;
    }
    const bool alone = is_alone(stage);
    const bool is_hidden = !first && charges[composing].time <= (alone ? rest : charges[longest].time);
    add_charge(sum.nonblocking[composing], charges[composing]);
    if (!is_hidden) add_charge(sum.dataflow[composing], charges[composing]);
    for (const std::size_t term : parts) {
      if (!alone && term != longest) continue;
      add_charge(sum.nonblocking[term], charges[term]);
      if (first || is_hidden) add_charge(sum.dataflow[term], charges[term]);
    }
    first = false;
  }
  return sum;
}

// The same if nothing overlaps: the sum of all parts of all stages, on a machine that does one thing at a time, or of a model in
// which a window takes the time of one round with all its messages.
template <class Stage, class ChargesOf>
Overlapped added_stages(const std::vector<Stage>& stages, const ChargesOf& charges_of) {
  Charges sum{};
  for (const Stage& stage : stages) add_charges(sum, charges_of(stage));
  return {sum, sum};
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
