// SPDX-License-Identifier: BSD-3-Clause
// broadcast/chain: a pipeline from neighbour to neighbour.
// Source  [grama2003] pipelined broadcast on a linear array.
// Needs   nothing: any p, any root, 1 <= segments <= max(1, elements of the vector).
// Idea    The vector is sent along root, root + 1, .. in segments: while a rank receives a segment, it sends the
//         previous segment on.
// Cost    C1 = segments + p - 2 rounds of b / segments bytes each (p >= 2). The default is the optimum sqrt((p - 2) b
//         tw / ts), where tw is the time per byte and ts the start-up, for a machine on which a start-up costs as much as 8 KiB
//         (src/collectives/shares.hpp).
// Prefer  vectors so long that p start-ups do not matter. With many segments C2 is little more than b bytes.
#include "collectives/shares.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_chain(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Count segments = number(parameters, "segments");
  const Count v = (me - problem.root + p) % p;  // position in the chain
  const bool last = v == p - 1;
  const auto part = [&](Buffer buffer, Count index) { return segment(buffer, problem, segments, index); };
  ProgramBuilder program{me};
  program.expect(segments, v > 0 && !last ? 2 : 1);
  program.stage("pass along");
  if (p == 1) {
    program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, 0, b)});
    return std::move(program).finish();
  }
  // Segment s leaves rank v in round s + v.
  program.skip_rounds(std::max<Count>(v - 1, 0));
  for (Count s = 0; s < segments; ++s) {
    program.begin_round();
    if (v > 0) program.receive((me + p - 1) % p, {part(Buffer::output, s)});
    if (v == 0) program.send((me + 1) % p, {part(Buffer::input, s)});
    if (v > 0 && !last && s > 0) program.send((me + 1) % p, {part(Buffer::output, s - 1)});
  }
  if (v == 0) program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, 0, b)});
  if (v > 0 && !last) {
    program.begin_round();
    program.send((me + 1) % p, {part(Buffer::output, segments - 1)});
  }
  program.skip_rounds(p - 2 - (last ? v - 1 : v));
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm broadcast_chain{
    .collective = Collective::broadcast,
    .id = "chain",
    .summary = "a pipeline from neighbour to neighbour, in segments",
    .picture =
        "The vector moves from neighbour to neighbour in segments, like water through a pipe: once the pipe is full, every rank "
        "receives one segment while it sends another. For a very long vector that takes little more than the time of sending it "
        "once. Here the vector is short, so there is one segment.",
    .source = "grama2003",
    .parameters = {segments_parameter([](const Problem& problem, const Parameters&)
                                          -> ParameterValue { return best_segment_count(problem.ranks - 2, problem.block_bytes); },
                                      "sqrt((p-2)*b/8KiB), at most 1024")},
    .generate = generate_chain,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .tried_between_nodes = [](const Problem&) -> std::vector<std::string_view> {
      return {"", "segments=16"};
    },
};

}  // namespace quadrille
