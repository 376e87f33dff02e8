// SPDX-License-Identifier: BSD-3-Clause
// Rings, arrays, tori, meshes, hypercubes and fully connected networks: products of dimensions (product.hpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "patterns/integers.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "topology/product.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille {
namespace {

std::vector<ProductDimension> dimensions_of(DimensionKind kind, const std::vector<Count>& sides) {
  std::vector<ProductDimension> dimensions;
  for (const Count side : sides) dimensions.push_back({kind, side});
  return dimensions;
}

Topology product(const std::string& name, DimensionKind kind, const std::vector<Count>& sides, Routing routing = {},
                 bool row_by_row = true) {
  const std::string with_routing = name + (routing == Routing::last_dimension_first ? ",last"
                                           : routing == Routing::balanced           ? ",balanced"
                                                                                    : "");
  return {with_routing, std::make_shared<Product>(with_routing, dimensions_of(kind, sides), routing, row_by_row)};
}

std::string joined(const std::vector<Count>& sides) { return fmt::format("{}", fmt::join(sides, "x")); }

}  // namespace

Topology Topology::ring(Count ranks) { return product(fmt::format("ring:{}", ranks), DimensionKind::ring, {ranks}); }
Topology Topology::array(Count ranks) { return product(fmt::format("array:{}", ranks), DimensionKind::path, {ranks}); }
Topology Topology::full(Count ranks) { return product(fmt::format("full:{}", ranks), DimensionKind::complete, {ranks}); }

Topology Topology::torus(const std::vector<Count>& sides, Routing routing) {
  return product("torus:" + joined(sides), DimensionKind::ring, sides, routing);
}

Topology Topology::mesh(const std::vector<Count>& sides, Routing routing) {
  return product("mesh:" + joined(sides), DimensionKind::path, sides, routing);
}

Topology Topology::hypercube(Count ranks, Routing routing) {
  if (!is_power_of_two(ranks))
    throw Error(ErrorCode::misuse, fmt::format("a hypercube has a power of two of ranks, not {}", ranks));
  const std::size_t bits = index(ceil_log2(ranks));
  return product(fmt::format("hypercube:{}", ranks), DimensionKind::path,
                 bits == 0 ? std::vector<Count>{1} : std::vector<Count>(bits, 2), routing, /*row_by_row=*/false);
}

extern const TopologyKind torus_topology{
    .name = "torus",
    .example = "4x8",
    .description = "row by row; each row of each dimension is a ring",
    .numbers = 0,
    .routings = {"first", "last", "balanced"},
    .make = [](const std::vector<Count>& sides, Routing routing) { return Topology::torus(sides, routing); }};

extern const TopologyKind mesh_topology{
    .name = "mesh",
    .example = "4x4",
    .description = "row by row; each row of each dimension is an array",
    .numbers = 0,
    .routings = {"first", "last"},
    .make = [](const std::vector<Count>& sides, Routing routing) { return Topology::mesh(sides, routing); }};

extern const TopologyKind ring_topology{
    .name = "ring",
    .example = "8",
    .description = "neighbours in a row, and a link from the last to the first",
    .make = [](const std::vector<Count>& numbers, Routing) { return Topology::ring(numbers[0]); }};

extern const TopologyKind array_topology{
    .name = "array",
    .example = "8",
    .description = "neighbours in a row, and no link from the last to the first",
    .make = [](const std::vector<Count>& numbers, Routing) { return Topology::array(numbers[0]); }};

extern const TopologyKind hypercube_topology{
    .name = "hypercube",
    .example = "16",
    .description = "dimension d is bit d of the rank",
    .routings = {"first", "last"},
    .make = [](const std::vector<Count>& numbers, Routing routing) { return Topology::hypercube(numbers[0], routing); }};

extern const TopologyKind full_topology{
    .name = "full",
    .example = "16",
    .description = "a link from each rank to each other rank",
    .make = [](const std::vector<Count>& numbers, Routing) { return Topology::full(numbers[0]); }};

}  // namespace quadrille
