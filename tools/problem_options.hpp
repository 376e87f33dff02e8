// SPDX-License-Identifier: BSD-3-Clause
// The options that say which problems are meant; the same for all subcommands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "counts_file.hpp"
#include "parser.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/topology.hpp"

namespace quadrille::command {

struct TableCell;  // text.hpp

struct ProblemOptions {
  std::optional<std::string> ranks, block, counts, pattern, root, grid, topology, nodes, node_sizes, operation, type;
  bool reproducible = false;

  void add_to(CLI::App& parser);
  bool given() const;               // is anything said about the problem, its network aside
  bool given_but_operator() const;  // and its operator
  // Where --ranks is not given, those of the topology, the nodes or the file of counts, or else `standard`; 0: it must be given.
  std::vector<Count> rank_counts(Count standard) const;
  std::optional<Topology> network() const;                                     // that --topology names
  bool depends_on_block(Collective collective) const;                          // is a problem another one with another --block?
  std::vector<Bytes> block_sizes() const;                                      // 8B where --block is not given
  std::vector<Rank> roots(Collective collective, Count rank_count) const;      // 0 where --root is not given
  std::shared_ptr<const Operator> operation_for(Collective collective) const;  // null for those that do not reduce
  Problem problem(Collective collective, Count rank_count, Bytes block_bytes, Rank root_rank) const;  // checked
  std::vector<Problem> problems(Collective collective) const;  // all numbers of ranks, all sizes, all roots
  // A problem that a file states, with grid and nodes of the network where it names none.
  Problem with_network(Problem problem) const;

 private:
  std::vector<Count> sides_of_grid() const;
  Count ranks_of_grid() const;
  std::vector<Count> placement() const;             // the node of each rank, by --nodes or --node-sizes; empty: not given
  CountsFile read_counts(Bytes block_bytes) const;  // of the file that --counts names

  mutable std::optional<Topology> network_;         // made once: its ways take time to find, and its file may be stdin
  mutable std::optional<std::string> counts_text_;  // read once: it may be stdin
};

// The size of a problem's blocks, or of its smallest and largest share.
std::string block_text(const Problem& problem);
TableCell block_cell(const Problem& problem);

// The counts of an irregular problem, alltoallv's row by row.
std::vector<Bytes> all_counts(const Problem& problem);

}  // namespace quadrille::command
