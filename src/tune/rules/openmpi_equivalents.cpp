// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's algorithms as rows of our table. Its trees take neither segments nor a fan-out from the rules: vectors are whole, and
// chains have a fan-out of 1. The defaults of our tree and knomial are its fan-out of 2 and its radix of 4, where there are ranks
// enough.
#include <fmt/format.h>

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "tune/rules/equivalents.hpp"
#include "tune/rules/openmpi_choice.hpp"

namespace quadrille {
namespace {

using enum Collective;

constexpr std::string_view gather_then_broadcast = "the table has no gather and then broadcast, each by an algorithm of its own";
constexpr std::string_view reduce_then_scatter = "the table has no reduction and then scatter, each by an algorithm of its own";
constexpr std::string_view more_than_hypercube = "the table's hypercube omits messages that Open MPI sends";
constexpr std::string_view empty_share = "the table's scatter-allgather leaves no share empty";

// Open MPI's shares of a vector have the same length, rounded up, so the last ones may be empty.
bool fills_all_shares(const Problem& problem) {
  const Count share = (elements_of(problem) + problem.ranks - 1) / problem.ranks;
  return has_element_for_each(problem) && (problem.ranks - 1) * share < elements_of(problem);
}

constexpr Equivalent table[] = {
    {alltoall, "linear", "direct"},
    {alltoall, "pairwise", "shift"},
    {alltoall, "modified_bruck", "bruck:radix=2"},
    {alltoall, "linear_sync", "direct"},  // without a limit, as by default, all messages are under way at once
    {alltoall, "two_proc", "direct"},
    {alltoallv, "basic_linear", "direct:window={p-1}"},
    {alltoallv, "pairwise", "shift"},
    {allgather, "linear", "", nullptr, gather_then_broadcast},
    {allgatherv, "default", "", nullptr, gather_then_broadcast},
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
    {broadcast, "split_binary_tree", "", nullptr, "the table has no broadcast of both halves of a vector down a binary tree"},
    {broadcast, "binary_tree", "tree:segments=1"},
    {broadcast, "binomial", "knomial:radix=2,first=near"},
    {broadcast, "knomial", "knomial"},
    {broadcast, "scatter_allgather", "scatter-allgather:gather=recursive-doubling", fills_all_shares},
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
    {reduce, "in-order_binary", "", nullptr, "the table has no reduction up a binary tree in the order of ranks"},
    {reduce, "rabenseifner", "", can_halve,
     "the table has no reduce_scatter by halving, near partners first, with a gather backwards"},
    {reduce, "rabenseifner", "linear"},
    {allreduce, "basic_linear", "reduce-broadcast:reduce=linear,broadcast=linear"},
    {allreduce, "recursive_doubling", "recursive-doubling"},
    {allreduce, "ring", "ring", has_element_for_each},
    {allreduce, "ring", "recursive-doubling"},
    {allreduce, "segmented_ring", "ring", has_element_for_each},  // without a size of segments they are the shares
    {allreduce, "segmented_ring", "recursive-doubling"},
    {allreduce, "rabenseifner", "reduce-scatter-allgather:scatter=recursive-halving:first=near,gather=recursive-doubling:first=far",
     can_halve},
    {allreduce, "rabenseifner", "reduce-broadcast:reduce=linear,broadcast=linear"},
    {reduce_scatter, "basic_linear", "", nullptr, reduce_then_scatter},
    {reduce_scatterv, "non-overlapping", "", nullptr, reduce_then_scatter},
    {reduce_scatter, "recursive_doubling", "", nullptr,
     "the table has no exchange of whole partial results that ends in a scatter"},
    {reduce_scatter, "recursive_halving", "recursive-halving"},
    {reduce_scatter, "butterfly", "recursive-halving:first=near", has_power_of_two},
    {reduce_scatter, "butterfly", "", nullptr, "the table has no butterfly among a number of ranks that is no power of two"},
    {reduce_scatterv, "butterfly", "", nullptr, "the table has no butterfly that ends in an exchange of shares"},
    {reduce_scatter, "ring", "ring"},
    {scan, "linear", "chain:segments=1"},
    {scan, "recursive_doubling", "", nullptr, more_than_hypercube},
    {exscan, "linear", "chain:segments=1"},
    {exscan, "recursive_doubling", "", nullptr, more_than_hypercube},
    {scatter, "basic_linear", "linear"},
    {scatter, "linear", "linear"},
    {scatter, "linear_nb", "linear"},
    {scatter, "binomial", "binomial"},
    {gather, "basic_linear", "linear"},
    {gather, "linear", "linear"},
    {gather, "binomial", "binomial"},
    {gather, "linear_sync", "", nullptr, "the table has no linear gather in which the root asks each rank for its block"},
    {barrier, "linear", "linear"},
    {barrier, "double_ring", "", nullptr, "the table has no barrier that goes around a ring twice"},
    {barrier, "recursive_doubling", "recursive-doubling"},
    {barrier, "bruck", "dissemination"},
    {barrier, "two_proc", "dissemination"},
    {barrier, "tree", "binomial"},
};

// Open MPI's reduction and broadcast of this size, as parameters of our reduce-broadcast.
Result<std::string> reduce_then_broadcast(const Problem& problem) {
  std::string text = "reduce-broadcast";
  for (const Collective collective : {reduce, broadcast}) {
    Problem part = problem;
    part.collective = collective;
    const std::string algorithm = *openmpi_algorithm(part);
    auto ours = equivalent_in(table, part, algorithm);
    const auto& words = find_algorithm(allreduce, "reduce-broadcast")->parameters[collective == reduce ? 0 : 1].choices;
    if (!ours || std::find(words.begin(), words.end(), *ours) == words.end())
      return cannot(fmt::format("the table's reduce-broadcast does not have Open MPI's {} by {}", name(collective), algorithm));
    text += fmt::format("{}{}={}", collective == reduce ? ":" : ",", name(collective), *ours);
  }
  return text;
}

}  // namespace

Result<std::string> openmpi_equivalent(const Problem& problem, std::string_view algorithm) {
  if (problem.collective == allreduce && algorithm == "nonoverlapping") return reduce_then_broadcast(problem);
  return equivalent_in(table, problem, algorithm);
}

}  // namespace quadrille
