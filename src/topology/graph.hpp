// SPDX-License-Identifier: BSD-3-Clause
// Networks that are graphs. Their limits are checked before any edge is made. Vertices 0 .. p-1 are ranks, and all other vertices
// are switches. Messages take shortest paths. If several neighbours are closer to the receiver, a digit of the receiver's number
// selects one neighbour. Each choice of a neighbour uses the next digit, so that the routes to different receivers spread over
// the paths (d mod k routing [zahavi2010]). If several links lead to the chosen neighbour, the digit after it selects the link,
// and the next choice of a neighbour uses that digit again. So receivers whose messages use different links upwards also use
// different links downwards. (In trees with parallel links at several heights, this does not hold for all receivers.)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

class Graph : public Network {
 public:
  struct Edge {
    Vertex a = 0;
    Vertex b = 0;
    Count capacity = 1;
  };

  // `switch_names` may be empty; switches then have numbers. `machine_capacity` is that of the machine's link. Throws Error{misuse}
  // if two ranks are not connected, and Error{too_large} if the distances would take more than a gigabyte or too long to compute.
  Graph(std::string name, Count ranks, Count vertices, const std::vector<Edge>& edges, std::vector<std::string> switch_names = {},
        std::vector<Count> nodes = {}, Count machine_capacity = 1);

  Count ranks() const override { return ranks_; }
  Count vertices() const override { return size(first_link_) - 1; }
  std::vector<Count> nodes() const override { return nodes_; }
  Count link_count() const override { return size(links_); }
  Count link_numbers() const override { return link_count(); }
  Link link(Count number) const override { return links_.at(index(number)); }
  const Capacities& capacities() const override { return capacities_; }
  std::vector<Link> links_from(Vertex vertex) const override;
  Count distance(Rank from, Rank to) const override { return hops(from, to); }
  std::string text_of(const Link& link) const override;
  Result<> for_each_link(Rank from, Rank to, const std::optional<Port>& port, const LinkVisitor& visit) const override;
  bool append_way(Rank from, Rank to, const std::optional<Port>& port, std::vector<Count>& numbers) const override;
  Bytes exchange_load(Bytes block_bytes) const override;

 private:
  std::uint16_t hops(Vertex from, Rank to) const { return distances_[index(to * vertices() + from)]; }
  void search(Rank to, const std::vector<std::int32_t>& ends);
  template <class Visit>  // visit(link)
  void walk_way(Rank from, Rank to, Visit&& visit) const;
  std::string text_of(Vertex vertex) const;

  std::string name_;
  Count ranks_;
  std::vector<Link> links_;  // by number; sorted by the vertex from which they leave
  Capacities capacities_;
  std::vector<Count> first_link_;  // by vertex; then the number of links
  std::vector<Count> by_end_;      // for each vertex, the numbers of its links, sorted by the vertex to which they lead
  std::vector<std::string> switch_names_;
  std::vector<Count> nodes_;              // by rank; empty if no ranks share a node
  std::vector<std::uint16_t> distances_;  // for each rank, its distance from every vertex
};

inline constexpr Count most_graph_ranks = Count{1} << 20, most_graph_edges = Count{1} << 22;

// `numbers` are the sides of a graph, whose product is at least the number of ranks. Throws Error{misuse} for a number below 1,
// and Error{too_large} for more than 2^20 ranks.
void check_graph_numbers(const std::string& name, const std::vector<Count>& numbers);

// Throws Error{too_large} for more than 2^22 edges.
void check_graph_edges(const std::string& name, Count edges);

}  // namespace quadrille
