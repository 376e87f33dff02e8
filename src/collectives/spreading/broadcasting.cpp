// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/broadcasting.hpp"

#include <algorithm>

#include "collectives/shares.hpp"
#include "patterns/circulant.hpp"
#include "patterns/integers.hpp"
#include "patterns/trees.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Count depth_of(Count ranks, Count fan_out) {
  Count depth = 0;
  for (Count begin = 0, width = 1; begin + width < ranks; ++depth) begin += width, width = std::min(width * fan_out, ranks);
  return depth;
}

}  // namespace

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

Program broadcast_by_full_tree(const Problem& problem, const Parameters& parameters, std::string stage, Rank me) {
  const Count segments = number(parameters, "segments");
  const TreePosition position = position_in_full_tree(problem.ranks, problem.root, number(parameters, "fan-out"), stage, me);
  const Region input = block(Buffer::input, 0, problem.block_bytes), output = block(Buffer::output, 0, problem.block_bytes);
  ProgramBuilder program{me};
  program.stage(std::move(stage));
  const Buffer held = position.parent ? Buffer::output : Buffer::input;
  const Count depth = position.phases.front().rounds, rounds = depth == 0 ? 0 : depth + segments - 1;
  // A segment takes an edge one round after the segment before it.
  const auto segment_at = [&](Count round, const TreeEdge& edge) { return round - edge.round; };
  const auto is_segment = [&](Count index) { return index >= 0 && index < segments; };
  for (Count round = 0; round < rounds; ++round) {
    program.begin_round();
    if (position.parent)
      if (const Count index = segment_at(round, *position.parent); is_segment(index))
        program.receive(position.parent->peer, {segment(Buffer::output, problem, segments, index)});
    for (const TreeEdge& edge : position.children)
      if (const Count index = segment_at(round, edge); is_segment(index))
        program.send(edge.peer, {segment(held, problem, segments, index)});
  }
  if (!position.parent) program.copy({input}, {output});
  return std::move(program).finish();
}

std::vector<Parameter> full_tree_parameters() {
  return {{.name = "fan-out",
           .summary = "children of each rank",
           .standard = Count{2},
           .least = 1,
           .most = [](const Problem& problem) { return std::max<Count>(1, problem.ranks - 1); },
           .range = "1..max(1,p-1)",
           .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
             return {std::min<Count>(2, std::max<Count>(1, problem.ranks - 1))};
           }},
          segments_parameter(
              [](const Problem& problem, const Parameters& before) -> ParameterValue {
                return best_segment_count(depth_of(problem.ranks, number(before, "fan-out")) - 1, problem.block_bytes);
              },
              "sqrt((depth-1)*b/8KiB), at most 1024")};
}

Count full_tree_ports(const Problem&, const Parameters& parameters) { return number(parameters, "fan-out"); }

}  // namespace quadrille
