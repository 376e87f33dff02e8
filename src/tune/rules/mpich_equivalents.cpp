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

bool fits_pieces(const Problem& problem) {
  return std::all_of(problem.counts->begin(), problem.counts->end(), [](Bytes bytes) { return bytes <= 32768; });
}

constexpr Equivalent table[] = {
    {alltoall, "brucks", "bruck:radix=2"},
    {alltoall, "pairwise", "xor", has_power_of_two},
    {alltoall, "pairwise", "shift"},
    {alltoall, "scattered", "scattered"},
    {alltoallv, "scattered", "direct"},
    {allgather, "brucks", "concatenation"},
    {allgather, "recursive_doubling", "recursive-doubling"},
    {allgather, "ring", "ring"},
    {allgatherv, "ring", "ring", fits_pieces},
    {allgatherv, "ring", "", nullptr, "the table has no ring that passes shares on in pieces of 32 KiB"},
    {broadcast, "binomial", "binomial"},
    {broadcast, "scatter_recursive_doubling_allgather", "scatter-allgather:gather=recursive-doubling"},
    {broadcast, "scatter_ring_allgather", "scatter-allgather:gather=ring"},
    {broadcast, "release_gather", "", nullptr, by_shared_memory},
    {broadcast, "smp", "", nullptr, by_nodes},
    {broadcast, "composition_alpha", "", nullptr, by_nodes},
    {broadcast, "composition_beta", "", nullptr, by_nodes},
    {reduce, "binomial", "binomial"},
    {reduce, "reduce_scatter_gather", "rabenseifner"},
    {reduce, "release_gather", "", nullptr, by_shared_memory},
    {reduce, "smp", "", nullptr, by_nodes},
    {reduce, "composition_alpha", "", nullptr, by_nodes},
    {reduce, "composition_beta", "", nullptr, by_nodes},
    {allreduce, "recursive_doubling", "recursive-doubling"},
    {allreduce, "reduce_scatter_allgather", "rabenseifner"},
    {allreduce, "release_gather", "", nullptr, by_shared_memory},
    {allreduce, "smp", "", nullptr, by_nodes},
    {allreduce, "composition_alpha", "", nullptr, by_nodes},
    {reduce_scatter, "recursive_halving", "recursive-halving"},
    {reduce_scatter, "pairwise", "shift"},
    {reduce_scatter, "recursive_doubling", "recursive-doubling"},
    {reduce_scatter, "noncommutative", "recursive-halving:first=near", has_power_of_two},
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
  return equivalent_in(table, problem, algorithm);
}

}  // namespace quadrille
