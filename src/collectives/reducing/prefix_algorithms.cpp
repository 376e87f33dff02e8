// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/reducing/prefix_algorithms.hpp"

#include "collectives/reducing/folding.hpp"
#include "collectives/reducing/prefix_builder.hpp"
#include "collectives/segments.hpp"
#include "collectives/spreading/gathering.hpp"

namespace quadrille {
namespace {

// Rank i receives the combination of the vectors of ranks 0 .. i - 1 from rank i - 1, and sends the combination of the
// vectors of ranks 0 .. i to rank i + 1.
Program prefixes_along_chain(const Problem& problem, Count segments, Rank me) {
  const Count p = problem.ranks;
  const bool own_too = problem.collective == Collective::scan;  // the rank's own vector belongs to its result
  const bool first = me == 0, last = me == p - 1;
  const auto part = [&](Buffer buffer, Count index) { return segment(buffer, problem, segments, index); };
  ProgramBuilder program{me};
  program.expect(segments, first ? 1 : last ? 2 : 3);
  program.stage("pass along");
  // The result of an exscan is the vector that arrives from below. The vector to send on also includes the own vector,
  // so it is combined in separate memory.
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

// Partners i ^ 1, i ^ 2, i ^ 4, .. exchange vectors combined over their runs of ranks; p is a power of two.
Program prefixes_on_hypercube(const Problem& problem, Rank me) {
  PrefixBuilder prefixes(problem, me, "exchange");
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

// Every rank sends the combination over a run of ranks that ends with its own to the rank 1, 2, 4, .. above it.
Program prefixes_by_doubling(const Problem& problem, Rank me) {
  PrefixBuilder prefixes(problem, me, "tell");
  for (Count distance = 1; distance < problem.ranks; distance *= 2) {
    prefixes.begin_round();
    if (me + distance < problem.ranks) prefixes.send(me + distance);
    if (me >= distance) prefixes.receive_from_below(me - distance, me + 2 * distance < problem.ranks);
  }
  return std::move(prefixes).finish();
}

// These algorithms combine operands in the order of ranks, but not with the brackets of the fixed tree. With at most
// `fewest` ranks the brackets happen to be the same.
template <Count fewest>
Combining rank_order_of_more_than(const Problem& problem, const Parameters&) {
  return problem.ranks <= fewest ? Combining::fixed_tree : Combining::rank_order;
}

}  // namespace

Algorithm prefix_chain(Collective collective) {
  const bool is_scan = collective == Collective::scan;
  return {
      .collective = collective,
      .id = "chain",
      .summary = "combine what arrives from the rank below with the own vector and send it on, in segments: the least work",
      .source = "grama2003",
      .parameters = {segments_parameter(
          [](const Problem& problem, const Parameters&) -> ParameterValue {
            return best_segment_count(problem.ranks - 2, problem.block_bytes);
          },
          "sqrt((p-2)*b/8KiB), at most 1024")},
      .generate = [](const Problem& problem, const Parameters& parameters, const Analysis*,
                     Rank me) { return prefixes_along_chain(problem, number(parameters, "segments"), me); },
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = is_scan ? rank_order_of_more_than<3> : rank_order_of_more_than<4>,
      .combining_rule = is_scan ? "rank order; fixed tree if p <= 3" : "rank order; fixed tree if p <= 4",
  };
}

Algorithm prefix_hypercube(Collective collective) {
  return {
      .collective = collective,
      .id = "hypercube",
      .summary = "exchange partial results with i ^ 1, i ^ 2, i ^ 4, ..: the fewest rounds",
      .needs = "p a power of two",
      .source = "grama2003",
      .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                     Rank me) { return prefixes_on_hypercube(problem, me); },
      .applies = has_power_of_two_ranks,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = always_fixed_tree,
      .combining_rule = always_fixed_tree_rule,
  };
}

Algorithm prefix_doubling(Collective collective) {
  const bool is_scan = collective == Collective::scan;
  return {
      .collective = collective,
      .id = "distance-doubling",
      .summary = "send the partial result to the rank s above, s = 1, 2, 4, ..: the fewest rounds, for any p",
      .source = "hillis1986",
      .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                     Rank me) { return prefixes_by_doubling(problem, me); },
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = is_scan ? rank_order_of_more_than<2> : rank_order_of_more_than<4>,
      .combining_rule = is_scan ? "rank order; fixed tree if p <= 2" : "rank order; fixed tree if p <= 4",
  };
}

}  // namespace quadrille
