// SPDX-License-Identifier: BSD-3-Clause
// Traffic to try irregular exchanges on. Whatever is drawn is drawn from the seed, alike on every machine.
//
//   Problem problem = make_traffic(64, {.kind = TrafficKind::transpose, .most = 65536});
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

enum class TrafficKind : std::uint8_t {
  spike,        // everybody sends `most` to one rank, drawn for each, and `small` to all others (Pattern1 of [liu2002])
  transpose,    // everybody sends `most` to its mirror image in a square, and `small` to all others (Pattern2 of [liu2002])
  equal,        // all counts are `typical`
  uniform,      // drawn from 0 to twice `typical`
  normal,       // of mean `typical` and a quarter of it as deviation, at most twice `typical`
  power_law,    // of mean about `typical`: few large, many small; at most p times `typical`
  permutation,  // everybody sends `typical` to one rank, and gets it from one
  all_to_one,   // everybody sends `typical` to rank 0
  one_to_all,   // rank 0 sends `typical` to everybody
  sparse,       // everybody sends to the share `density` of all ranks, to one at least, 1 byte to twice `typical`
};

std::string_view name(TrafficKind kind);  // "power-law"
std::optional<TrafficKind> traffic_kind_named(std::string_view name);
const std::vector<TrafficKind>& all_traffic_kinds();

struct TrafficPattern {
  TrafficKind kind = TrafficKind::uniform;
  Bytes most = 0;        // spike, transpose
  Bytes small = 0;       // spike, transpose
  Bytes typical = 8;     // all others
  double density = 0.1;  // sparse: 0 to 1
  std::uint64_t seed = 1;
};

// An alltoallv problem with these counts; sparse where most counts are 0. Throws like `check`, and Error{misuse} for what is out of
// range in the pattern.
Problem make_traffic(Count ranks, const TrafficPattern& pattern);

}  // namespace quadrille
