// SPDX-License-Identifier: BSD-3-Clause
#include "problem_options.hpp"

#include <fmt/format.h>

#include "arguments.hpp"

namespace quadrille::command {

void ProblemOptions::add_to(CLI::App& parser) {
  parser.add_option("--ranks", ranks, "numbers of ranks: 8, 2..8,16")->type_name("LIST");
  parser.add_option("--block", block, "size of a block with its unit: 8B,1KiB,64KiB (default 8B)")->type_name("SIZES");
  parser.add_option("--root", root, "the root of a rooted collective (default 0)")->type_name("RANK");
  parser.add_option("--grid", grid, "the ranks form a grid: 4x8")->type_name("SIDES");
  parser.add_option("--node-sizes", node_sizes, "ranks of each node, in order: 4,4")->type_name("LIST");
}

std::vector<Count> ProblemOptions::rank_counts(Count standard) const {
  if (ranks) return parse_wholes(*ranks, "the number of ranks", 1);
  if (standard == 0) refuse("say how many ranks: --ranks 8, or a list such as 2..8,16");
  return {standard};
}

std::vector<Bytes> ProblemOptions::block_sizes() const { return parse_sizes(block.value_or("8B")); }

Problem ProblemOptions::problem(Collective collective, Count rank_count, Bytes block_bytes) const {
  Problem problem;
  problem.collective = collective;
  problem.ranks = rank_count;
  problem.block_bytes = block_bytes;
  if (root) {
    if (!is_rooted(collective)) refuse(fmt::format("{} has no root; leave --root out", quadrille::name(collective)));
    problem.root = parse_whole(*root, "the root", 0);
  }
  if (grid)
    for (const std::string_view side : split(*grid, 'x')) problem.grid.push_back(parse_whole(side, "a side of the grid", 1));
  if (node_sizes) {
    Count node = 0;
    for (const Count size : parse_wholes(*node_sizes, "the size of a node", 1)) {
      if (size > rank_count - static_cast<Count>(problem.nodes.size()))
        refuse(fmt::format("the nodes '{}' hold more than {} ranks", *node_sizes, rank_count));
      problem.nodes.insert(problem.nodes.end(), static_cast<std::size_t>(size), node++);
    }
  }
  check(problem);
  return problem;
}

std::vector<Problem> ProblemOptions::problems(Collective collective) const {
  std::vector<Problem> list;
  const auto sizes = block_sizes();
  for (const Count rank_count : rank_counts(0))
    for (const Bytes size : sizes) list.push_back(problem(collective, rank_count, size));
  return list;
}

}  // namespace quadrille::command
