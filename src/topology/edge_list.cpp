// SPDX-License-Identifier: BSD-3-Clause
// Reads graphs from text with one edge on each line.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "foundation/text/parsing.hpp"
#include "quadrille/indexed.hpp"
#include "topology/graph.hpp"
#include "topology/malformed.hpp"

namespace quadrille {
namespace {

constexpr Rank most_ranks = Rank{1} << 20;

}  // namespace

Topology parse_edge_list(std::string_view text, const std::string& label) {
  // Switches are numbered -1, -2, .. until all ranks are known.
  std::vector<Graph::Edge> edges;
  std::map<std::string, Vertex> switches;
  std::vector<std::string> names;
  Rank last_rank = -1;
  Count number = 0;
  const auto vertex_of = [&](const std::string& word) -> Vertex {
    if (const auto rank = number_in<Rank>(word); rank && *rank >= 0 && *rank < most_ranks) {
      last_rank = std::max(last_rank, *rank);
      return *rank;
    }
    if (!std::isalpha(static_cast<unsigned char>(word.front())))
      malformed_line(label, number,
                     fmt::format("'{}' is neither a rank, from 0 to {}, nor the name of a switch", word, most_ranks - 1));
    const auto [found, fresh] = switches.try_emplace(word, -1 - static_cast<Vertex>(names.size()));
    if (fresh) names.push_back(word);
    return found->second;
  };

  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> ends;
    for (std::string word; words >> word;) ends.push_back(word);
    if (ends.empty()) continue;
    if (ends.size() != 2) malformed_line(label, number, fmt::format("an edge has two ends, not {}", ends.size()));
    edges.push_back({vertex_of(ends[0]), vertex_of(ends[1])});
    if (edges.back().a == edges.back().b) malformed_line(label, number, fmt::format("the edge leads from '{}' to itself", ends[0]));
  }
  if (last_rank < 0) malformed_line(label, number, "no edge leads to a rank");
  const Count ranks = last_rank + 1;
  for (Graph::Edge& edge : edges)
    for (Vertex* end : {&edge.a, &edge.b})
      if (*end < 0) *end = ranks - 1 - *end;
  return {label, std::make_shared<Graph>(label, ranks, ranks + size(names), edges, names)};
}

}  // namespace quadrille
