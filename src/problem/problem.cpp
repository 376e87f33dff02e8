// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// What a rank gives, or gets: nothing, one share (a block, or the whole vector), or the shares of all.
enum class Holding : std::uint8_t { nothing, one, all };

struct Side {
  Holding holding;
  bool (*has_it)(const Problem&, Rank) = nullptr;  // null: every rank
};

bool is_root(const Problem& problem, Rank rank) { return rank == problem.root; }
bool has_predecessors(const Problem&, Rank rank) { return rank > 0; }

constexpr Side nothing{Holding::nothing}, one{Holding::one}, all{Holding::all}, one_at_root{Holding::one, is_root},
    all_at_root{Holding::all, is_root}, one_but_first{Holding::one, has_predecessors};

struct Trait {
  Collective collective;
  std::string_view name, summary;
  bool reduction, irregular;
  Side input, output;
};

constexpr ByEnum<Collective, Trait, 16> traits{{{
    {Collective::alltoall, "alltoall", "every rank gives every rank a block of its own", false, false, all, all},
    {Collective::alltoallv, "alltoallv", "every rank gives every rank a block of its own, of any size", false, true, all, all},
    {Collective::allgather, "allgather", "every rank ends with the blocks of all", false, false, one, all},
    {Collective::allgatherv, "allgatherv", "every rank ends with the shares of all, of any sizes", false, true, one, all},
    {Collective::broadcast, "broadcast", "every rank ends with the root's vector", false, false, one_at_root, one},
    {Collective::reduce, "reduce", "the root ends with the combination of all vectors", true, false, one, one_at_root},
    {Collective::allreduce, "allreduce", "every rank ends with the combination of all vectors", true, false, one, one},
    {Collective::reduce_scatter, "reduce_scatter",
     "the vectors of all are combined, and every rank ends with its block of the result", true, false, all, one},
    {Collective::reduce_scatterv, "reduce_scatterv",
     "the vectors of all are combined, and every rank ends with its share of the result, of any size", true, true, all, one},
    {Collective::scan, "scan", "rank i ends with the combination of the vectors of ranks 0 to i", true, false, one, one},
    {Collective::exscan, "exscan", "rank i ends with the combination of the vectors of ranks 0 to i - 1, and rank 0 with nothing",
     true, false, one, one_but_first},
    {Collective::scatter, "scatter", "every rank ends with its block of the root's", false, false, all_at_root, one},
    {Collective::scatterv, "scatterv", "every rank ends with its share of the root's, of any size", false, true, all_at_root, one},
    {Collective::gather, "gather", "the root ends with the blocks of all", false, false, one, all_at_root},
    {Collective::gatherv, "gatherv", "the root ends with the shares of all, of any sizes", false, true, one, all_at_root},
    {Collective::barrier, "barrier", "nobody leaves before all have come", false, false, nothing, nothing},
}}};

const Trait& trait(Collective collective) { return traits[collective]; }

Bytes share(const Problem& problem, Rank rank) {
  return is_irregular(problem.collective) ? (*problem.counts)[index(rank)] : problem.block_bytes;
}

Bytes shares_before(const Problem& problem, Rank rank) {
  if (!is_irregular(problem.collective)) return rank * problem.block_bytes;
  return std::accumulate(problem.counts->begin(), problem.counts->begin() + rank, Bytes{0});
}

// The sum of sizes is what overflows, never a single field.
Bytes checked(std::optional<Bytes> bytes) {
  if (bytes) return *bytes;
  throw Error(ErrorCode::too_large,
              "the data of all ranks together reaches 2^63 bytes; make the blocks or the number of ranks smaller");
}

bool has(const Side& side, const Problem& problem, Rank rank) {
  return side.holding != Holding::nothing && (!side.has_it || side.has_it(problem, rank));
}

Bytes bytes_of(const Side& side, const Problem& problem, Rank rank) {
  if (!has(side, problem, rank)) return 0;
  return side.holding == Holding::one ? share(problem, rank) : shares_before(problem, problem.ranks);
}

// Of those that are combined for this rank.
Rank last_operand(const Problem& problem, Rank rank) {
  if (problem.collective == Collective::scan) return rank;
  return problem.collective == Collective::exscan ? rank - 1 : problem.ranks - 1;
}

void check_counts(const Problem& problem) {
  const bool matrix = problem.collective == Collective::alltoallv;
  if (problem.sparse_counts) {  // checks itself
    if (!matrix)
      throw Error(ErrorCode::misuse, fmt::format("{} has a count for each rank, not for pairs", name(problem.collective)));
    if (problem.counts) throw Error(ErrorCode::misuse, "the counts are given twice, dense and sparse");
    if (problem.sparse_counts->ranks() != problem.ranks)
      throw Error(ErrorCode::misuse,
                  fmt::format("alltoallv among {} ranks has counts for {}", problem.ranks, problem.sparse_counts->ranks()));
    return;
  }
  const Count wanted = matrix ? checked(checked_product(problem.ranks, problem.ranks)) : problem.ranks;
  const Count given = problem.counts ? size(*problem.counts) : 0;
  if (given != wanted)
    throw Error(ErrorCode::misuse,
                fmt::format("{} among {} ranks needs {} counts, not {}", name(problem.collective), problem.ranks, wanted, given));
  Bytes total = 0;
  for (const Bytes count : *problem.counts) {
    if (count < 0) throw Error(ErrorCode::misuse, fmt::format("a count is {} bytes; counts are 0 or more", count));
    if (is_reduction(problem.collective) && count % problem.element_bytes != 0)
      throw Error(ErrorCode::misuse,
                  fmt::format("a count of {} bytes is no multiple of the element size, {} bytes", count, problem.element_bytes));
    total = checked(checked_sum(total, count));
  }
  if (!matrix) checked(checked_product(total, problem.ranks));  // allgatherv: every rank ends with all shares
}

}  // namespace

std::string_view name(Collective collective) { return trait(collective).name; }
std::string_view summary(Collective collective) { return trait(collective).summary; }
bool is_rooted(Collective collective) {
  return trait(collective).input.has_it == is_root || trait(collective).output.has_it == is_root;
}
bool is_reduction(Collective collective) { return trait(collective).reduction; }
bool is_irregular(Collective collective) { return trait(collective).irregular; }
bool has_blocks(Collective collective) { return moves_data(collective) && !is_irregular(collective); }
bool moves_data(Collective collective) { return trait(collective).output.holding != Holding::nothing; }

std::optional<Collective> collective_named(std::string_view name) {
  for (const Trait& entry : traits)
    if (entry.name == name) return entry.collective;
  return std::nullopt;
}

const std::vector<Collective>& all_collectives() {
  static const std::vector<Collective> all = [] {
    std::vector<Collective> list;
    for (const Trait& entry : traits) list.push_back(entry.collective);
    return list;
  }();
  return all;
}

Rank tree_split(Rank first, Rank last) { return first + static_cast<Rank>(std::bit_floor(index(last - first))); }

Combining required_combining(const Problem& problem) {
  if (problem.reproducible) return Combining::fixed_tree;
  return problem.commutative ? Combining::any_order : Combining::rank_order;
}

void check(const Problem& problem) {
  if (problem.ranks < 1)
    throw Error(ErrorCode::misuse, fmt::format("the number of ranks is {}; it must be at least 1", problem.ranks));
  if (problem.block_bytes < 0)
    throw Error(ErrorCode::misuse, fmt::format("the block size is {} bytes; it must be 0 or more", problem.block_bytes));
  if (problem.element_bytes < 1)
    throw Error(ErrorCode::misuse, fmt::format("the element size is {} bytes; it must be at least 1", problem.element_bytes));
  if (is_reduction(problem.collective) && problem.block_bytes % problem.element_bytes != 0)
    throw Error(ErrorCode::misuse, fmt::format("a block of {} bytes is no multiple of the element size, {} bytes",
                                               problem.block_bytes, problem.element_bytes));
  if (problem.root < 0 || problem.root >= problem.ranks)
    throw Error(ErrorCode::misuse, fmt::format("the root is {}; ranks are 0 to {}", problem.root, problem.ranks - 1));
  if (!problem.nodes.empty() && size(problem.nodes) != problem.ranks)
    throw Error(ErrorCode::misuse,
                fmt::format("{} ranks have {} nodes; name one node for each rank", problem.ranks, problem.nodes.size()));
  if (!problem.grid.empty()) {
    std::optional<Count> product = 1;
    for (const Count side : problem.grid) {
      if (side < 1) throw Error(ErrorCode::misuse, fmt::format("a side of the grid is {}; sides are 1 or more", side));
      product = checked_product(*product, side);
      if (!product) throw Error(ErrorCode::misuse, fmt::format("the grid has more places than there are ranks, {}", problem.ranks));
    }
    if (product != problem.ranks)
      throw Error(ErrorCode::misuse, fmt::format("the grid has {} places for {} ranks", *product, problem.ranks));
  }
  if (is_irregular(problem.collective)) return check_counts(problem);
  const Bytes one_per_rank = checked(checked_product(problem.block_bytes, problem.ranks));
  const auto every_rank_has_all = [](const Side& side) { return side.holding == Holding::all && !side.has_it; };
  const Side &input = trait(problem.collective).input, &output = trait(problem.collective).output;
  if (every_rank_has_all(input) || every_rank_has_all(output)) checked(checked_product(one_per_rank, problem.ranks));
}

Bytes input_bytes(const Problem& problem, Rank rank) {
  if (problem.collective == Collective::alltoallv) return Traffic(problem).sent_bytes(rank);
  return bytes_of(trait(problem.collective).input, problem, rank);
}

Bytes output_bytes(const Problem& problem, Rank rank) {
  if (problem.collective == Collective::alltoallv) return Traffic(problem).received_bytes(rank);
  return bytes_of(trait(problem.collective).output, problem, rank);
}

std::vector<ExpectedPiece> expected_output(const Problem& problem, Rank rank) {
  std::vector<ExpectedPiece> pieces;
  Bytes offset = 0;
  const auto append = [&](Bytes length, Rank first, Rank last, Bytes input_offset) {
    if (length > 0) pieces.push_back({offset, length, first, last, input_offset});
    offset += length;
  };
  if (problem.collective == Collective::alltoallv) {
    for (const Share& share : Traffic(problem).received_by(rank))
      append(share.bytes, share.peer, share.peer, Traffic(problem).input_offset(share.peer, rank));
    return pieces;
  }
  const Side &input = trait(problem.collective).input, &output = trait(problem.collective).output;
  if (!has(output, problem, rank)) return {};
  const Bytes input_offset = input.holding == Holding::all ? shares_before(problem, rank) : 0;
  if (output.holding == Holding::all)
    for (Rank from = 0; from < problem.ranks; ++from) append(share(problem, from), from, from, input_offset);
  else if (is_reduction(problem.collective))
    append(share(problem, rank), 0, last_operand(problem, rank), input_offset);
  else
    append(share(problem, rank), problem.root, problem.root, input_offset);
  return pieces;
}

}  // namespace quadrille
