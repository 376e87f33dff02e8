// SPDX-License-Identifier: BSD-3-Clause
// Rings, arrays, tori, meshes, hypercubes and fully connected networks: products of dimensions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "patterns/integers.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille {

// A network that is a product of dimensions: a rank has a coordinate in each dimension.

enum class DimensionKind : std::uint8_t {
  path,      // each coordinate is connected to the next
  ring,      // the last coordinate is also connected to the first; on a ring of 2, the two directions are parallel edges
  complete,  // every coordinate is connected to every other
};

struct ProductDimension {
  DimensionKind kind = DimensionKind::path;
  Count side = 1;
};

class Product : public Network {
 public:
  // If `row_by_row`, dimension 0 changes slowest with the rank, else fastest. `name` is used in errors. Throws like
  // Topology::torus.
  Product(std::string name, std::vector<ProductDimension> dimensions, Routing routing, bool row_by_row = true);

  Count ranks() const override { return ranks_; }
  std::vector<Count> grid() const override;
  Count link_count() const override;
  Count link_numbers() const override { return ranks_ * first_slot_.back(); }
  Link link(Count number) const override;
  std::vector<Link> links_from(Vertex rank) const override;
  Count distance(Rank from, Rank to) const override;
  std::string text_of(const Link& link) const override;
  Result<> for_each_link(Rank from, Rank to, const std::optional<Port>& port, const LinkVisitor& visit) const override;
  bool append_way(Rank from, Rank to, const std::optional<Port>& port, std::vector<Count>& numbers) const override;
  Bytes exchange_load(Bytes block_bytes) const override;

 private:
  Count coordinate(Rank rank, std::size_t dimension) const;
  Count slots(std::size_t dimension) const;  // how many link numbers a rank has in a dimension
  // Returns success if the port leads straight from one rank to the other, otherwise the reason why it does not.
  Result<> leads_straight(Rank from, Rank to, const Port& port) const;
  template <class Visit>  // visit(number, from, to, dimension)
  void walk(Rank from, std::size_t dimension, Count steps, int direction, Visit&& visit) const;
  template <class Visit>
  void walk_way(Rank from, Rank to, const std::optional<Port>& port, Visit&& visit) const;  // requires that the route exists
  Rank moved(Rank rank, std::size_t dimension, Count coordinate) const;

  std::string name_;
  std::vector<ProductDimension> dimensions_;
  std::vector<Count> strides_;     // by dimension: difference in rank of one step
  std::vector<Count> first_slot_;  // by dimension: its first slot among the links of a rank; then the number of slots
  Routing routing_;
  bool row_by_row_;
  Count ranks_ = 1;
};

namespace {

constexpr Count product_most_ranks = Count{1} << 31;

}  // namespace

Product::Product(std::string name, std::vector<ProductDimension> dimensions, Routing routing, bool row_by_row)
    : name_(std::move(name)),
      dimensions_(std::move(dimensions)),
      strides_(dimensions_.size()),
      routing_(routing),
      row_by_row_(row_by_row) {
  if (dimensions_.empty()) throw Error(ErrorCode::misuse, fmt::format("the topology '{}' has no side", name_));
  for (const ProductDimension& dimension : dimensions_) {
    if (dimension.side < 1)
      throw Error(ErrorCode::misuse, fmt::format("a side of the topology '{}' is {}; sides are 1 or more", name_, dimension.side));
    if (__builtin_mul_overflow(ranks_, dimension.side, &ranks_) || ranks_ >= product_most_ranks)
      throw Error(ErrorCode::too_large, fmt::format("the topology '{}' has 2^31 ranks or more", name_));
  }
  Count stride = 1;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const std::size_t d = row_by_row ? dimensions_.size() - 1 - i : i;
    strides_[d] = stride;
    stride *= dimensions_[d].side;
  }
  first_slot_.push_back(0);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) first_slot_.push_back(first_slot_.back() + slots(d));
}

std::vector<Count> Product::grid() const {
  std::vector<Count> sides;
  if (row_by_row_)
    for (const ProductDimension& dimension : dimensions_) sides.push_back(dimension.side);
  return sides;
}

Count Product::coordinate(Rank rank, std::size_t dimension) const {
  return rank / strides_[dimension] % dimensions_[dimension].side;
}

Count Product::slots(std::size_t dimension) const {
  return dimensions_[dimension].kind == DimensionKind::complete ? dimensions_[dimension].side : 2;
}

Rank Product::moved(Rank rank, std::size_t dimension, Count coordinate) const {
  return rank + (coordinate - this->coordinate(rank, dimension)) * strides_[dimension];
}

template <class Visit>
void Product::walk(Rank from, std::size_t dimension, Count steps, int direction, Visit&& visit) const {
  const Count side = dimensions_[dimension].side, stride = strides_[dimension], slots_of_a_rank = first_slot_.back();
  const Count slot = first_slot_[dimension] + (direction > 0 ? 0 : 1), end = direction > 0 ? side - 1 : 0;
  const Count step = direction * stride, round_the_end = step - direction * side * stride;
  for (Count here = coordinate(from, dimension); steps > 0; --steps) {
    const Rank to = from + (here == end ? round_the_end : step);
    here = here == end ? side - 1 - end : here + direction;
    visit(from * slots_of_a_rank + slot, from, to, dimension);
    from = to;
  }
}

template <class Visit>
void Product::walk_way(Rank from, Rank to, const std::optional<Port>& port, Visit&& visit) const {
  if (port) {
    const std::size_t dimension = index(port->dimension);
    const Count side = dimensions_[dimension].side;
    walk(from, dimension, (port->direction * (coordinate(to, dimension) - coordinate(from, dimension)) + side) % side,
         port->direction, visit);
    return;
  }
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const std::size_t d = routing_ == Routing::last_dimension_first ? dimensions_.size() - 1 - i : i;
    const auto& [kind, side] = dimensions_[d];
    const Count here = coordinate(from, d), there = coordinate(to, d);
    if (here == there) continue;
    const Rank next = from + (there - here) * strides_[d];
    if (kind == DimensionKind::complete) {
      visit(from * first_slot_.back() + first_slot_[d] + there, from, next, d);
    } else {
      const Count upwards = there > here ? there - here : there - here + side;
      const bool half_goes_up = routing_ != Routing::balanced || here % 2 == 0;
      const bool up = kind == DimensionKind::path ? there > here : 2 * upwards < side || (2 * upwards == side && half_goes_up);
      walk(from, d, up ? upwards : side - upwards, up ? 1 : -1, visit);
    }
    from = next;
  }
}

Result<> Product::leads_straight(Rank from, Rank to, const Port& port) const {
  const auto dimension = static_cast<std::size_t>(port.dimension);
  if (port.dimension < 0 || dimension >= dimensions_.size() || dimensions_[dimension].kind == DimensionKind::complete)
    return cannot(fmt::format("{} has no dimension {}", name_, port.dimension));
  const Count here = coordinate(from, dimension), there = coordinate(to, dimension);
  if (moved(from, dimension, there) != to || here == there || std::abs(port.direction) != 1 ||
      (dimensions_[dimension].kind == DimensionKind::path && (there > here) != (port.direction > 0)))
    return cannot(fmt::format("rank {} cannot be reached from rank {} straight along dimension {}, direction {:+}", to, from,
                              dimension, port.direction));
  return {};
}

Result<> Product::for_each_link(Rank from, Rank to, const std::optional<Port>& port, const LinkVisitor& visit) const {
  if (port)
    if (auto straight = leads_straight(from, to, *port); !straight) return straight;
  walk_way(from, to, port, [&](Count number, Rank near, Rank far, std::size_t dimension) {
    visit({number, near, far, static_cast<int>(dimension)});
  });
  return {};
}

bool Product::append_way(Rank from, Rank to, const std::optional<Port>& port, std::vector<Count>& numbers) const {
  if (port && !leads_straight(from, to, *port)) return false;
  walk_way(from, to, port, [&](Count number, Rank, Rank, std::size_t) { numbers.push_back(number); });
  return true;
}

Link Product::link(Count number) const {
  for (const Link& link : links_from(number / first_slot_.back()))
    if (link.number == number) return link;
  throw Error(ErrorCode::misuse, fmt::format("the topology '{}' has no link {}", name_, number));
}

Count Product::link_count() const {
  Count count = 0;
  for (const auto& [kind, side] : dimensions_) {
    const Count of_a_line =
        kind == DimensionKind::complete ? side * (side - 1) : 2 * (kind == DimensionKind::path ? side - 1 : side);
    if (side > 1) count += ranks_ / side * of_a_line;
  }
  return count;
}

std::vector<Link> Product::links_from(Vertex rank) const {
  std::vector<Link> links;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const auto& [kind, side] = dimensions_[d];
    const Count here = coordinate(rank, d);
    const auto add = [&](Count slot, Count there) {
      links.push_back({rank * first_slot_.back() + first_slot_[d] + slot, rank, moved(rank, d, there), static_cast<int>(d)});
    };
    if (kind == DimensionKind::complete)
      for (Count there = 0; there < side; ++there) {
        if (there != here) add(there, there);
      }
    else if (side > 1) {
      if (kind == DimensionKind::ring || here + 1 < side) add(0, (here + 1) % side);
      if (kind == DimensionKind::ring || here > 0) add(1, (here + side - 1) % side);
    }
  }
  return links;
}

Count Product::distance(Rank from, Rank to) const {
  Count links = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const Count apart = std::abs(coordinate(from, d) - coordinate(to, d));
    switch (dimensions_[d].kind) {
      case DimensionKind::path: links += apart; break;
      case DimensionKind::ring: links += std::min(apart, dimensions_[d].side - apart); break;
      case DimensionKind::complete: links += apart == 0 ? 0 : 1; break;
    }
  }
  return links;
}

std::string Product::text_of(const Link& link) const {
  const std::size_t dimension = index(link.dimension);
  if (dimensions_[dimension].kind != DimensionKind::ring) return fmt::format("{} -> {}", link.from, link.to);
  const bool up = (link.number - first_slot_[dimension]) % first_slot_.back() == 0;
  return fmt::format("{} -> {} (dimension {}, {})", link.from, link.to, dimension, up ? '+' : '-');
}

Bytes Product::exchange_load(Bytes block_bytes) const {
  __extension__ typedef __int128 Wide;
  Wide most = 0;  // in eighths of a block
  for (const auto& [kind, side] : dimensions_) {
    Wide eighths = 0;  // load of a link if each pair of ranks of a line exchanges one block
    switch (kind) {
      case DimensionKind::ring: eighths = Wide{side} * side - side % 2; break;
      case DimensionKind::path: eighths = Wide{8} * (side / 2) * (side - side / 2); break;
      case DimensionKind::complete: eighths = side > 1 ? 8 : 0; break;
    }
    most = std::max(most, eighths * (ranks_ / side));
  }
  return static_cast<Bytes>((most * block_bytes + 7) / 8);
}

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
