// SPDX-License-Identifier: BSD-3-Clause
// MPICH's algorithms as rows of our table.
#include "tune/rules/equivalents.hpp"
#include "tune/rules/mpich_choice.hpp"

namespace quadrille {
namespace {

using enum Collective;

constexpr std::string_view by_shared_memory = "MPICH sends no messages here: the ranks of a node copy through shared memory";
constexpr std::string_view by_nodes = "MPICH sends messages between nodes and copies through shared memory inside nodes";
constexpr std::string_view for_ordered = "the table has no algorithm of MPICH for operators that do not commute";

constexpr Equivalent table[] = {
    {alltoall, "brucks", "bruck:radix=2"},
    {alltoall, "pairwise", "xor", has_power_of_two},
    {alltoall, "pairwise", "shift"},
    {alltoall, "scattered", "scattered:window=32"},
    {alltoallv, "scattered", "direct:window=32"},
    {allgather, "brucks", "concatenation"},
    {allgather, "recursive_doubling", "recursive-doubling"},
    {allgather, "ring", "ring"},
    {broadcast, "binomial", "binomial"},
    {broadcast, "scatter_recursive_doubling_allgather", "scatter-allgather:gather=recursive-doubling"},
    {broadcast, "scatter_ring_allgather", "scatter-allgather:gather=ring"},
    {broadcast, "release_gather", "", nullptr, by_shared_memory},
    {broadcast, "smp", "", nullptr, by_nodes},
    {broadcast, "composition_alpha", "", nullptr, by_nodes},
    {broadcast, "composition_beta", "", nullptr, by_nodes},
    {reduce, "binomial", "binomial"},
    {reduce, "reduce_scatter_gather", "reduce-scatter-gather:scatter=recursive-halving"},
    {reduce, "release_gather", "", nullptr, by_shared_memory},
    {reduce, "smp", "", nullptr, by_nodes},
    {reduce, "composition_alpha", "", nullptr, by_nodes},
    {reduce, "composition_beta", "", nullptr, by_nodes},
    {allreduce, "recursive_doubling", "recursive-doubling"},
    {allreduce, "reduce_scatter_allgather", "reduce-scatter-allgather:scatter=recursive-halving,gather=recursive-doubling"},
    {allreduce, "release_gather", "", nullptr, by_shared_memory},
    {allreduce, "smp", "", nullptr, by_nodes},
    {allreduce, "composition_alpha", "", nullptr, by_nodes},
    {reduce_scatter, "recursive_halving", "recursive-halving"},
    {reduce_scatter, "pairwise", "", nullptr, "the table has no pairwise exchange of operands, one partner in a round"},
    {reduce_scatter, "recursive_doubling", "", nullptr, for_ordered},
    {reduce_scatter, "noncommutative", "", nullptr, for_ordered},
    {scan, "recursive_doubling", "hypercube"},
    {scan, "smp", "", nullptr, by_nodes},
    {scan, "composition_alpha", "", nullptr, by_nodes},
    {exscan, "recursive_doubling", "hypercube"},
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
