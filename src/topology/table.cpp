// SPDX-License-Identifier: BSD-3-Clause
// The one table of topologies. A row is the name of the record that the topology's file in src/topology/kinds/ defines.
#include "topology/topology_kind.hpp"

#include <fmt/format.h>

#define QUADRILLE_ROWS(ROW) \
  ROW(torus_topology)       \
  ROW(mesh_topology)        \
  ROW(ring_topology)        \
  ROW(array_topology)       \
  ROW(hypercube_topology)   \
  ROW(full_topology)        \
  ROW(cluster_topology)     \
  ROW(fat_tree_topology)    \
  ROW(dragonfly_topology)

namespace quadrille {

#define QUADRILLE_DECLARE(record) extern const TopologyKind record;
QUADRILLE_ROWS(QUADRILLE_DECLARE)
#undef QUADRILLE_DECLARE

std::span<const TopologyKind* const> all_topology_kinds() {
#define QUADRILLE_ADDRESS(record) &record,
  static constexpr const TopologyKind* table[] = {QUADRILLE_ROWS(QUADRILLE_ADDRESS)};
#undef QUADRILLE_ADDRESS
  return table;
}

std::string example_of(const TopologyKind& kind) { return fmt::format("{}:{}", kind.name, kind.example); }

std::vector<std::string> topology_examples() {
  std::vector<std::string> examples;
  for (const TopologyKind* kind : all_topology_kinds()) examples.push_back(example_of(*kind));
  return examples;
}

}  // namespace quadrille
