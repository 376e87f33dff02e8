// SPDX-License-Identifier: BSD-3-Clause
// What the generators of four families do in a round, as formulas of the number of ranks p. `quadrille prove` proves these
// descriptions for all p. tests/tools/prove/descriptions_test.cpp compares them with the programs of the generators. Numbers are
// Counts, or terms (terms.hpp).
#pragma once

#include "prove/terms.hpp"

namespace quadrille::command {

inline constexpr auto at_most = [](const auto& value, const auto& limit) { return select(value < limit, value, limit); };
// value mod p, for 0 <= value < 2 p
inline constexpr auto folded_below = [](const auto& value, const auto& p) { return select(value < p, value, value - p); };

// alltoall/bruck with level=positional. A level belongs to a place w, a power of the radix.
namespace bruck {
// Is there a level for place w?
inline constexpr auto goes_on = [](const auto& w, const auto& p) { return w < p; };
inline constexpr auto next_place = [](Count radix, const auto& w) { return radix * w; };
// Does the level have a message for the slots with this digit?
inline constexpr auto has_hop = [](Count digit, const auto& w, const auto& p) { return digit * w < p; };
// How many ranks further the message goes.
inline constexpr auto hop = [](Count digit, const auto& w) { return digit * w; };
// The number of slots below `high * radix * w + low` whose digit at place w is `digit`, for 0 <= low < radix * w.
inline constexpr auto slots = [](Count digit, const auto& w, const auto& high, const auto& low) {
  return high * w + select(low < digit * w, Count{0}, at_most(low - digit * w, w));
};
// Slot j of rank i: the block of the output in which it lies, and the block of the input that it is before its first hop.
inline constexpr auto output_block = [](const auto& i, const auto& j, const auto& p) { return select(i < j, i - j + p, i - j); };
inline constexpr auto input_block = [](const auto& i, const auto& j, const auto& p) { return folded_below(i + j, p); };
// The round of the level in which a digit moves.
inline constexpr auto round_of = [](Count digit, Count ports) { return (digit - 1) / ports; };
}  // namespace bruck

// allgather/concatenation. Role j of rank i is the block of rank i - j.
namespace concatenation {
// Before a round a rank knows the roles below w. Is the round not the last one?
inline constexpr auto goes_on = [](Count ports, const auto& w, const auto& p) { return (ports + 1) * w < p; };
inline constexpr auto next_known = [](Count ports, const auto& w) { return (ports + 1) * w; };
// A rank gets roles first .. last - 1 from the rank `distance` before it.
inline constexpr auto distance = [](Count port, const auto& w) { return port * w; };
inline constexpr auto first = distance;
inline constexpr auto last = [](Count port, const auto& w) { return (port + 1) * w; };
// The last round has an area of missing bytes for each port, which begins in column `low`; column c is role w + c. Its distance,
// if the area after it has the distance `next`; for the last area `next` is p + 1.
inline constexpr auto last_distance = [](const auto& w, const auto& low, const auto& next) { return at_most(w + low, next - 1); };
}  // namespace concatenation

// allgather/recursive-doubling with first=near, p a power of two. Before a round a rank has the blocks of m ranks.
namespace doubling {
inline constexpr auto partner = [](const auto& i, const auto& m) { return i ^ m; };
inline constexpr auto first = [](const auto& i, const auto& m) { return i & -m; };  // of the ranks whose blocks it has
inline constexpr auto first_received = [](const auto& i, const auto& m) { return first(i, m) ^ m; };
}  // namespace doubling

// alltoall/one-factor: the round in which u and v exchange, and the number of rounds; for factor=concentrated and even p, and else.
namespace factors {
inline constexpr auto basic_round = [](const auto& p, const auto& u, const auto& v) { return folded_below(u + v, p); };
inline constexpr auto even_round = [](const auto& p, const auto& u, const auto& v) {
  const auto odd = p - 1;
  return select(u == odd, folded_below(v + v, odd), select(v == odd, folded_below(u + u, odd), folded_below(u + v, odd)));
};
inline constexpr auto basic_rounds = [](const auto& p) { return p; };
inline constexpr auto even_rounds = [](const auto& p) { return p - 1; };
}  // namespace factors

}  // namespace quadrille::command
