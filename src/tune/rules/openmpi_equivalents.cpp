// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's algorithms as rows of our table. Its trees take neither segments nor a fan-out from the rules: vectors are whole, and
// chains have a fan-out of 1. The defaults of our tree and knomial are its fan-out of 2 and its radix of 4, where there are ranks
// enough.
#include <string>
#include <vector>

#include "collectives/spreading/two_parts.hpp"
#include "quadrille/algorithm.hpp"
#include "tune/rules/equivalents.hpp"
#include "tune/rules/openmpi_choice.hpp"

namespace quadrille {
namespace {

using enum Collective;

bool has_two_bytes(const Problem& problem) { return problem.block_bytes >= 2; }

constexpr Equivalent openmpi_table[] = {
    {alltoall, "linear", "direct"},
    {alltoall, "pairwise", "shift"},
    {alltoall, "modified_bruck", "bruck:radix=2"},
    {alltoall, "linear_sync", "direct"},  // without a limit, as by default, all messages are under way at once
    {alltoall, "two_proc", "direct"},
    {alltoallv, "basic_linear", "direct:window={p-1}"},
    {alltoallv, "pairwise", "shift"},
    {allgather, "bruck", "concatenation"},
    {allgather, "recursive_doubling", "recursive-doubling", has_power_of_two},
    {allgather, "recursive_doubling", "concatenation"},
    {allgather, "ring", "ring"},
    {allgather, "neighbor", "neighbor-exchange", has_even},
    {allgather, "neighbor", "ring"},
    {allgather, "two_proc", "direct"},
    {broadcast, "basic_linear", "linear"},
    {broadcast, "chain", "chain:segments=1"},
    {broadcast, "pipeline", "chain:segments=1"},
    {broadcast, "split_binary_tree", "split-tree", has_two_bytes},
    {broadcast, "split_binary_tree", "chain:segments=1"},
    {broadcast, "binary_tree", "tree:segments=1"},
    {broadcast, "binomial", "knomial:radix=2,first=near"},
    {broadcast, "knomial", "knomial"},
    {broadcast, "scatter_allgather", "scatter-allgather:gather=recursive-doubling:passing=yes", fills_all_shares},
    {broadcast, "scatter_allgather", "", has_element_for_each, empty_share},
    {broadcast, "scatter_allgather", "linear"},
    {broadcast, "scatter_allgather_ring", "scatter-allgather:gather=ring", fills_all_shares},
    {broadcast, "scatter_allgather_ring", "", has_element_for_each, empty_share},
    {broadcast, "scatter_allgather_ring", "linear"},
    {reduce, "linear", "linear"},
    {reduce, "chain", "tree:fan-out=1,segments=1"},
    {reduce, "pipeline", "tree:fan-out=1,segments=1"},
    {reduce, "binary", "tree:segments=1"},
    {reduce, "binomial", "binomial"},
    {reduce, "in-order_binary", "in-order-tree"},
    {reduce, "rabenseifner", "rabenseifner:fold=halves", can_halve},
    {reduce, "rabenseifner", "linear"},
    {allreduce, "basic_linear", "reduce-broadcast:reduce=linear,broadcast=linear"},
    {allreduce, "recursive_doubling", "recursive-doubling"},
    {allreduce, "ring", "ring", has_element_for_each},
    {allreduce, "ring", "recursive-doubling"},
    {allreduce, "segmented_ring", "ring", has_element_for_each},  // without a size of segments they are the shares
    {allreduce, "segmented_ring", "recursive-doubling"},
    {allreduce, "rabenseifner", "rabenseifner:fold=halves", can_halve},
    {allreduce, "rabenseifner", "reduce-broadcast:reduce=linear,broadcast=linear"},
    {reduce_scatter, "recursive_doubling", "group-doubling"},
    {reduce_scatter, "recursive_halving", "recursive-halving"},
    {reduce_scatter, "butterfly", "recursive-halving:first=near", has_power_of_two},
    {reduce_scatter, "butterfly", "butterfly"},
    {reduce_scatterv, "butterfly", "butterfly"},
    {reduce_scatter, "ring", "ring"},
    {scan, "linear", "chain:segments=1"},
    {scan, "recursive_doubling", "recursive-doubling"},
    {exscan, "linear", "chain:segments=1"},
    {exscan, "recursive_doubling", "recursive-doubling"},
    {scatter, "basic_linear", "linear"},
    {scatter, "linear", "linear"},
    {scatter, "linear_nb", "linear"},
    {scatter, "binomial", "binomial"},
    {gather, "basic_linear", "linear"},
    {gather, "linear", "linear"},
    {gather, "binomial", "binomial"},
    {gather, "linear_sync", "linear-sync"},
    {barrier, "linear", "linear"},
    {barrier, "double_ring", "double-ring"},
    {barrier, "recursive_doubling", "recursive-doubling"},
    {barrier, "bruck", "dissemination"},
    {barrier, "two_proc", "dissemination"},
    {barrier, "tree", "binomial"},
};

// Open MPI's algorithms of two parts, which are whatever it takes for each of them.
struct Composed {
  Collective collective;
  std::string_view algorithm;  // Open MPI's name
  std::string_view ours;
};

constexpr Composed all_composed[] = {
    {allreduce, "nonoverlapping", "reduce-broadcast"},
    {allgather, "linear", "gather-broadcast"},
    {allgatherv, "default", "gather-broadcast"},
    {reduce_scatter, "basic_linear", "reduce-then-scatter"},
    {reduce_scatterv, "non-overlapping", "reduce-then-scatter"},
};

Result<std::string> equivalent_of_parts(const Problem& problem, std::string_view ours) {
  const RootedParts parts = rooted_parts(problem);
  std::vector<std::string> texts;
  for (const Problem& part : {parts.first, parts.second}) {
    auto text = equivalent_in(openmpi_table, part, *openmpi_algorithm(part));
    if (!text) return text;
    texts.push_back(std::move(*text));
  }
  return rooted_specification(problem, ours, texts[0], texts[1]);
}

}  // namespace

Result<std::string> openmpi_equivalent(const Problem& problem, std::string_view algorithm) {
  for (const Composed& row : all_composed)
    if (row.collective == problem.collective && row.algorithm == algorithm) return equivalent_of_parts(problem, row.ours);
  return equivalent_in(openmpi_table, problem, algorithm);
}

}  // namespace quadrille
