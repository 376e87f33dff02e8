// SPDX-License-Identifier: BSD-3-Clause
// Networks as values: a product of dimensions, each a path, a ring or complete. That is linear arrays, rings, meshes and tori
// with any number of dimensions, hypercubes, and fully connected networks. Every edge is two directed links, one each way.
//
//   Topology torus = parse_topology("torus:4x8");
//   torus.for_each_link(0, 9, {}, [](const Link& link) { .. });  // 0 to 8 in dimension 0, 8 to 9 in dimension 1
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

enum class DimensionKind : std::uint8_t {
  path,      // neighbours in a row
  ring,      // the last is the first's neighbour, too; on a ring of 2 the two ways are two parallel edges
  complete,  // everybody is everybody's neighbour
};

struct TopologyDimension {
  DimensionKind kind = DimensionKind::path;
  Count side = 1;
  bool operator==(const TopologyDimension&) const = default;
};

// The dimension that a message crosses first. (E-cube routing on a hypercube: from the lowest bit or from the highest.)
enum class Routing : std::uint8_t { first_dimension_first, last_dimension_first };

// A directed link. On a ring of 2 both ways have the same ends, so a link is known by its number.
struct Link {
  Count number = 0;
  Rank from = 0;
  Rank to = 0;
  int dimension = 0;
  bool operator==(const Link&) const = default;
};

class Topology {
 public:
  // Ranks stand row by row: dimension 0 turns slowest. All throw Error{misuse} if there is no dimension or a side is below 1, and
  // Error{too_large} if there are 2^31 ranks or more.
  static Topology ring(Count ranks);
  static Topology array(Count ranks);
  static Topology torus(std::vector<Count> sides, Routing routing = Routing::first_dimension_first);
  static Topology mesh(std::vector<Count> sides, Routing routing = Routing::first_dimension_first);
  static Topology full(Count ranks);
  // Dimension d is bit d of the rank. Throws Error{misuse} if `ranks` is no power of two.
  static Topology hypercube(Count ranks, Routing routing = Routing::first_dimension_first);

  const std::string& name() const { return name_; }  // as parse_topology reads it
  Count ranks() const { return ranks_; }
  const std::vector<TopologyDimension>& dimensions() const { return dimensions_; }
  std::vector<Count> grid() const;  // the sides, where ranks stand row by row; a hypercube has none
  Count coordinate(Rank rank, std::size_t dimension) const;

  Count link_count() const;                       // directed links
  std::vector<Link> links_from(Rank rank) const;  // in the order of their numbers
  std::vector<Rank> neighbours(Rank rank) const;  // ascending, each once
  Count distance(Rank from, Rank to) const;       // links of a shortest path
  std::string text_of(const Link& link) const;    // "3 -> 4 (dimension 1, +)"

  // The links of the way from one rank to another, in their order: dimension by dimension, each the shorter way, half way round a
  // ring upwards. With a port: straight along that dimension in that direction. Nothing is visited and the answer is a sentence if
  // there is no such way.
  std::optional<std::string> for_each_link(Rank from, Rank to, const std::optional<Port>& port,
                                           const std::function<void(const Link&)>& visit) const;

  // Bytes that some link has to carry where every two ranks exchange blocks of `block_bytes`, whatever the routing: the average
  // load of the links of a ring [liu2005, lemma 1], the load of those in the middle of a path; the largest of all dimensions.
  Bytes exchange_load(Bytes block_bytes) const;

  bool operator==(const Topology& other) const { return name_ == other.name_; }

 private:
  Topology(std::string name, std::vector<TopologyDimension> dimensions, Routing routing, bool row_by_row = true);

  Count slots(std::size_t dimension) const;  // numbers for the links by which a rank leaves in a dimension
  void walk(Rank from, std::size_t dimension, Count steps, int direction, const std::function<void(const Link&)>& visit) const;
  Rank moved(Rank rank, std::size_t dimension, Count coordinate) const;

  std::string name_;
  std::vector<TopologyDimension> dimensions_;
  std::vector<Count> strides_;     // of a step in each dimension, in ranks
  std::vector<Count> first_slot_;  // of each dimension, among the links by which a rank leaves; and their number at the end
  Routing routing_;
  bool row_by_row_;
  Count ranks_ = 1;
};

// "ring:8", "array:8", "torus:4x8", "mesh:4x4x4", "hypercube:16", "full:16"; "hypercube:16,last" (or torus, mesh) crosses the last
// dimension first. Throws Error{misuse} with one sentence.
Topology parse_topology(std::string_view text);

}  // namespace quadrille
