// SPDX-License-Identifier: BSD-3-Clause
// Makes traffic to test irregular exchanges. All random numbers come from the seed and are the same on every machine.
//
//   Problem problem = make_traffic(64, {.kind = TrafficKind::transpose, .most = 65536});
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

enum class TrafficKind : std::uint8_t {
  spike,        // every rank sends `most` to one random rank and `small` to all others (Pattern1 of [liu2002])
  transpose,    // every rank sends `most` to its mirror image in a square and `small` to all others (Pattern2 of [liu2002])
  equal,        // every count is `typical`
  uniform,      // uniformly distributed from 0 to twice `typical`
  normal,       // normally distributed: mean `typical`, standard deviation a quarter of it, at most twice `typical`
  power_law,    // mean about `typical`: few large counts and many small ones; at most p times `typical`
  permutation,  // every rank sends `typical` to one rank and receives `typical` from one rank
  all_to_one,   // every rank sends `typical` to rank 0
  one_to_all,   // rank 0 sends `typical` to every rank
  sparse,       // every rank sends to a share `density` of all ranks (at least one), from 1 byte to twice `typical` each
  groups,       // the first `senders` ranks send to each of the others, from 0 bytes to twice `typical` each
};

std::string_view name(TrafficKind kind);  // "power-law"
std::optional<TrafficKind> traffic_kind_named(std::string_view name);
const std::vector<TrafficKind>& all_traffic_kinds();

struct TrafficPattern {
  TrafficKind kind = TrafficKind::uniform;
  Bytes most = 0;        // for spike and transpose
  Bytes small = 0;       // for spike and transpose
  Bytes typical = 8;     // for all other kinds
  double density = 0.1;  // for sparse: from 0 to 1
  Count senders = 0;     // for groups: from 0 to the number of ranks; 0 stands for half of the ranks
  std::uint64_t seed = 1;
};

// Returns an alltoallv problem with these counts, stored sparsely if most of them are 0. Throws like `check`, and
// Error{misuse} if a field of the pattern is out of range.
Problem make_traffic(Count ranks, const TrafficPattern& pattern);

// Returns `how_many` sizes in bytes for an irregular collective, always the same for equal arguments: multiples of
// `element_bytes`, uniformly distributed from 0 to twice `typical`. Throws Error{misuse} if `typical` is negative or
// `element_bytes` is not positive, and Error{too_large} for more than 2^24 sizes or if sizes reach 2^63 bytes.
std::vector<Bytes> drawn_sizes(Count how_many, Bytes typical, Bytes element_bytes = 1);

}  // namespace quadrille
