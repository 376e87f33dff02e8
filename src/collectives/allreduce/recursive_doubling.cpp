// SPDX-License-Identifier: BSD-3-Clause
// allreduce/recursive-doubling: exchange partial results with a partner, at twice the distance in each round.
// Source  [grama2003] all-reduce on a hypercube; if p is not a power of two, ranks are folded as in MPI libraries.
// Needs   nothing: any p, any operator.
// Idea    Partners i ^ 1, i ^ 2, i ^ 4, .. exchange vectors that are combined over runs of ranks. If p = 2^d + q with
//         0 < q < 2^d, only 2^d ranks take part in the exchange, because the first 2 q ranks are folded in pairs of
//         neighbours: before the exchange the lower rank of a pair sends its vector to the upper rank, and after it the
//         lower rank receives the result from the upper rank.
// Cost    C1 = log2 p rounds and C2 = log2 p vectors if p is a power of two: the least possible C1 on one port. For
//         other p, C1 = floor(log2 p) + 2 rounds and C2 = floor(log2 p) + 2 vectors, because of the folding.
// Prefer  short vectors.
#include <array>
#include <bit>

#include "collectives/reducing/folding.hpp"
#include "patterns/powers.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Count survivors = static_cast<Count>(std::bit_floor(static_cast<std::uint64_t>(p))), pairs = p - survivors;
  const Count exchanges = std::countr_zero(static_cast<std::uint64_t>(survivors));
  const Region input = block(Buffer::input, 0, problem.block_bytes), output = block(Buffer::output, 0, problem.block_bytes);
  const bool in_pair = me < 2 * pairs;
  ProgramBuilder program{me};
  if (pairs > 0) {
    program.stage("fold");
    program.begin_round();
  }
  if (in_pair && me % 2 == 0) {
    program.send(me + 1, {input});
    program.stage("exchange");
    program.skip_rounds(exchanges);
    program.stage("unfold");
    program.begin_round();
    program.receive(me + 1, {output});
    return std::move(program).finish();
  }

  // The first vector that a rank receives goes to the output, and the input is combined into it. Every combination is
  // done when the next round begins.
  struct {
    Regions source, target;
    OperandOrder order = OperandOrder::source_first;
  } pending;
  const auto begin_round = [&] {
    program.begin_round();
    program.reduce(std::move(pending.source), std::move(pending.target), pending.order);
    pending = {};
  };
  Count in_scratch = 0;
  bool bare = true;
  const auto receive = [&](Rank from) {
    const bool from_below = from < me;
    const Region place = bare ? output : block(Buffer::scratch, in_scratch++ % 2, problem.block_bytes);
    program.receive(from, {place});
    pending = {{bare ? input : place}, {output}, bare == from_below ? OperandOrder::target_first : OperandOrder::source_first};
    bare = false;
  };

  if (in_pair) receive(me - 1);
  program.stage("exchange");
  const Count x = in_pair ? me / 2 : me - pairs;
  for (Count bit = 1; bit < survivors; bit *= 2) {
    begin_round();
    const Count y = x ^ bit;
    const Rank partner = y < pairs ? 2 * y + 1 : y + pairs;
    program.send(partner, {bare ? input : output});
    receive(partner);
  }
  if (pairs > 0) program.stage("unfold");
  begin_round();
  if (in_pair) program.send(me - 1, {output});
  if (p == 1) program.copy({input}, {output});
  program.scratch(std::min<Count>(in_scratch, 2) * problem.block_bytes);
  return std::move(program).finish();
}

// Folding combines pairs of neighbours, and each pair is a subtree of the fixed tree. The fixed tree cuts a run of
// ranks after the largest power of two below its length. So the exchanges follow the tree if all ranks in the first
// half of the exchange stand for pairs, and the ranks in the second half all stand for pairs, all stand for themselves,
// or are divided in this way again. That is the case if p is the difference of two powers of two.
Combining combining(const Problem& problem, const Parameters&) {
  const Count p = problem.ranks;
  return is_power_of_two(p + (p & -p)) ? Combining::fixed_tree : Combining::rank_order;
}

std::optional<Symmetry> symmetry(const Problem& problem, const Parameters&) {
  if (!is_power_of_two(problem.ranks) || required_combining(problem) != Combining::any_order) return std::nullopt;
  return exclusive_or_symmetry(problem.ranks);
}

}  // namespace

extern const Algorithm allreduce_recursive_doubling{
    .collective = Collective::allreduce,
    .id = "recursive-doubling",
    .summary = "exchange partial results with i ^ 1, i ^ 2, i ^ 4, ..: the fewest rounds",
    .source = "grama2003",
    .generate = generate,
    .symmetry = symmetry,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = combining,
    .combining_rule = "rank order; fixed tree if p is a power of two, or the difference of two powers of two",
};

}  // namespace quadrille
