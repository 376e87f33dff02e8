// SPDX-License-Identifier: BSD-3-Clause
// broadcast/circulant: the pipeline with the fewest rounds possible on one port, for any p.
// Source  [traff2024broadcast] section 2; roots by renumbering.
// Needs   nothing: any p, any root, 1 <= segments <= max(1, b).
// Idea    In round k rank r receives from r - s_k and sends to r + s_k, with skips s that halve p. Which segment is a matter
//         of a short table for each rank, and after d rounds the same table serves again, d segments further on. A sender
//         looks the segment up in its receiver's table.
// Cost    C1 = segments - 1 + d rounds, d = ceil(log2 p), of b / segments bytes each: n segments cannot take fewer. The
//         default is the optimum sqrt((d - 1) b tw / ts) of a machine with a start-up ts of 8 KiB (see segments.hpp).
// Prefer  medium and long vectors.
#include <bit>

#include "collectives/segments.hpp"
#include "patterns/circulant.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Count depth(Count p) { return std::bit_width(static_cast<std::uint64_t>(p - 1)); }

Program generate(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Count segments = number(parameters, "segments");
  const Count v = (me - problem.root + p) % p;
  const auto rank_of = [&](Count other) { return (other + problem.root) % p; };
  const auto piece = [&](Buffer buffer, Count index) { return segment(buffer, problem, segments, index); };
  ProgramBuilder program{me};
  program.stage("broadcast");
  if (p > 1) {
    const std::vector<Count> skips = circulant_skips(p);
    const CirculantReceipts mine(skips, v, segments);
    std::vector<CirculantReceipts> theirs;  // of the rank that a skip leads to
    for (std::size_t k = 0; k + 1 < skips.size(); ++k) theirs.emplace_back(skips, (v + skips[k]) % p, segments);
    for (Count round = 0; round < mine.rounds(); ++round) {
      program.begin_round();
      const auto k = static_cast<std::size_t>(mine.skip_index(round));
      if (const auto got = mine.segment(round)) program.receive(rank_of((v + p - skips[k]) % p), {piece(Buffer::output, *got)});
      if (const auto given = theirs[k].segment(round))
        program.send(rank_of((v + skips[k]) % p), {piece(v == 0 ? Buffer::input : Buffer::output, *given)});
    }
  }
  if (v == 0) program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, 0, b)});
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm broadcast_circulant{
    .collective = Collective::broadcast,
    .id = "circulant",
    .summary = "in segments over a circulant graph: the fewest rounds that segments can take",
    .needs = "",
    .source = "traff2024broadcast, section 2",
    .parameters = {segments_parameter(
        [](const Problem& problem) -> ParameterValue { return best_segment_count(depth(problem.ranks) - 1, problem.block_bytes); },
        "sqrt((ceil(log2 p)-1)*b/8KiB), at most 1024")},
    .generate = generate,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
