// SPDX-License-Identifier: BSD-3-Clause
#include "tune/audit/guidelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

using enum Collective;

// The buffers of one collective call; by default the caller's.
struct Sides {
  Spot input{Place::input}, output{Place::output};
};

constexpr Spot input{Place::input}, output{Place::output}, first{Place::first}, second{Place::second};

// An operator that merges bytes of which at most one is not zero.
std::shared_ptr<const Operator> either() {
  static const std::shared_ptr<const Operator> operation = built_in_operator("bor", "u8");
  return operation;
}

Bytes block(const Setting& setting) { return setting.problem.block_bytes; }
Count ranks(const Setting& setting) { return setting.problem.ranks; }
Bytes product(Count a, Bytes b) {
  if (const auto bytes = checked_product(a, b)) return *bytes;
  throw Error(ErrorCode::too_large, "the blocks of a mock-up reach 2^63 bytes; make them smaller");
}
Bytes all_blocks(const Setting& setting) { return product(ranks(setting), block(setting)); }
Bytes own_block(const Setting& setting) { return setting.rank * block(setting); }

const std::vector<Bytes>& shares(const Setting& setting) { return *setting.problem.counts; }
Bytes all_shares(const Setting& setting) { return std::accumulate(shares(setting).begin(), shares(setting).end(), Bytes{0}); }
Bytes own_share(const Setting& setting) { return shares(setting)[index(setting.rank)]; }
Bytes own_share_offset(const Setting& setting) {
  return std::accumulate(shares(setting).begin(), shares(setting).begin() + setting.rank, Bytes{0});
}

Problem problem_like(const Setting& setting, Collective collective, const Operator* operation) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks(setting);
  if (is_rooted(collective)) problem.root = setting.problem.root;
  if (is_reduction(collective)) {
    problem.element_bytes = operation->element_bytes;
    problem.commutative = operation->commutative;
  }
  return problem;
}

// A call with blocks of `bytes`. A reduction uses the left side's operator; if the left side has none, it uses `either`.
Call call(const Setting& setting, Collective collective, Bytes bytes, const Sides& sides = {}) {
  std::shared_ptr<const Operator> operation;
  if (is_reduction(collective)) operation = setting.operation ? setting.operation : either();
  Call call{problem_like(setting, collective, operation.get()), operation, sides.input, sides.output};
  call.problem.block_bytes = bytes;
  return call;
}

// A call with one count per rank; for alltoallv, one per pair of ranks.
Call call(const Setting& setting, Collective collective, std::vector<Bytes> counts, const Sides& sides = {}) {
  Call made = call(setting, collective, 0, sides);
  made.problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  return made;
}

std::vector<Bytes> equal_counts(const Setting& setting, Collective collective) {
  return std::vector<Bytes>(index(collective == alltoallv ? ranks(setting) * ranks(setting) : ranks(setting)), block(setting));
}

// Cuts a vector of `bytes` into one part per rank. Parts consist of whole elements.
std::vector<Bytes> parts_of_vector(const Setting& setting) {
  const Bytes element = setting.problem.element_bytes;
  const Count elements = block(setting) / element;
  std::vector<Bytes> parts;
  for (Rank rank = 0; rank < ranks(setting); ++rank)
    parts.push_back((elements / ranks(setting) + (rank < elements % ranks(setting) ? 1 : 0)) * element);
  return parts;
}

// Returns the length of the longest part. p parts of this length may exceed the vector, so an audit makes its buffers long enough
// for p such parts.
Bytes equal_part_of_vector(const Setting& setting) { return parts_of_vector(setting).front(); }

// Counts that give the whole block to the root.
std::vector<Bytes> all_at_root(const Setting& setting) {
  std::vector<Bytes> counts(index(ranks(setting)));
  counts[index(setting.problem.root)] = block(setting);
  return counts;
}

Result<MockUp> mock_up(const Setting& setting, std::vector<Step> steps) { return MockUp{setting.problem, std::move(steps)}; }

template <Collective collective>
Result<MockUp> same_by(const Setting& setting) {
  return mock_up(setting, {call(setting, collective, block(setting))});
}

// A regular collective, run as its irregular form with equal counts.
template <Collective irregular>
Result<MockUp> with_counts(const Setting& setting) {
  return mock_up(setting, {call(setting, irregular, equal_counts(setting, irregular))});
}

// An irregular collective with equal counts, run as its regular form.
template <Collective regular>
Result<MockUp> with_blocks(const Setting& setting) {
  return mock_up(setting, {call(setting, regular, shares(setting).front())});
}

template <Collective irregular>
Result<MockUp> with_same_shares(const Setting& setting) {
  return mock_up(setting, {call(setting, irregular, shares(setting))});
}

// Every rank reduces a buffer that is zero except for its own block, so the result holds the blocks of all ranks.
template <Collective reduction>
Result<MockUp> blocks_by(const Setting& setting) {
  return mock_up(setting, {Clear{Place::first, all_blocks(setting)},
                           CopyPieces{.source = input, .target = {Place::first, own_block(setting)}, .length = block(setting)},
                           call(setting, reduction, all_blocks(setting), {first, output})});
}

Result<MockUp> scatter_by_broadcast(const Setting& setting) {
  return mock_up(setting, {call(setting, broadcast, all_blocks(setting), {input, first}),
                           CopyPieces{.source = {Place::first, own_block(setting)}, .target = output, .length = block(setting)}});
}

Result<MockUp> broadcast_by_scatter_allgather(const Setting& setting) {
  const Bytes part = equal_part_of_vector(setting);
  return mock_up(setting, {call(setting, scatter, part, {input, first}), call(setting, allgather, part, {first, output})});
}

Result<MockUp> broadcast_by_allgatherv(const Setting& setting) {
  return mock_up(setting, {call(setting, allgatherv, all_at_root(setting))});
}

Result<MockUp> allgather_by_gather_broadcast(const Setting& setting) {
  return mock_up(setting, {call(setting, gather, block(setting), {input, first}),
                           call(setting, broadcast, all_blocks(setting), {first, output})});
}

Result<MockUp> allgather_by_alltoall(const Setting& setting) {
  return mock_up(
      setting,
      {CopyPieces{
           .source = input, .target = first, .target_stride = block(setting), .length = block(setting), .pieces = ranks(setting)},
       call(setting, alltoall, block(setting), {first, output})});
}

Result<MockUp> allreduce_by_reduce_broadcast(const Setting& setting) {
  return mock_up(
      setting, {call(setting, reduce, block(setting), {input, first}), call(setting, broadcast, block(setting), {first, output})});
}

// A reduction of a vector that leaves one part on each rank, followed by a collective that gathers the parts.
template <Collective collecting>
Result<MockUp> by_parts(const Setting& setting) {
  const Bytes part = equal_part_of_vector(setting);
  return mock_up(setting, {call(setting, reduce_scatter, part, {input, first}), call(setting, collecting, part, {first, output})});
}

template <Collective collecting>
Result<MockUp> by_uneven_parts(const Setting& setting) {
  const std::vector<Bytes> parts = parts_of_vector(setting);
  return mock_up(setting,
                 {call(setting, reduce_scatterv, parts, {input, first}), call(setting, collecting, parts, {first, output})});
}

Result<MockUp> reduce_by_reduce_scatterv(const Setting& setting) {
  return mock_up(setting, {call(setting, reduce_scatterv, all_at_root(setting))});
}

Result<MockUp> reduce_scatter_by_reduce_scatter(const Setting& setting) {
  return mock_up(setting, {call(setting, reduce, all_blocks(setting), {input, first}),
                           call(setting, scatter, block(setting), {first, output})});
}

Result<MockUp> reduce_scatter_by_allreduce(const Setting& setting) {
  return mock_up(setting, {call(setting, allreduce, all_blocks(setting), {input, first}),
                           CopyPieces{.source = {Place::first, own_block(setting)}, .target = output, .length = block(setting)}});
}

Result<MockUp> scan_by_exscan(const Setting& setting) {
  std::vector<Step> steps{call(setting, exscan, block(setting))};
  if (setting.rank == 0)
    steps.emplace_back(CopyPieces{.source = input, .target = output, .length = block(setting)});
  else
    steps.emplace_back(CombineInto{Place::input, Place::output, block(setting)});
  return mock_up(setting, std::move(steps));
}

// Every rank passes its result of the scan to the next rank.
Result<MockUp> exscan_by_scan(const Setting& setting) {
  const Count p = ranks(setting);
  std::vector<Bytes> counts(index(p * p));
  for (Rank rank = 0; rank + 1 < p; ++rank) counts[index(rank * p + rank + 1)] = block(setting);
  return mock_up(
      setting, {call(setting, scan, block(setting), {input, first}), call(setting, alltoallv, std::move(counts), {first, output})});
}

Result<MockUp> scatterv_by_broadcast(const Setting& setting) {
  return mock_up(setting,
                 {call(setting, broadcast, all_shares(setting), {input, first}),
                  CopyPieces{.source = {Place::first, own_share_offset(setting)}, .target = output, .length = own_share(setting)}});
}

Result<MockUp> allgatherv_by_gatherv_broadcast(const Setting& setting) {
  return mock_up(setting, {call(setting, gatherv, shares(setting), {input, first}),
                           call(setting, broadcast, all_shares(setting), {first, output})});
}

Result<MockUp> allgatherv_by_alltoallv(const Setting& setting) {
  std::vector<Bytes> counts;
  for (const Bytes share : shares(setting)) counts.insert(counts.end(), index(ranks(setting)), share);
  return mock_up(setting, {CopyPieces{.source = input,
                                      .target = first,
                                      .target_stride = own_share(setting),
                                      .length = own_share(setting),
                                      .pieces = ranks(setting)},
                           call(setting, alltoallv, std::move(counts), {first, output})});
}

Result<MockUp> reduce_scatterv_by_reduce_scatterv(const Setting& setting) {
  return mock_up(setting, {call(setting, reduce, all_shares(setting), {input, first}),
                           call(setting, scatterv, shares(setting), {first, output})});
}

Result<MockUp> reduce_scatterv_by_allreduce(const Setting& setting) {
  return mock_up(setting,
                 {call(setting, allreduce, all_shares(setting), {input, first}),
                  CopyPieces{.source = {Place::first, own_share_offset(setting)}, .target = output, .length = own_share(setting)}});
}

// Any such collective works as a barrier: no rank can have the bytes of all ranks before all ranks have entered the call.
template <Collective collective>
Result<MockUp> barrier_by(const Setting& setting) {
  return mock_up(setting, {call(setting, collective, 1, {first, second})});
}

// The size of a block or, for irregular collectives, of a rank's share. All shares must be equal.
Bytes size_of(const Setting& setting) {
  return is_irregular(setting.problem.collective) ? shares(setting).front() : block(setting);
}

// The same collective with blocks, or equal shares, of `bytes`.
Call resized(const Setting& setting, Bytes bytes, const Sides& sides = {}) {
  const Collective collective = setting.problem.collective;
  if (!is_irregular(collective)) return call(setting, collective, bytes, sides);
  return call(setting, collective, std::vector<Bytes>(shares(setting).size(), bytes), sides);
}

Result<MockUp> twice_as_long(const Setting& setting) {
  Call doubled = resized(setting, product(2, size_of(setting)));
  return MockUp{doubled.problem, {doubled}};
}

// Moves one half of each block, then the other half. Halves of several blocks are packed and unpacked; a single vector's halves
// are used in place.
Result<MockUp> two_halves(const Setting& setting) {
  const Bytes whole = size_of(setting), half = whole / 2;
  if (whole % (2 * setting.problem.element_bytes) != 0)
    return cannot(fmt::format("{} bytes have no halves of whole elements", whole));
  const Count pieces_in = input_bytes(setting.problem, setting.rank) / whole;
  const Count pieces_out = output_bytes(setting.problem, setting.rank) / whole;
  std::vector<Step> steps;
  for (const Bytes offset : {Bytes{0}, half}) {
    const Spot source{Place::input, offset}, target{Place::output, offset};
    if (pieces_in > 1)
      steps.emplace_back(CopyPieces{
          .source = source, .source_stride = whole, .target = first, .target_stride = half, .length = half, .pieces = pieces_in});
    steps.emplace_back(resized(setting, half, {pieces_in > 1 ? first : source, pieces_out > 1 ? second : target}));
    if (pieces_out > 1)
      steps.emplace_back(CopyPieces{
          .source = second, .source_stride = half, .target = target, .target_stride = whole, .length = half, .pieces = pieces_out});
  }
  return mock_up(setting, std::move(steps));
}

constexpr std::string_view traff2010 = "traff2010", hunold2016 = "hunold2016", hunold2018 = "hunold2018", unlisted;
constexpr auto equal = CountsForm::equal, rising = CountsForm::rising;

constexpr Guideline guidelines[] = {
    {alltoall, equal, "alltoallv", hunold2018, with_counts<alltoallv>},
    {alltoallv, equal, "alltoall", unlisted, with_blocks<alltoall>},
    {allgather, equal, "gather + broadcast", hunold2016, allgather_by_gather_broadcast},
    {allgather, equal, "alltoall", hunold2016, allgather_by_alltoall},
    {allgather, equal, "allreduce", hunold2016, blocks_by<allreduce>},
    {allgather, equal, "allgatherv", hunold2018, with_counts<allgatherv>},
    {allgatherv, equal, "allgather", unlisted, with_blocks<allgather>},
    {allgatherv, rising, "gatherv + broadcast", unlisted, allgatherv_by_gatherv_broadcast},
    {allgatherv, rising, "alltoallv", unlisted, allgatherv_by_alltoallv},
    {broadcast, equal, "scatter + allgather", hunold2016, broadcast_by_scatter_allgather},
    {broadcast, equal, "allgatherv", hunold2018, broadcast_by_allgatherv},
    {reduce, equal, "allreduce", hunold2016, same_by<allreduce>},
    {reduce, equal, "reduce_scatter + gather", hunold2016, by_parts<gather>},
    {reduce, equal, "reduce_scatterv + gatherv", hunold2018, by_uneven_parts<gatherv>},
    {reduce, equal, "reduce_scatterv", hunold2018, reduce_by_reduce_scatterv},
    {allreduce, equal, "reduce + broadcast", hunold2016, allreduce_by_reduce_broadcast},
    {allreduce, equal, "reduce_scatter + allgather", hunold2016, by_parts<allgather>},
    {allreduce, equal, "reduce_scatterv + allgatherv", hunold2018, by_uneven_parts<allgatherv>},
    {reduce_scatter, equal, "reduce + scatter", hunold2016, reduce_scatter_by_reduce_scatter},
    {reduce_scatter, equal, "allreduce", hunold2018, reduce_scatter_by_allreduce},
    {reduce_scatter, equal, "reduce_scatterv", hunold2018, with_counts<reduce_scatterv>},
    {reduce_scatterv, equal, "reduce_scatter", unlisted, with_blocks<reduce_scatter>},
    {reduce_scatterv, rising, "reduce + scatterv", hunold2016, reduce_scatterv_by_reduce_scatterv},
    {reduce_scatterv, rising, "allreduce", hunold2016, reduce_scatterv_by_allreduce},
    {scan, equal, "exscan + local reduction", hunold2016, scan_by_exscan},
    {exscan, equal, "scan + shift by alltoallv", unlisted, exscan_by_scan},
    {scatter, equal, "broadcast", hunold2016, scatter_by_broadcast},
    {scatter, equal, "scatterv", hunold2018, with_counts<scatterv>},
    {scatterv, equal, "scatter", unlisted, with_blocks<scatter>},
    {scatterv, rising, "broadcast", unlisted, scatterv_by_broadcast},
    {gather, equal, "allgather", hunold2016, same_by<allgather>},
    {gather, equal, "reduce", hunold2016, blocks_by<reduce>},
    {gather, equal, "gatherv", hunold2018, with_counts<gatherv>},
    {gatherv, equal, "gather", unlisted, with_blocks<gather>},
    {gatherv, rising, "allgatherv", unlisted, with_same_shares<allgatherv>},
    {barrier, equal, "allreduce of a byte", unlisted, barrier_by<allreduce>},
    {barrier, equal, "allgather of a byte", unlisted, barrier_by<allgather>},
};

// For each collective, the guidelines above and the two that apply to all collectives.
std::vector<Guideline> make_guidelines() {
  std::vector<Guideline> all;
  for (const Collective collective : all_collectives()) {
    std::copy_if(std::begin(guidelines), std::end(guidelines), std::back_inserter(all),
                 [&](const Guideline& guideline) { return guideline.left == collective; });
    if (!moves_data(collective)) continue;
    all.push_back({collective, equal, "itself with twice the size", traff2010, twice_as_long});
    all.push_back({collective, equal, "itself twice with half the size", traff2010, two_halves});
  }
  return all;
}

}  // namespace

const std::vector<Guideline>& all_guidelines() {
  static const std::vector<Guideline> all = make_guidelines();
  return all;
}

std::string name(const Guideline& guideline) {
  return fmt::format("{}{} <= {}", name(guideline.left), guideline.shares == CountsForm::rising ? ", rising shares" : "",
                     guideline.mock_up);
}

Problem left_side(const Guideline& guideline, Count rank_count, Bytes block_bytes, const Operator* operation) {
  Problem problem;
  problem.collective = guideline.left;
  problem.ranks = rank_count;
  if (is_reduction(guideline.left)) {
    problem.element_bytes = operation->element_bytes;
    problem.commutative = operation->commutative;
  }
  if (moves_data(guideline.left) && block_bytes < 1)
    throw Error(ErrorCode::misuse, "guidelines compare collectives that move data; let blocks have a byte at least");
  if (has_blocks(guideline.left)) problem.block_bytes = block_bytes;
  if (is_irregular(guideline.left)) {
    const Count count = guideline.left == alltoallv ? product(rank_count, rank_count) : rank_count;
    std::vector<Bytes> counts(index(count), block_bytes);
    // Rising shares: 0 on rank 0, up to twice the mean on the last rank.
    if (guideline.shares == rising && rank_count > 1)
      for (Rank rank = 0; rank < rank_count; ++rank)
        counts[index(rank)] =
            product(product(2, block_bytes / problem.element_bytes), rank) / (rank_count - 1) * problem.element_bytes;
    problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  }
  check(problem);
  return problem;
}

}  // namespace quadrille
