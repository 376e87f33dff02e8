// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/prefix_programs.hpp"

#include "collectives/prefixes.hpp"

namespace quadrille {

Program prefixes_along_chain(const Problem& problem, Count segments, Rank me) {
  const Count p = problem.ranks;
  const bool own_too = problem.collective == Collective::scan;  // in the result
  const bool first = me == 0, last = me == p - 1;
  const auto piece = [&](Buffer buffer, Count index) { return segment(buffer, problem, segments, index); };
  ProgramBuilder program{me};
  program.expect(segments, first ? 1 : last ? 2 : 3);
  program.stage("pass along");
  // An exscan's result is what comes from below; what goes on has the own vector, too, and is made beside it.
  const Buffer told = first ? Buffer::input : own_too ? Buffer::output : Buffer::scratch;
  if (told == Buffer::scratch && !last) program.scratch(problem.block_bytes);
  const auto combine = [&](Count index) {
    if (first) return;
    if (own_too) {
      program.reduce({piece(Buffer::input, index)}, {piece(Buffer::output, index)}, OperandOrder::target_first);
    } else if (!last) {
      program.copy({piece(Buffer::input, index)}, {piece(Buffer::scratch, index)});
      program.reduce({piece(Buffer::output, index)}, {piece(Buffer::scratch, index)}, OperandOrder::source_first);
    }
  };
  // Segment s leaves rank r in round s + r.
  program.skip_rounds(first ? 0 : me - 1);
  for (Count round = first ? 1 : 0; round <= segments; ++round) {  // of those in which this rank acts
    program.begin_round();
    if (round > 0) {
      combine(round - 1);
      if (!last) program.send(me + 1, {piece(told, round - 1)});
    }
    if (!first && round < segments) program.receive(me - 1, {piece(Buffer::output, round)});
  }
  if (first && own_too)
    program.copy({block(Buffer::input, 0, problem.block_bytes)}, {block(Buffer::output, 0, problem.block_bytes)});
  program.skip_rounds(p - 1 - me);
  return std::move(program).finish();
}

Program prefixes_on_hypercube(const Problem& problem, Rank me) {
  Prefixes prefixes(problem, me, "exchange");
  for (Count bit = 1; bit < problem.ranks; bit *= 2) {
    const Rank partner = me ^ bit;
    const bool last = 2 * bit == problem.ranks;
    prefixes.begin_round();
    if (!last || partner > me) prefixes.send(partner);
    if (partner < me) prefixes.receive_from_below(partner, !last);
    if (!last && partner > me) prefixes.receive_from_above(partner);
  }
  return std::move(prefixes).finish();
}

Program prefixes_by_doubling(const Problem& problem, Rank me) {
  Prefixes prefixes(problem, me, "tell");
  for (Count distance = 1; distance < problem.ranks; distance *= 2) {
    prefixes.begin_round();
    if (me + distance < problem.ranks) prefixes.send(me + distance);
    if (me >= distance) prefixes.receive_from_below(me - distance, me + 2 * distance < problem.ranks);
  }
  return std::move(prefixes).finish();
}

Parameter chain_segments() {
  return segments_parameter(
      [](const Problem& problem, const Parameters&) -> ParameterValue {
        return best_segment_count(problem.ranks - 2, problem.block_bytes);
      },
      "sqrt((p-2)*b/8KiB), at most 1024");
}

}  // namespace quadrille
