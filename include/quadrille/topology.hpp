// SPDX-License-Identifier: BSD-3-Clause
// Networks as values. Products of dimensions, each a path, a ring or fully connected, give linear arrays, rings,
// meshes and tori with any number of dimensions, hypercubes and fully connected networks. Graphs of ranks and
// switches give clusters of nodes, fat trees, dragonflies and networks from lists of edges. Every edge consists of
// two directed links, one in each direction.
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

// Which dimension a message crosses first. (With e-cube routing on a hypercube: the lowest or the highest bit first.) If both
// directions of a ring are equally long, a message goes upwards; with `balanced` it goes upwards from even coordinates and
// downwards from odd ones, so that a complete exchange loads both directions equally.
enum class Routing : std::uint8_t { first_dimension_first, last_dimension_first, balanced };

using Vertex = std::int64_t;  // 0 .. p-1 are ranks, larger numbers are switches

// A directed link. Two links may have the same ends (on a ring of 2), so a link is identified by its number.
struct Link {
  Count number = 0;
  Vertex from = 0;
  Vertex to = 0;
  int dimension = 0;  // used only in a product of dimensions
  bool operator==(const Link&) const = default;
};

// How fast links are. A link of capacity c carries bytes c / of_machine times as fast as the link of a machine's model.
struct Capacities {
  Count of_machine = 1;
  std::vector<Count> of_links = {};  // by number, each at least 1; empty if all links are as fast as the machine's

  Count of(Count link) const { return of_links.empty() ? 1 : of_links[static_cast<std::size_t>(link)]; }
  // What the machine's link carries while a link of this capacity carries `bytes`, rounded up. Throws Error{too_large} from 2^63
  // on.
  Bytes on_machine(Bytes bytes, Count capacity) const;
  bool operator==(const Capacities&) const = default;
};

using LinkVisitor = std::function<void(const Link&)>;

// What each kind of network implements; the members of Topology with the same names say what they return.
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
  virtual const Capacities& capacities() const;  // by default all links are equal
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

  // Ranks are numbered row by row: dimension 0 changes slowest. These functions throw Error{misuse} if there is no dimension or a
  // side is below 1, and Error{too_large} if there are 2^31 ranks or more.
  static Topology ring(Count ranks);
  static Topology array(Count ranks);
  static Topology torus(const std::vector<Count>& sides, Routing routing = Routing::first_dimension_first);
  static Topology mesh(const std::vector<Count>& sides, Routing routing = Routing::first_dimension_first);
  static Topology full(Count ranks);
  // Dimension d is bit d of the rank. Throws Error{misuse} if `ranks` is not a power of two.
  static Topology hypercube(Count ranks, Routing routing = Routing::first_dimension_first);

  // Graphs throw Error{misuse} for numbers below 1 and if two ranks are not connected, and Error{too_large} if the
  // table of distances would take more than a gigabyte. In a cluster, the ranks of each node share one link to a
  // switch that connects the nodes.
  static Topology cluster(Count nodes, Count ranks_per_node);
  // Three levels of switches with k = `switch_ports` ports, k even: k pods, k/2 ranks at each lowest switch, k^3 / 4
  // ranks in all [al-fares2008].
  static Topology fat_tree(Count switch_ports);
  // The routers of a group are fully connected. Each pair of groups has one link; a group's links are distributed
  // over its routers [kim2008].
  static Topology dragonfly(Count groups, Count routers, Count ranks_per_router);

  const std::string& name() const { return name_; }  // in the notation of parse_topology
  Count ranks() const { return network_->ranks(); }
  Count vertices() const { return network_->vertices(); }         // number of ranks and switches
  std::vector<Count> grid() const { return network_->grid(); }    // the sides if ranks are numbered row by row, else empty
  std::vector<Count> nodes() const { return network_->nodes(); }  // of a cluster: the node of each rank; else empty
  Count link_count() const { return network_->link_count(); }     // number of directed links
  // All link numbers are below this; not every number belongs to a link.
  Count link_numbers() const { return network_->link_numbers(); }
  Link link(Count number) const { return network_->link(number); }                            // `number` must come from a route
  std::vector<Link> links_from(Vertex vertex) const { return network_->links_from(vertex); }  // in ascending order of their numbers
  const Capacities& capacities() const { return network_->capacities(); }
  std::vector<Vertex> neighbours(Vertex vertex) const;                               // in ascending order, each once
  Count distance(Rank from, Rank to) const { return network_->distance(from, to); }  // number of links of a shortest path
  std::string text_of(const Link& link) const { return network_->text_of(link); }    // "3 -> 4 (dimension 1, +)"

  // Visits the links of the route from one rank to another, in order. In a product, the route goes dimension by
  // dimension, each in the shorter direction (if both are equally long, as Routing says); with a port, it runs straight along
  // the port's dimension in its direction. In a graph, it is a shortest path; if there are several, the digits of the receiver's
  // number select one. If there is no such route, nothing is visited and the result says why.
  Result<> for_each_link(Rank from, Rank to, const std::optional<Port>& port, const LinkVisitor& visit) const {
    return network_->for_each_link(from, to, port, visit);
  }

  // Appends the numbers of the same links, for code that looks at millions of routes. Returns false and appends
  // nothing if there is no such route. Allocates no memory except for the growth of `numbers`.
  bool append_way(Rank from, Rank to, const std::optional<Port>& port, std::vector<Count>& numbers) const {
    return network_->append_way(from, to, port, numbers);
  }

  // Returns a lower bound that holds for every routing: if every two ranks exchange blocks of `block_bytes`, some link carries at
  // least this many bytes. In a product, the bound is the maximum over the dimensions of the average load of the links of a ring
  // [liu2005, lemma 1], or of the load of the links in the middle of a path. In a graph, it is the average load of all links, or
  // of the links of a rank.
  Bytes exchange_load(Bytes block_bytes) const { return network_->exchange_load(block_bytes); }

 private:
  std::string name_;
  std::shared_ptr<const Network> network_;
};

// Reads the name of a kind of network and its numbers, such as "torus:4x8"; 'quadrille list topologies' prints all kinds. A
// message on "torus:4x8,last" crosses the last dimension first; "torus:4x8,balanced" has the routing `balanced`. Throws
// Error{misuse} with one sentence, and Error{too_large}.
Topology parse_topology(std::string_view text);

// Reads a graph with one edge on each line: two vertices, where a rank is a number and a switch is a word, such as "3
// leaf-0". The capacity of the edge may follow, such as 4, 1/4 or 0.25; a capacity of 0 leaves the edge out. A line such as
// !3 leaves out a vertex and its edges; ranks above it are numbered down. The rest of a line after # is a comment. `label` names
// the text in errors and becomes the name of the topology. Throws Error{malformed} with the line, and otherwise like
// Topology::cluster.
Topology parse_edge_list(std::string_view text, const std::string& label);

// Reads a SimGrid platform file (version 4) with one cluster: a torus, a fat tree or a dragonfly. Only the
// connections are used. A torus's first side changes fastest with the rank, so the sides appear in reverse order.
// Throws Error{malformed} with the line, and otherwise like Topology::cluster.
Topology parse_platform(std::string_view text, const std::string& label);

}  // namespace quadrille
