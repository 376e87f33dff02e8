// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/reducing/folded_exchange.hpp"

#include <algorithm>
#include <bit>

#include "quadrille/program_builder.hpp"

namespace quadrille {

Program exchange_of_vectors(const Problem& problem, PartnerOfRound partner_of, Rank me) {
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
  for (Count round = 0; round < exchanges; ++round) {
    begin_round();
    const Count y = partner_of(x, round, survivors);
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

}  // namespace quadrille
