// SPDX-License-Identifier: BSD-3-Clause
// Networks that are graphs: ranks 0 .. p-1 and, after them, switches. Messages take shortest paths; where several lead on, the
// receiver's number says which, one digit of it at each such place, so that receivers spread over them (d mod k routing
// [zahavi2010]). Of several links to the same neighbour the next digit says which; it is not used up, so that receivers that came
// up by different links come down by different ones (in trees with several links at more than one height not all do).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

class Graph : public Network {
 public:
  struct Edge {
    Vertex a = 0;
    Vertex b = 0;
  };

  // `switch_names` may be empty: they are numbered then. Throws Error{misuse} if there is no way between two ranks, and
  // Error{too_large} beyond a gigabyte of distances, or where looking for them takes long.
  Graph(std::string name, Count ranks, Count vertices, const std::vector<Edge>& edges, std::vector<std::string> switch_names = {},
        std::vector<Count> nodes = {});

  Count ranks() const override { return ranks_; }
  Count vertices() const override { return size(first_link_) - 1; }
  std::vector<Count> nodes() const override { return nodes_; }
  Count link_count() const override { return size(links_); }
  Count link_numbers() const override { return link_count(); }
  Link link(Count number) const override { return links_.at(index(number)); }
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
  std::vector<Link> links_;        // by number, and so by the vertex they leave
  std::vector<Count> first_link_;  // of each vertex, and the number of links
  std::vector<Count> by_end_;      // of each vertex the numbers of its links, by where they lead
  std::vector<std::string> switch_names_;
  std::vector<Count> nodes_;              // of each rank, where it shares a node with others
  std::vector<std::uint16_t> distances_;  // for each rank from every vertex
};

}  // namespace quadrille
