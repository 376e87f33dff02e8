// SPDX-License-Identifier: BSD-3-Clause
// Networks that are products of dimensions: a rank is known by its place in each.
#pragma once

#include <string>
#include <vector>

#include "quadrille/topology.hpp"

namespace quadrille {

enum class DimensionKind : std::uint8_t {
  path,      // neighbours in a row
  ring,      // the last is the first's neighbour, too; on a ring of 2 the two ways are two parallel edges
  complete,  // everybody is everybody's neighbour
};

struct ProductDimension {
  DimensionKind kind = DimensionKind::path;
  Count side = 1;
};

class Product : public Network {
 public:
  // row_by_row: dimension 0 turns slowest, else fastest. The name is for sentences. Throws like Topology::torus.
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
  Count slots(std::size_t dimension) const;  // numbers for the links by which a rank leaves in a dimension
  // Why the port does not lead straight from one rank to the other; nothing if it does.
  Result<> leads_straight(Rank from, Rank to, const Port& port) const;
  template <class Visit>  // visit(number, from, to, dimension)
  void walk(Rank from, std::size_t dimension, Count steps, int direction, Visit&& visit) const;
  template <class Visit>
  void walk_way(Rank from, Rank to, const std::optional<Port>& port, Visit&& visit) const;  // that there is
  Rank moved(Rank rank, std::size_t dimension, Count coordinate) const;

  std::string name_;
  std::vector<ProductDimension> dimensions_;
  std::vector<Count> strides_;     // of a step in each dimension, in ranks
  std::vector<Count> first_slot_;  // of each dimension, among the links by which a rank leaves; and their number at the end
  Routing routing_;
  bool row_by_row_;
  Count ranks_ = 1;
};

}  // namespace quadrille
