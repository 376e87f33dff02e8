// SPDX-License-Identifier: BSD-3-Clause
// Networks that are products of dimensions: a rank has a coordinate in each dimension.
#pragma once

#include <string>
#include <vector>

#include "quadrille/topology.hpp"

namespace quadrille {

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
  std::vector<Count> first_slot_;  // by dimension: its first slot among the links of a rank; one more entry has their number
  Routing routing_;
  bool row_by_row_;
  Count ranks_ = 1;
};

}  // namespace quadrille
