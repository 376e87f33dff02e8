// SPDX-License-Identifier: BSD-3-Clause
// The kinds of networks that parse_topology knows, as rows of one table. The parser, the command's help, its completion and the
// documentation read this table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/topology.hpp"

namespace quadrille {

// One kind of network. Each is defined under src/topology/kinds/ and listed in src/topology/table.cpp.
struct TopologyKind {
  std::string_view name;                        // "torus"
  std::string_view example;                     // numbers that may follow the name and a colon, "4x8"
  std::string_view description;                 // one line: how the ranks are linked
  std::size_t numbers = 1;                      // how many numbers the kind takes; 0 means one or more
  std::vector<std::string_view> routings = {};  // words that may follow, after a comma: see routing_named
  Topology (*make)(const std::vector<Count>& numbers, Routing routing) = nullptr;  // takes `numbers` numbers, each 1 or more
};

std::span<const TopologyKind* const> all_topology_kinds();

// The routing that a word of `routings` names: "first", "last" or "balanced".
Routing routing_named(std::string_view word);

std::string example_of(const TopologyKind& kind);  // "torus:4x8"
std::vector<std::string> topology_examples();      // of all kinds

}  // namespace quadrille
