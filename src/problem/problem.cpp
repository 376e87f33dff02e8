// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

struct Trait {
  Collective collective;
  std::string_view name, summary;
  bool rooted, reduction, irregular;
};

constexpr std::array<Trait, 16> traits{{
    {Collective::alltoall, "alltoall", "every rank gives every rank a block of its own", false, false, false},
    {Collective::alltoallv, "alltoallv", "every rank gives every rank a block of its own, of any size", false, false, true},
    {Collective::allgather, "allgather", "every rank ends with the blocks of all", false, false, false},
    {Collective::allgatherv, "allgatherv", "every rank ends with the shares of all, of any sizes", false, false, true},
    {Collective::broadcast, "broadcast", "every rank ends with the root's vector", true, false, false},
    {Collective::reduce, "reduce", "the root ends with the combination of all vectors", true, true, false},
    {Collective::allreduce, "allreduce", "every rank ends with the combination of all vectors", false, true, false},
    {Collective::reduce_scatter, "reduce_scatter",
     "the vectors of all are combined, and every rank ends with its block of the result", false, true, false},
    {Collective::reduce_scatterv, "reduce_scatterv",
     "the vectors of all are combined, and every rank ends with its share of the result, of any size", false, true, true},
    {Collective::scan, "scan", "rank i ends with the combination of the vectors of ranks 0 to i", false, true, false},
    {Collective::exscan, "exscan", "rank i ends with the combination of the vectors of ranks 0 to i - 1, and rank 0 with nothing",
     false, true, false},
    {Collective::scatter, "scatter", "every rank ends with its block of the root's", true, false, false},
    {Collective::scatterv, "scatterv", "every rank ends with its share of the root's, of any size", true, false, true},
    {Collective::gather, "gather", "the root ends with the blocks of all", true, false, false},
    {Collective::gatherv, "gatherv", "the root ends with the shares of all, of any sizes", true, false, true},
    {Collective::barrier, "barrier", "nobody leaves before all have come", false, false, false},
}};

const Trait& trait(Collective collective) { return traits[static_cast<std::size_t>(collective)]; }

Bytes share(const Problem& problem, Rank rank) {
  return is_irregular(problem.collective) ? (*problem.counts)[static_cast<std::size_t>(rank)] : problem.block_bytes;
}

Bytes shares_before(const Problem& problem, Rank rank) {
  if (!is_irregular(problem.collective)) return rank * problem.block_bytes;
  return std::accumulate(problem.counts->begin(), problem.counts->begin() + rank, Bytes{0});
}

// Adds with a check: the sum of sizes is what overflows, never a single field.
Bytes add(Bytes a, Bytes b) {
  Bytes sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    throw Error(ErrorCode::too_large,
                "the data of all ranks together reaches 2^63 bytes; make the blocks or the number of ranks smaller");
  return sum;
}

Bytes multiply(Bytes a, Bytes b) {
  Bytes product = 0;
  if (__builtin_mul_overflow(a, b, &product)) add(std::numeric_limits<Bytes>::max(), 1);
  return product;
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
  const Count wanted = matrix ? multiply(problem.ranks, problem.ranks) : problem.ranks;
  const Count given = problem.counts ? static_cast<Count>(problem.counts->size()) : 0;
  if (given != wanted)
    throw Error(ErrorCode::misuse,
                fmt::format("{} among {} ranks needs {} counts, not {}", name(problem.collective), problem.ranks, wanted, given));
  Bytes total = 0;
  for (const Bytes count : *problem.counts) {
    if (count < 0) throw Error(ErrorCode::misuse, fmt::format("a count is {} bytes; counts are 0 or more", count));
    if (is_reduction(problem.collective) && count % problem.element_bytes != 0)
      throw Error(ErrorCode::misuse,
                  fmt::format("a count of {} bytes is no multiple of the element size, {} bytes", count, problem.element_bytes));
    total = add(total, count);
  }
  if (!matrix) multiply(total, problem.ranks);  // allgatherv: every rank ends with all shares
}

}  // namespace

std::string_view name(Collective collective) { return trait(collective).name; }
std::string_view summary(Collective collective) { return trait(collective).summary; }
bool is_rooted(Collective collective) { return trait(collective).rooted; }
bool is_reduction(Collective collective) { return trait(collective).reduction; }
bool is_irregular(Collective collective) { return trait(collective).irregular; }

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

Rank tree_split(Rank first, Rank last) {
  return first + static_cast<Rank>(std::bit_floor(static_cast<std::uint64_t>(last - first)));
}

Combining required_combining(const Problem& problem) {
  if (problem.reproducible) return Combining::fixed_tree;
  return problem.commutative ? Combining::any_order : Combining::rank_order;
}

Problem alltoall(Count ranks, Bytes block_bytes) {
  Problem problem;
  problem.collective = Collective::alltoall;
  problem.ranks = ranks;
  problem.block_bytes = block_bytes;
  check(problem);
  return problem;
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
  if (!problem.nodes.empty() && static_cast<Count>(problem.nodes.size()) != problem.ranks)
    throw Error(ErrorCode::misuse,
                fmt::format("{} ranks have {} nodes; name one node for each rank", problem.ranks, problem.nodes.size()));
  if (!problem.grid.empty()) {
    Count product = 1;
    for (const Count side : problem.grid) {
      if (side < 1) throw Error(ErrorCode::misuse, fmt::format("a side of the grid is {}; sides are 1 or more", side));
      if (__builtin_mul_overflow(product, side, &product))
        throw Error(ErrorCode::misuse, fmt::format("the grid has more places than there are ranks, {}", problem.ranks));
    }
    if (product != problem.ranks)
      throw Error(ErrorCode::misuse, fmt::format("the grid has {} places for {} ranks", product, problem.ranks));
  }
  if (is_irregular(problem.collective)) return check_counts(problem);
  const Bytes one_per_rank = multiply(problem.block_bytes, problem.ranks);
  const bool all_from_all = problem.collective == Collective::alltoall || problem.collective == Collective::allgather ||
                            problem.collective == Collective::reduce_scatter;
  if (all_from_all) multiply(one_per_rank, problem.ranks);
}

Bytes input_bytes(const Problem& problem, Rank rank) {
  const Count p = problem.ranks;
  switch (problem.collective) {
    case Collective::alltoall:
    case Collective::reduce_scatter: return p * problem.block_bytes;
    case Collective::alltoallv: return Traffic(problem).sent_bytes(rank);
    case Collective::broadcast: return rank == problem.root ? problem.block_bytes : 0;
    case Collective::scatter:
    case Collective::scatterv: return rank == problem.root ? shares_before(problem, p) : 0;
    case Collective::reduce_scatterv: return shares_before(problem, p);
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::gather:
    case Collective::gatherv: return share(problem, rank);
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan: return problem.block_bytes;
    case Collective::barrier: return 0;
  }
  return 0;
}

Bytes output_bytes(const Problem& problem, Rank rank) {
  const Count p = problem.ranks;
  switch (problem.collective) {
    case Collective::alltoall:
    case Collective::allgather: return p * problem.block_bytes;
    case Collective::alltoallv: return Traffic(problem).received_bytes(rank);
    case Collective::allgatherv: return shares_before(problem, p);
    case Collective::gather:
    case Collective::gatherv: return rank == problem.root ? shares_before(problem, p) : 0;
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::reduce_scatter:
    case Collective::reduce_scatterv: return share(problem, rank);
    case Collective::reduce: return rank == problem.root ? problem.block_bytes : 0;
    case Collective::broadcast:
    case Collective::allreduce:
    case Collective::scan: return problem.block_bytes;
    case Collective::exscan: return rank == 0 ? 0 : problem.block_bytes;
    case Collective::barrier: return 0;
  }
  return 0;
}

std::vector<ExpectedPiece> expected_output(const Problem& problem, Rank rank) {
  const Count p = problem.ranks;
  std::vector<ExpectedPiece> pieces;
  Bytes offset = 0;
  const auto append = [&](Bytes length, Rank first, Rank last, Bytes input_offset) {
    if (length > 0) pieces.push_back({offset, length, first, last, input_offset});
    offset += length;
  };
  switch (problem.collective) {
    case Collective::alltoall:
      for (Rank from = 0; from < p; ++from) append(problem.block_bytes, from, from, rank * problem.block_bytes);
      break;
    case Collective::alltoallv:
      for (const Share& share : Traffic(problem).received_by(rank))
        append(share.bytes, share.peer, share.peer, Traffic(problem).input_offset(share.peer, rank));
      break;
    case Collective::allgather:
    case Collective::allgatherv:
      for (Rank from = 0; from < p; ++from) append(share(problem, from), from, from, 0);
      break;
    case Collective::gather:
    case Collective::gatherv:
      if (rank == problem.root)
        for (Rank from = 0; from < p; ++from) append(share(problem, from), from, from, 0);
      break;
    case Collective::scatter:
    case Collective::scatterv: append(share(problem, rank), problem.root, problem.root, shares_before(problem, rank)); break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatterv: append(share(problem, rank), 0, p - 1, shares_before(problem, rank)); break;
    case Collective::broadcast: append(problem.block_bytes, problem.root, problem.root, 0); break;
    case Collective::reduce:
      if (rank == problem.root) append(problem.block_bytes, 0, p - 1, 0);
      break;
    case Collective::allreduce: append(problem.block_bytes, 0, p - 1, 0); break;
    case Collective::scan: append(problem.block_bytes, 0, rank, 0); break;
    case Collective::exscan:
      if (rank > 0) append(problem.block_bytes, 0, rank - 1, 0);
      break;
    case Collective::barrier: break;
  }
  return pieces;
}

}  // namespace quadrille
