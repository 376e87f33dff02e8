// SPDX-License-Identifier: BSD-3-Clause
// MPICH's algorithms as rows of our table. Its window of 32 messages is the default of our scattered and direct, where there are
// ranks enough.
#include <algorithm>

#include "tune/rules/equivalents.hpp"
#include "tune/rules/mpich_choice.hpp"

namespace quadrille {
namespace {

using enum Collective;

constexpr std::string_view by_shared_memory = "MPICH sends no messages here: the ranks of a node copy through shared memory";
constexpr std::string_view by_nodes = "MPICH sends messages between nodes and copies through shared memory inside nodes";

constexpr std::string_view needs_power_of_two = "MPICH needs a power of two of ranks for it, and takes another one";
constexpr std::string_view cannot_halve =
    "MPICH needs an operator that commutes and an element for each rank, and takes another one";

bool can_double_shares(const Problem& problem) { return has_power_of_two(problem) && fills_all_shares(problem); }

bool fits_pieces(const Problem& problem) {
  return std::all_of(problem.counts->begin(), problem.counts->end(), [](Bytes bytes) { return bytes <= 32768; });
}

constexpr Equivalent mpich_table[] = {
    {alltoall, "brucks", "bruck:radix=2"},
    {alltoall, "pairwise", "xor", has_power_of_two},
    {alltoall, "pairwise", "shift"},
    {alltoall, "scattered", "scattered"},
    {alltoallv, "scattered", "direct"},
    {allgather, "brucks", "concatenation"},
    {allgather, "recursive_doubling", "recursive-doubling", has_power_of_two},
    {allgather, "recursive_doubling", "", nullptr, needs_power_of_two},
    {allgather, "ring", "ring"},
    {allgatherv, "ring", "ring", fits_pieces},
    {allgatherv, "ring", "", nullptr, "the table has no ring that passes shares on in pieces of 32 KiB"},
    {broadcast, "binomial", "binomial"},
    {broadcast, "scatter_recursive_doubling_allgather", "scatter-allgather:gather=recursive-doubling", can_double_shares},
    {broadcast, "scatter_recursive_doubling_allgather", "", has_power_of_two, empty_share},
    {broadcast, "scatter_recursive_doubling_allgather", "", nullptr, needs_power_of_two},
    {broadcast, "scatter_ring_allgather", "scatter-allgather:gather=ring", fills_all_shares},
    {broadcast, "scatter_ring_allgather", "", nullptr, empty_share},
    {broadcast, "release_gather", "", nullptr, by_shared_memory},
    {broadcast, "smp", "", nullptr, by_nodes},
    {broadcast, "composition_alpha", "", nullptr, by_nodes},
    {broadcast, "composition_beta", "", nullptr, by_nodes},
    {reduce, "binomial", "binomial"},
    {reduce, "reduce_scatter_gather", "rabenseifner", can_halve},
    {reduce, "reduce_scatter_gather", "", nullptr, cannot_halve},
    {reduce, "release_gather", "", nullptr, by_shared_memory},
    {reduce, "smp", "", nullptr, by_nodes},
    {reduce, "composition_alpha", "", nullptr, by_nodes},
    {reduce, "composition_beta", "", nullptr, by_nodes},
    {allreduce, "recursive_doubling", "recursive-doubling"},
    {allreduce, "reduce_scatter_allgather", "rabenseifner", can_halve},
    {allreduce, "reduce_scatter_allgather", "", nullptr, cannot_halve},
    {allreduce, "release_gather", "", nullptr, by_shared_memory},
    {allreduce, "smp", "", nullptr, by_nodes},
    {allreduce, "composition_alpha", "", nullptr, by_nodes},
    {reduce_scatter, "recursive_halving", "recursive-halving"},
    {reduce_scatter, "pairwise", "shift"},
    {reduce_scatter, "recursive_doubling", "group-doubling"},
    {reduce_scatter, "noncommutative", "recursive-halving:first=near", has_power_of_two},
    {reduce_scatter, "noncommutative", "", nullptr, needs_power_of_two},
    {scan, "recursive_doubling", "recursive-doubling"},
    {scan, "smp", "", nullptr, by_nodes},
    {scan, "composition_alpha", "", nullptr, by_nodes},
    {exscan, "recursive_doubling", "recursive-doubling"},
    {scatter, "binomial", "binomial"},
    {scatter, "linear", "linear"},
    {gather, "binomial", "binomial"},
    {gather, "linear", "linear"},
    {barrier, "dissemination", "dissemination"},
    {barrier, "release_gather", "", nullptr, by_shared_memory},
    {barrier, "smp", "", nullptr, by_nodes},
    {barrier, "composition_alpha", "", nullptr, by_nodes},
};

}  // namespace

Result<std::string> mpich_equivalent(const Problem& problem, std::string_view algorithm) {
  return equivalent_in(mpich_table, problem, algorithm);
}

}  // namespace quadrille
