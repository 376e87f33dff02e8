// SPDX-License-Identifier: BSD-3-Clause
// The options that describe problems (collective, ranks, sizes, network and so on). All subcommands share them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/counts_file.hpp"
#include "options/option_table.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/traffic_patterns.hpp"

namespace quadrille::command {

// Parses a traffic pattern of --pattern: "spike:64KiB,8B", "sparse:0.1,seed=3", "uniform". `typical` is the size of --block. Throws
// Error{misuse}.
TrafficPattern parse_pattern(const std::string& text, Bytes typical);

// Returns true if patterns of this kind state their sizes, so that --block has no effect.
bool has_own_sizes(TrafficKind kind);

std::string pattern_help();

struct TableCell;  // text.hpp

struct ProblemOptions {
  std::optional<std::string> ranks, block, counts, pattern, root, grid, topology, nodes, node_sizes, operation, type;
  bool reproducible = false, shared_blocks = false;

  void add_to(OptionTable& table);
  bool given() const;               // true if any option describes the problem, apart from its network
  bool given_but_operator() const;  // likewise, apart from its network and operator
  // Returns the numbers of ranks of --ranks. Without --ranks: the number of ranks of the topology, the nodes, the grid or the
  // counts file; without these, `standard`. If `standard` is 0, throws Error{misuse}.
  std::vector<Count> rank_counts(Count standard) const;
  std::vector<Count> placement() const;                                        // the node of each rank; empty: not given
  std::optional<Topology> network() const;                                     // the network of --topology
  bool depends_on_block(Collective collective) const;                          // true if --block changes the problem
  std::vector<Bytes> block_sizes() const;                                      // 8B where --block is not given
  std::vector<Rank> roots(Collective collective, Count rank_count) const;      // 0 where --root is not given
  std::shared_ptr<const Operator> operation_for(Collective collective) const;  // null for collectives that do not reduce
  Problem problem(Collective collective, Count rank_count, Bytes block_bytes, Rank root_rank) const;  // checked
  std::vector<Problem> problems(Collective collective) const;  // one for each combination of ranks, size and root
  // Returns a problem that was read from a file, with the grid and nodes of the network where it has none itself.
  Problem with_network(Problem problem) const;

 private:
  std::vector<Count> sides_of_grid() const;
  Count ranks_of_grid() const;
  CountsFile read_counts(Bytes block_bytes) const;  // of the file that --counts names

  mutable std::optional<Topology> network_;         // made once, because routing takes time and the file may be stdin
  mutable std::optional<std::string> counts_text_;  // read once: it may be stdin
};

TableCell block_cell(const Problem& problem);  // what block_text says (problem/problem_text.hpp), as a cell

}  // namespace quadrille::command
