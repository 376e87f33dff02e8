// SPDX-License-Identifier: BSD-3-Clause
// The table of collectives, in the order of the enumeration. A new collective is a value there and a row here.
#include "problem/collective_facts.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr BufferContents nothing{Holding::nothing}, one{Holding::one}, all{Holding::all}, one_at_root{Holding::one, Holder::root},
    all_at_root{Holding::all, Holder::root}, one_but_first{Holding::one, Holder::all_but_first};

OperandRange the_root(const Problem& problem, Rank) { return {problem.root, problem.root}; }
OperandRange all_ranks(const Problem& problem, Rank) { return {0, problem.ranks - 1}; }
OperandRange up_to_own(const Problem&, Rank rank) { return {0, rank}; }
OperandRange below_own(const Problem&, Rank rank) { return {0, rank - 1}; }

Count everybody(Count ranks) { return ranks; }

BlockRatio one_vector(Count) { return {1, 1}; }
BlockRatio other_blocks(Count ranks) { return {ranks - 1, 1}; }
BlockRatio vector_there_and_back(Count ranks) { return {2 * (ranks - 1), ranks}; }

// A message of a reduction is as long as the part of the result for which it has operands. Its length does not depend on the
// number of operands combined in it. So the bounds for combining vectors are the same as those for distributing vectors.
constexpr CollectiveFacts table[] = {
    {.collective = Collective::alltoall,
     .name = "alltoall",
     .summary = "every rank gives every rank a block of its own",
     .input = all,
     .output = all,
     .bounds = {everybody, "bruck1997, propositions 2.1 and 2.3", other_blocks, "bruck1997, propositions 2.2 and 2.4"}},
    {.collective = Collective::alltoallv,
     .name = "alltoallv",
     .summary = "every rank gives every rank a block of its own, of any size",
     .sizes = SizeSource::pairs,
     .input = all,
     .output = all,
     .bounds = {everybody, "bruck1997, propositions 2.1 and 2.3: a rank and all its partners", other_blocks,
                "a rank sends, or receives, its own on k ports"}},
    {.collective = Collective::allgather,
     .name = "allgather",
     .summary = "every rank ends with the blocks of all",
     .input = one,
     .output = all,
     .bounds = {everybody, "bruck1997, propositions 2.1 and 2.3", other_blocks, "bruck1997, propositions 2.2 and 2.4"}},
    {.collective = Collective::allgatherv,
     .name = "allgatherv",
     .summary = "every rank ends with the shares of all, of any sizes",
     .sizes = SizeSource::shares,
     .input = one,
     .output = all,
     .bounds = {everybody, "bruck1997, proposition 2.3: a share reaches all ranks", other_blocks,
                "bruck1997, proposition 2.4: a rank receives the other shares on k ports"}},
    {.collective = Collective::broadcast,
     .name = "broadcast",
     .summary = "every rank ends with the root's vector",
     .mpi_name = "bcast",
     .input = one_at_root,
     .output = one,
     .operands = the_root,
     .bounds = {everybody, "bruck1997, proposition 2.1: the informed multiply by k + 1 at most", one_vector,
                "a rank receives the vector on k ports"}},
    {.collective = Collective::reduce,
     .name = "reduce",
     .summary = "the root ends with the combination of all vectors",
     .input = one,
     .output = one_at_root,
     .operands = all_ranks,
     .is_reduction = true,
     .bounds = {everybody, "bruck1997, proposition 2.1: the root hears of all ranks", one_vector,
                "the root receives the other ranks' vectors, combined, on k ports"}},
    {.collective = Collective::allreduce,
     .name = "allreduce",
     .summary = "every rank ends with the combination of all vectors",
     .input = one,
     .output = one,
     .operands = all_ranks,
     .is_reduction = true,
     .bounds = {everybody, "bruck1997, proposition 2.3: all ranks hear of all", vector_there_and_back,
                "patarasuk2009: each byte of the vector takes 2 (p - 1) messages, sent by p ranks on k ports"}},
    {.collective = Collective::reduce_scatter,
     .name = "reduce_scatter",
     .summary = "the vectors of all are combined, and every rank ends with its block of the result",
     .mpi_name = "reduce_scatter_block",
     .input = all,
     .output = one,
     .operands = all_ranks,
     .is_reduction = true,
     .bounds = {everybody, "bruck1997, proposition 2.1: the owner of a block hears of all ranks", other_blocks,
                "bruck1997, proposition 2.2: a rank gives to the other p - 1 blocks on k ports"}},
    {.collective = Collective::reduce_scatterv,
     .name = "reduce_scatterv",
     .summary = "the vectors of all are combined, and every rank ends with its share of the result, of any size",
     .mpi_name = "reduce_scatter",
     .sizes = SizeSource::shares,
     .input = all,
     .output = one,
     .operands = all_ranks,
     .is_reduction = true,
     .bounds = {everybody, "bruck1997, proposition 2.1: the owner of a share hears of all ranks", other_blocks,
                "bruck1997, proposition 2.2: a rank gives to the other shares on k ports"}},
    {.collective = Collective::scan,
     .name = "scan",
     .summary = "rank i ends with the combination of the vectors of ranks 0 to i",
     .input = one,
     .output = one,
     .operands = up_to_own,
     .is_reduction = true,
     .is_prefix = true,
     .bounds = {everybody, "bruck1997, proposition 2.1: the last rank hears of all others", one_vector,
                "a rank receives the vectors of those below, combined, on k ports"}},
    {.collective = Collective::exscan,
     .name = "exscan",
     .summary = "rank i ends with the combination of the vectors of ranks 0 to i - 1, and rank 0 with nothing",
     .input = one,
     .output = one_but_first,
     .operands = below_own,
     .is_reduction = true,
     .is_prefix = true,
     .bounds = {everybody, "bruck1997, proposition 2.1: the last rank hears of all others", one_vector,
                "a rank receives the vectors of those below, combined, on k ports"}},
    {.collective = Collective::scatter,
     .name = "scatter",
     .summary = "every rank ends with its block of the root's",
     .input = all_at_root,
     .output = one,
     .operands = the_root,
     .bounds = {everybody, "bruck1997, proposition 2.1: the root reaches, or hears of, all ranks", other_blocks,
                "grama2003: the root sends, or receives, p - 1 blocks on k ports"}},
    {.collective = Collective::scatterv,
     .name = "scatterv",
     .summary = "every rank ends with its share of the root's, of any size",
     .sizes = SizeSource::shares,
     .input = all_at_root,
     .output = one,
     .operands = the_root,
     .bounds = {everybody, "bruck1997, proposition 2.1: the root and all who have a share", other_blocks,
                "grama2003: the root sends, or receives, the other shares on k ports"}},
    {.collective = Collective::gather,
     .name = "gather",
     .summary = "the root ends with the blocks of all",
     .input = one,
     .output = all_at_root,
     .bounds = {everybody, "bruck1997, proposition 2.1: the root reaches, or hears of, all ranks", other_blocks,
                "grama2003: the root sends, or receives, p - 1 blocks on k ports"}},
    {.collective = Collective::gatherv,
     .name = "gatherv",
     .summary = "the root ends with the shares of all, of any sizes",
     .sizes = SizeSource::shares,
     .input = one,
     .output = all_at_root,
     .bounds = {everybody, "bruck1997, proposition 2.1: the root and all who have a share", other_blocks,
                "grama2003: the root sends, or receives, the other shares on k ports"}},
    {.collective = Collective::barrier,
     .name = "barrier",
     .summary = "nobody leaves before all have come",
     .sizes = SizeSource::none,
     .input = nothing,
     .output = nothing,
     .bounds = {.connected_ranks = everybody, .rounds_source = "bruck1997, proposition 2.3: all ranks hear of all"}},
};

constexpr bool rows_are_complete() {
  for (std::size_t i = 0; i < std::size(table); ++i) {
    const CollectiveFacts& row = table[i];
    const bool has_data = row.sizes != SizeSource::none;
    if (static_cast<std::size_t>(row.collective) != i || (row.output.holding != Holding::nothing) != has_data) return false;
    if ((row.operands != nullptr) != (row.output.holding == Holding::one)) return false;
    if (row.bounds.connected_ranks == nullptr || (row.bounds.volume != nullptr) != has_data) return false;
  }
  return true;
}
static_assert(rows_are_complete(), "row i describes the collective whose value is i and leaves nothing out that others rely on");

}  // namespace

const CollectiveFacts& facts_of(Collective collective) { return table[static_cast<std::size_t>(collective)]; }

std::string_view name(Collective collective) { return facts_of(collective).name; }
std::string_view summary(Collective collective) { return facts_of(collective).summary; }

static std::string_view mpi_name(const CollectiveFacts& facts) { return facts.mpi_name.empty() ? facts.name : facts.mpi_name; }
std::string mpi_name(Collective collective) { return std::string(mpi_name(facts_of(collective))); }

std::optional<Collective> collective_of_function(std::string_view function) {
  for (const CollectiveFacts& row : table) {
    const std::string_view own = mpi_name(row);
    const bool is_upper = !function.empty() && function[0] == own[0] - 'a' + 'A';
    if (function == own || (is_upper && function.substr(1) == own.substr(1))) return row.collective;
  }
  return std::nullopt;
}

bool is_rooted(Collective collective) { return is_rooted(facts_of(collective)); }
bool is_reduction(Collective collective) { return facts_of(collective).is_reduction; }
bool is_irregular(Collective collective) {
  const SizeSource sizes = facts_of(collective).sizes;
  return sizes == SizeSource::shares || sizes == SizeSource::pairs;
}
bool has_blocks(Collective collective) { return facts_of(collective).sizes == SizeSource::blocks; }
bool has_pair_counts(Collective collective) { return has_pair_counts(facts_of(collective)); }
bool moves_data(Collective collective) { return facts_of(collective).sizes != SizeSource::none; }

bool every_rank_has_all(const BufferContents& contents) {
  return contents.holding == Holding::all && contents.holder == Holder::every_rank;
}

bool all_depend_on_all(Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  if (is_rooted(collective)) return false;
  return !moves_data(collective) || facts.output.holding == Holding::all || facts.operands == all_ranks;
}

std::optional<Collective> collective_named(std::string_view name) {
  for (const CollectiveFacts& row : table)
    if (row.name == name) return row.collective;
  return std::nullopt;
}

const std::vector<Collective>& all_collectives() {
  static const std::vector<Collective> all = [] {
    std::vector<Collective> list;
    for (const CollectiveFacts& row : table) list.push_back(row.collective);
    return list;
  }();
  return all;
}

bool has(const BufferContents& contents, const Problem& problem, Rank rank) {
  if (contents.holding == Holding::nothing) return false;
  switch (contents.holder) {
    case Holder::root: return rank == problem.root;
    case Holder::all_but_first: return rank > 0;
    case Holder::every_rank: break;
  }
  return true;
}

Bytes share_bytes(const Problem& problem, Rank rank) {
  return is_irregular(problem.collective) ? (*problem.counts)[index(rank)] : problem.block_bytes;
}

Bytes share_offset(const Problem& problem, Rank rank) {
  if (!is_irregular(problem.collective)) return rank * problem.block_bytes;
  return std::accumulate(problem.counts->begin(), problem.counts->begin() + rank, Bytes{0});
}

}  // namespace quadrille
