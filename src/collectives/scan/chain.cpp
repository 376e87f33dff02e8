// SPDX-License-Identifier: BSD-3-Clause
// scan/chain, exscan/chain: each rank receives from the rank below and sends to the rank above, in segments.
// Source  [grama2003] pipelining on a linear array; the linear scans of MPI libraries are this algorithm with one
//         segment.
// Needs   nothing: any p, any operator.
// Idea    A segment that arrives from below is combined with the rank's own vector and sent on, while the next segment
//         arrives.
// Cost    C1 = segments + p - 2 rounds of b / segments bytes each (p >= 2). For each segment a rank sends one message and
//         combines once, the least possible.
// Prefer  long vectors; many ranks on few cores; calls in quick succession: the end of one call overlaps the beginning of the
//         next.
#include "collectives/shares.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

// Rank i receives the combination of the vectors of ranks 0 .. i - 1 from rank i - 1, and sends the combination of the
// vectors of ranks 0 .. i to rank i + 1.
Program generate_chain(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Count segments = number(parameters, "segments");
  const bool own_too = problem.collective == Collective::scan;  // the rank's own vector belongs to its result
  const bool first = me == 0, last = me == p - 1;
  const auto part = [&](Buffer buffer, Count index) { return segment(buffer, problem, segments, index); };
  ProgramBuilder program{me};
  program.expect(segments, first ? 1 : last ? 2 : 3);
  program.stage("pass along");
  // The result of an exscan is the vector that arrives from below. The vector to send on also includes the rank's own vector, so
  // it is combined in separate memory.
  const Buffer told = first ? Buffer::input : own_too ? Buffer::output : Buffer::scratch;
  if (told == Buffer::scratch && !last) program.scratch(problem.block_bytes);
  const auto combine = [&](Count index) {
    if (first) return;
    if (own_too) {
      program.reduce({part(Buffer::input, index)}, {part(Buffer::output, index)}, OperandOrder::target_first);
    } else if (!last) {
      program.copy({part(Buffer::input, index)}, {part(Buffer::scratch, index)});
      program.reduce({part(Buffer::output, index)}, {part(Buffer::scratch, index)}, OperandOrder::source_first);
    }
  };
  // Segment s leaves rank r in round s + r.
  program.skip_rounds(first ? 0 : me - 1);
  for (Count round = first ? 1 : 0; round <= segments; ++round) {  // counts rounds in which this rank acts
    program.begin_round();
    if (round > 0) {
      combine(round - 1);
      if (!last) program.send(me + 1, {part(told, round - 1)});
    }
    if (!first && round < segments) program.receive(me - 1, {part(Buffer::output, round)});
  }
  if (first && own_too)
    program.copy({block(Buffer::input, 0, problem.block_bytes)}, {block(Buffer::output, 0, problem.block_bytes)});
  program.skip_rounds(p - 1 - me);
  return std::move(program).finish();
}

// Operands are combined in the order of ranks. The brackets are those of the fixed tree only for few ranks.
Combining chain_combining(const Problem& problem, const Parameters&) {
  return problem.ranks <= (problem.collective == Collective::scan ? 3 : 4) ? Combining::fixed_tree : Combining::rank_order;
}

}  // namespace

Algorithm scan_chain(Collective collective) {
  return {
      .collective = collective,
      .id = "chain",
      .summary = "combine what arrives from the rank below with the own vector and send it on, in segments: the least work",
      .picture =
          "The result moves upwards from neighbour to neighbour, and each rank combines only once: the least work, in p - 1 rounds "
          "for one segment. Long vectors are cut into segments, which follow each other like water through a pipe. Here the vector "
          "is short, so there is one segment.",
      .source = "grama2003",
      .parameters = {segments_parameter(
          [](const Problem& problem, const Parameters&) -> ParameterValue {
            return best_segment_count(problem.ranks - 2, problem.block_bytes);
          },
          "sqrt((p-2)*b/8KiB), at most 1024")},
      .generate = generate_chain,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = chain_combining,
      .combining_rule = collective == Collective::scan ? "rank order; fixed tree if p <= 3" : "rank order; fixed tree if p <= 4",
  };
}

}  // namespace quadrille
