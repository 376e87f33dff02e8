// SPDX-License-Identifier: BSD-3-Clause
#include "options/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/documents.hpp"
#include "options/problem_options.hpp"
#include "options/rank_scale.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::command {
namespace {

// Gives one rank to each node in turn. `nodes`: the ranks placed by block.
std::vector<Count> cyclic(const std::vector<Count>& nodes) {
  std::vector<Count> room(index(*std::max_element(nodes.begin(), nodes.end()) + 1), 0);
  for (const Count node : nodes) ++room[index(node)];
  std::vector<Count> placed;
  while (placed.size() < nodes.size())
    for (std::size_t node = 0; node < room.size(); ++node)
      if (room[node] > 0) --room[node], placed.push_back(static_cast<Count>(node));
  return placed;
}

std::vector<Count> read_placement(const std::string& file, Count ranks) {
  const std::string label = label_of(file);
  std::istringstream text(read_text(file, label));
  std::vector<Count> nodes;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) nodes.push_back(parse_whole(word, "the node of a rank in " + label, 0));
  }
  if (size(nodes) != ranks) refuse(fmt::format("{} places {} ranks, not {}", label, nodes.size(), ranks));
  return nodes;
}

}  // namespace

std::optional<std::vector<Count>> placed_ranks(const std::optional<std::string>& node_sizes,
                                               const std::optional<std::string>& placement, Count ranks, Count recorded) {
  const bool is_cyclic = placement == "cyclic";
  if (placement && !is_cyclic && placement != "block") {
    if (node_sizes)
      refuse(fmt::format(
          "--placement is block or cyclic beside --node-sizes; leave --node-sizes out if '{}' is a file that places the ranks",
          *placement));
    return read_placement(*placement, ranks);
  }
  if (!node_sizes && placement) refuse(fmt::format("--placement {} needs --node-sizes, such as 8x8", *placement));
  if (!node_sizes) return std::nullopt;
  ProblemOptions options;
  options.node_sizes = node_sizes;
  const Count placed = options.rank_counts(0).front();
  if (placed != ranks)
    refuse(
        fmt::format("the nodes '{}' hold {}, not {}{}", *node_sizes, counted(placed, "rank"), ranks, scale_hint(recorded, placed)));
  const std::vector<Count> nodes = options.problem(Collective::barrier, ranks, 0, 0).nodes;
  return is_cyclic ? cyclic(nodes) : nodes;
}

}  // namespace quadrille::command
