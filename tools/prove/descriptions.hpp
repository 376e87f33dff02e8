// SPDX-License-Identifier: BSD-3-Clause
// What the generators of four families do in a round, as formulas of the number of ranks p. `quadrille prove` proves these
// descriptions for all p. tests/tools/prove/descriptions_test.cpp compares them with the programs of the generators. N is Count or
// a type of terms.hpp.
#pragma once

#include "prove/terms.hpp"

namespace quadrille::command {

template <class N>
N at_most(const N& value, const N& limit) {
  return select(value < limit, value, limit);
}

// value mod p, for 0 <= value < 2 p
template <class N>
N folded_below(const N& value, const N& p) {
  return select(value < p, value, value - p);
}

// alltoall/bruck with level=positional. A level belongs to a place w, a power of the radix.
namespace bruck {
// Is there a level for place w?
template <class N>
auto goes_on(const N& w, const N& p) {
  return w < p;
}
template <class N>
N next_place(Count radix, const N& w) {
  return radix * w;
}
// Does the level have a message for the slots with this digit?
template <class N>
auto has_hop(Count digit, const N& w, const N& p) {
  return digit * w < p;
}
// How many ranks further the message goes.
template <class N>
N hop(Count digit, const N& w) {
  return digit * w;
}
// The slots below `high * radix * w + low` whose digit at place w is `digit`, for 0 <= low < radix * w.
template <class N>
N slots(Count digit, const N& w, const N& high, const N& low) {
  const N begun = low - digit * w;
  return high * w + select(begun < N{0}, N{0}, at_most(begun, w));
}
// Slot j of rank i: the block of the output in which it lies, and the block of the input that it is before its first hop.
template <class N>
N output_block(const N& i, const N& j, const N& p) {
  return select(i < j, i - j + p, i - j);
}
template <class N>
N input_block(const N& i, const N& j, const N& p) {
  return folded_below(i + j, p);
}
// The round of the level in which digits move. Every `ports` digits share one.
inline Count round_of(Count digit, Count ports) { return (digit - 1) / ports; }
}  // namespace bruck

// allgather/concatenation. Role j of rank i is the block of rank i - j.
namespace concatenation {
// Before a round a rank knows the roles below w. Is the round not the last one?
template <class N>
auto goes_on(Count ports, const N& w, const N& p) {
  return (ports + 1) * w < p;
}
template <class N>
N next_known(Count ports, const N& w) {
  return (ports + 1) * w;
}
// A rank gets roles first .. last - 1 from the rank `distance` before it.
template <class N>
N distance(Count port, const N& w) {
  return port * w;
}
template <class N>
N first(Count port, const N& w) {
  return port * w;
}
template <class N>
N last(Count port, const N& w) {
  return (port + 1) * w;
}
// The last round has an area of missing bytes for each port, which begins in column `low`; column c is role w + c. Its distance,
// if the area after it has the distance `next`; for the last area `next` is p + 1.
template <class N>
N last_distance(const N& w, const N& low, const N& next) {
  return at_most(w + low, next - N{1});
}
}  // namespace concatenation

// allgather/recursive-doubling with first=near, p a power of two. Before a round a rank has the blocks of m ranks.
namespace doubling {
template <class N>
N partner(const N& i, const N& m) {
  return i ^ m;
}
template <class N>
N first(const N& i, const N& m) {
  return i & -m;
}  // of the ranks whose blocks it has
template <class N>
N first_received(const N& i, const N& m) {
  return first(i, m) ^ m;
}
}  // namespace doubling

// alltoall/one-factor: the round in which u and v exchange, and the number of rounds.
namespace factors {
template <class N>
N basic_round(const N& p, const N& u, const N& v) {
  return folded_below(u + v, p);
}
template <class N>
N even_round(const N& p, const N& u, const N& v) {  // factor=concentrated, p even
  const N odd = p - N{1};
  return select(u == odd, folded_below(v + v, odd), select(v == odd, folded_below(u + u, odd), folded_below(u + v, odd)));
}
template <class N>
N basic_rounds(const N& p) {
  return p;
}
template <class N>
N even_rounds(const N& p) {
  return p - N{1};
}
}  // namespace factors

}  // namespace quadrille::command
