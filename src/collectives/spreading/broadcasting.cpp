// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/broadcasting.hpp"

#include "collectives/segments.hpp"
#include "collectives/spreading/tree_rounds.hpp"
#include "patterns/circulant.hpp"
#include "patterns/powers.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

Program broadcast_by_tree(const TreePosition& position, Bytes bytes, Rank me) {
  const Region input = block(Buffer::input, 0, bytes), output = block(Buffer::output, 0, bytes);
  ProgramBuilder program{me};
  go_down(
      program, position, [&](const TreeEdge& edge) { program.receive(edge.peer, {output}); },
      [&](const TreeEdge& edge) { program.send(edge.peer, {position.parent ? output : input}); });
  if (!position.parent) program.copy({input}, {output});
  return std::move(program).finish();
}

Program broadcast_by_skips(const Problem& problem, Count segments, std::string stage, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Count v = (me - problem.root + p) % p;
  const auto rank_of = [&](Count other) { return (other + problem.root) % p; };
  const auto part = [&](Buffer buffer, Count index) { return segment(buffer, problem, segments, index); };
  ProgramBuilder program{me};
  program.stage(std::move(stage));
  if (p > 1) {
    program.expect(segments, 2);
    const std::vector<Count> skips = circulant_skips(p);
    const CirculantReceipts mine(skips, v, segments);
    std::vector<CirculantReceipts> theirs;  // of the rank that is one skip further on
    for (std::size_t k = 0; k + 1 < skips.size(); ++k) theirs.emplace_back(skips, (v + skips[k]) % p, segments);
    for (Count round = 0; round < mine.rounds(); ++round) {
      program.begin_round();
      const std::size_t k = index(mine.skip_index(round));
      if (const auto got = mine.segment(round)) program.receive(rank_of((v + p - skips[k]) % p), {part(Buffer::output, *got)});
      if (const auto given = theirs[k].segment(round))
        program.send(rank_of((v + skips[k]) % p), {part(v == 0 ? Buffer::input : Buffer::output, *given)});
    }
  }
  if (v == 0) program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, 0, b)});
  return std::move(program).finish();
}

Parameter segments_of_skips() {
  return segments_parameter(
      [](const Problem& problem, const Parameters&) -> ParameterValue {
        return best_segment_count(ceil_log2(problem.ranks) - 1, problem.block_bytes);
      },
      "sqrt((ceil(log2 p)-1)*b/8KiB), at most 1024");
}

}  // namespace quadrille
