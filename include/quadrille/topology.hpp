// SPDX-License-Identifier: BSD-3-Clause
// Networks as values. Products of dimensions, each a path, a ring or complete: linear arrays, rings, meshes and tori with any
// number of dimensions, hypercubes, fully connected networks. And graphs of ranks and switches: clusters of nodes, fat trees,
// dragonflies, lists of edges. Every edge is two directed links, one each way.
//
//   Topology torus = parse_topology("torus:4x8");
//   torus.for_each_link(0, 9, {}, [](const Link& link) { .. });  // 0 to 8 in dimension 0, 8 to 9 in dimension 1
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/result.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// The dimension that a message crosses first. (E-cube routing on a hypercube: from the lowest bit or from the highest.)
enum class Routing : std::uint8_t { first_dimension_first, last_dimension_first };

using Vertex = std::int64_t;  // ranks 0 .. p-1, then switches

// A directed link. Two may have the same ends (a ring of 2), so a link is known by its number.
struct Link {
  Count number = 0;
  Vertex from = 0;
  Vertex to = 0;
  int dimension = 0;  // of a product
  bool operator==(const Link&) const = default;
};

using LinkVisitor = std::function<void(const Link&)>;

// What a kind of network has to say; Topology explains each.
class Network {
 public:
  virtual ~Network() = default;
  virtual Count ranks() const = 0;
  virtual Count vertices() const { return ranks(); }
  virtual std::vector<Count> grid() const { return {}; }
  virtual std::vector<Count> nodes() const { return {}; }
  virtual Count link_count() const = 0;
  virtual Count link_numbers() const = 0;
  virtual Link link(Count number) const = 0;
  virtual std::vector<Link> links_from(Vertex vertex) const = 0;
  virtual Count distance(Rank from, Rank to) const = 0;
  virtual std::string text_of(const Link& link) const = 0;
  virtual Result<> for_each_link(Rank from, Rank to, const std::optional<Port>& port, const LinkVisitor& visit) const = 0;
  virtual bool append_way(Rank from, Rank to, const std::optional<Port>& port, std::vector<Count>& numbers) const = 0;
  virtual Bytes exchange_load(Bytes block_bytes) const = 0;
};

class Topology {
 public:
  Topology(std::string name, std::shared_ptr<const Network> network) : name_(std::move(name)), network_(std::move(network)) {}

  // Ranks stand row by row: dimension 0 turns slowest. All throw Error{misuse} if there is no dimension or a side is below 1, and
  // Error{too_large} if there are 2^31 ranks or more.
  static Topology ring(Count ranks);
  static Topology array(Count ranks);
  static Topology torus(const std::vector<Count>& sides, Routing routing = Routing::first_dimension_first);
  static Topology mesh(const std::vector<Count>& sides, Routing routing = Routing::first_dimension_first);
  static Topology full(Count ranks);
  // Dimension d is bit d of the rank. Throws Error{misuse} if `ranks` is no power of two.
  static Topology hypercube(Count ranks, Routing routing = Routing::first_dimension_first);

  // Graphs throw Error{misuse} for numbers below 1 and where no way leads from a rank to another, and Error{too_large} if ways take
  // more than a gigabyte to know. Each node's ranks share one link to a switch between the nodes.
  static Topology cluster(Count nodes, Count ranks_per_node);
  // Three levels of switches with `switch_ports` ports, an even number k: k pods, k/2 ranks a switch, k^3 / 4 ranks [al-fares2008].
  static Topology fat_tree(Count switch_ports);
  // The routers of a group are joined with each other, and every two groups by one link, dealt out to their routers [kim2008].
  static Topology dragonfly(Count groups, Count routers, Count ranks_per_router);

  const std::string& name() const { return name_; }  // as parse_topology reads it
  Count ranks() const { return network_->ranks(); }
  Count vertices() const { return network_->vertices(); }           // ranks and switches
  std::vector<Count> grid() const { return network_->grid(); }      // the sides, where ranks stand row by row; else none
  std::vector<Count> nodes() const { return network_->nodes(); }    // of a cluster, the node of each rank; else none
  Count link_count() const { return network_->link_count(); }       // directed links
  Count link_numbers() const { return network_->link_numbers(); }   // every link's number is below; not every number is a link's
  Link link(Count number) const { return network_->link(number); }  // of this number, which a way has brought
  std::vector<Link> links_from(Vertex vertex) const { return network_->links_from(vertex); }  // in the order of their numbers
  std::vector<Vertex> neighbours(Vertex vertex) const;                                        // ascending, each once
  Count distance(Rank from, Rank to) const { return network_->distance(from, to); }           // links of a shortest path
  std::string text_of(const Link& link) const { return network_->text_of(link); }             // "3 -> 4 (dimension 1, +)"

  // The links of the way from one rank to another, in their order. In a product: dimension by dimension, each the shorter way, half
  // way round a ring upwards; with a port straight along that dimension in that direction. In a graph a shortest path: of several,
  // the receiver decides which, digit by digit. Where there is no such way, nothing is visited and the answer says why.
  Result<> for_each_link(Rank from, Rank to, const std::optional<Port>& port, const LinkVisitor& visit) const {
    return network_->for_each_link(from, to, port, visit);
  }

  // Appends the numbers of the same links, for those who look at millions of ways; false, and nothing appended, if there is no such
  // way. Allocates nothing but what `numbers` grows by.
  bool append_way(Rank from, Rank to, const std::optional<Port>& port, std::vector<Count>& numbers) const {
    return network_->append_way(from, to, port, numbers);
  }

  // Bytes that some link has to carry where every two ranks exchange blocks of `block_bytes`, whatever the routing. In a product:
  // the average load of the links of a ring [liu2005, lemma 1], the load of those in the middle of a path; the largest of all
  // dimensions. In a graph: the average load of all links, or of those of a rank.
  Bytes exchange_load(Bytes block_bytes) const { return network_->exchange_load(block_bytes); }

 private:
  std::string name_;
  std::shared_ptr<const Network> network_;
};

// "ring:8", "array:8", "torus:4x8", "mesh:4x4x4", "hypercube:16", "full:16"; "hypercube:16,last" (or torus, mesh) crosses the last
// dimension first. "cluster:6x4" is six nodes of four, "fat-tree:4" of switches with four ports, "dragonfly:9x4x2" nine groups of
// four routers with two ranks each. Throws Error{misuse} with one sentence, and Error{too_large}.
Topology parse_topology(std::string_view text);

// A line an edge: two vertices, ranks by their number and switches by a word, "3 leaf-0"; from # on nothing counts. `label` names
// the text in sentences, and the topology. Throws Error{malformed} with the line, and like Topology::cluster.
Topology parse_edge_list(std::string_view text, const std::string& label);

// A platform file of SimGrid (version 4) with one cluster, a torus, a fat tree or a dragonfly; only who is joined with whom counts.
// A torus's first side turns fastest, so its sides appear in reverse. Throws Error{malformed} with the line, and like
// Topology::cluster.
Topology parse_platform(std::string_view text, const std::string& label);

}  // namespace quadrille
