// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "problem/limits.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// Throws Error{too_large} if a size reaches the limit, or is missing because computing it overflowed.
Bytes checked(std::optional<Bytes> bytes) {
  if (bytes && *bytes < data_limit) return *bytes;
  throw Error(ErrorCode::too_large,
              "the data of all ranks together reaches 2^62 bytes; make the blocks or the number of ranks smaller");
}

Bytes bytes_of(const BufferContents& contents, const Problem& problem, Rank rank) {
  if (!has(contents, problem, rank)) return 0;
  return contents.holding == Holding::one ? share_bytes(problem, rank) : share_offset(problem, problem.ranks);
}

void check_counts(const Problem& problem) {
  const bool matrix = has_pair_counts(problem.collective);
  if (problem.sparse_counts) {  // sparse counts were checked when they were made
    if (!matrix)
      throw Error(ErrorCode::misuse, fmt::format("{} has a count for each rank, not for pairs", name(problem.collective)));
    if (problem.counts) throw Error(ErrorCode::misuse, "the counts are given twice, dense and sparse");
    if (problem.sparse_counts->ranks() != problem.ranks)
      throw Error(ErrorCode::misuse, fmt::format("{} among {} has counts for {}", name(problem.collective),
                                                 counted(problem.ranks, "rank"), problem.sparse_counts->ranks()));
    return;
  }
  const Count wanted = matrix ? checked(checked_product(problem.ranks, problem.ranks)) : problem.ranks;
  const Count given = problem.counts ? size(*problem.counts) : 0;
  if (given != wanted)
    throw Error(ErrorCode::misuse, fmt::format("{} among {} needs {} counts, not {}", name(problem.collective),
                                               counted(problem.ranks, "rank"), wanted, given));
  Bytes total = 0;
  for (const Bytes count : *problem.counts) {
    if (count < 0) throw Error(ErrorCode::misuse, fmt::format("a count is {} bytes; counts are 0 or more", count));
    if (is_reduction(problem.collective) && count % problem.element_bytes != 0)
      throw Error(ErrorCode::misuse,
                  fmt::format("a count of {} bytes is no multiple of the element size, {} bytes", count, problem.element_bytes));
    total = checked(checked_sum(total, count));
  }
  if (!matrix) checked(checked_product(total, problem.ranks));  // for allgatherv, in which every rank receives all shares
}

}  // namespace

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
  checked(problem.block_bytes);  // checked before the element size, because callers give the largest number if a product overflows
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
      throw Error(ErrorCode::misuse, fmt::format("the grid has {} places for {}", *product, counted(problem.ranks, "rank")));
  }
  if (is_irregular(problem.collective)) return check_counts(problem);
  const Bytes one_per_rank = checked(checked_product(problem.block_bytes, problem.ranks));
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (every_rank_has_all(facts.input) || every_rank_has_all(facts.output)) checked(checked_product(one_per_rank, problem.ranks));
}

Bytes input_bytes(const Problem& problem, Rank rank) {
  if (has_pair_counts(problem.collective)) return Traffic(problem).sent_bytes(rank);
  return bytes_of(facts_of(problem.collective).input, problem, rank);
}

Bytes output_bytes(const Problem& problem, Rank rank) {
  if (has_pair_counts(problem.collective)) return Traffic(problem).received_bytes(rank);
  return bytes_of(facts_of(problem.collective).output, problem, rank);
}

std::vector<ExpectedPiece> expected_output(const Problem& problem, Rank rank) {
  std::vector<ExpectedPiece> pieces;
  Bytes offset = 0;
  const auto append = [&](Bytes length, Rank first, Rank last, Bytes input_offset) {
    if (length > 0) pieces.push_back({offset, length, first, last, input_offset});
    offset += length;
  };
  if (has_pair_counts(problem.collective)) {
    for (const Share& share : Traffic(problem).received_by(rank))
      append(share.bytes, share.peer, share.peer, Traffic(problem).input_offset(share.peer, rank));
    return pieces;
  }
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (!has(facts.output, problem, rank)) return {};
  const Bytes input_offset = facts.input.holding == Holding::all ? share_offset(problem, rank) : 0;
  if (facts.output.holding == Holding::all) {
    for (Rank from = 0; from < problem.ranks; ++from) append(share_bytes(problem, from), from, from, input_offset);
  } else {
    const OperandRange operands = facts.operands(problem, rank);
    append(share_bytes(problem, rank), operands.first, operands.last, input_offset);
  }
  return pieces;
}

bool moves_the_same(const Problem& one, const Problem& other) {
  Problem placed = one;
  placed.nodes = other.nodes;
  placed.grid = other.grid;
  placed.element_bytes = other.element_bytes;
  placed.commutative = other.commutative;
  placed.reproducible = other.reproducible;
  if (!has_pair_counts(one.collective) || !has_pair_counts(other.collective) || one.ranks != other.ranks)
    return is_same(placed, other);
  const Traffic first(one), second(other);
  for (Rank rank = 0; rank < one.ranks; ++rank)
    if (first.sent_by(rank) != second.sent_by(rank)) return false;
  return true;
}

}  // namespace quadrille
