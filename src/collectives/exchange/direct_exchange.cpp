// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/exchange/direct_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/shares.hpp"
#include "foundation/assert.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/composition.hpp"
#include "schedule/regions.hpp"

namespace quadrille {

Program exchange_by_timetable(const Problem& problem, const Timetable& timetable, Rank me) {
  struct Entry {
    Count slot;
    const Share* share;
    bool receives;
  };
  if (!is_irregular(problem.collective)) check_operations(problem.ranks, 2);
  const std::vector<Share> sent = Traffic(problem).sent_by(me), received = Traffic(problem).received_by(me);
  std::vector<Entry> entries;
  entries.reserve(sent.size() + received.size());
  for (const Share& share : sent) entries.push_back({timetable.slot(me, share.peer), &share, false});
  Region own_output;
  for (const Share& share : received)
    if (share.peer == me)
      own_output = {Buffer::output, share.offset, share.bytes, {}};
    else
      entries.push_back({timetable.slot(share.peer, me), &share, true});
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.slot < b.slot; });

  const auto port = [&](Rank from, Rank to) { return timetable.port ? timetable.port(from, to) : std::nullopt; };
  ProgramBuilder program{me};
  Count begun = 0;  // number of rounds begun
  auto entry = entries.begin();
  for (const Stage& stage : timetable.stages) {
    program.stage(stage.name);
    const Count end = begun + stage.round_count;
    for (; entry != entries.end() && entry->slot / timetable.slots_per_round < end; ++entry) {
      const Count round = entry->slot / timetable.slots_per_round;
      program.skip_rounds(round + 1 - begun);
      begun = round + 1;
      const auto& [peer, length, offset] = *entry->share;
      if (entry->receives)
        program.receive(peer, {{Buffer::output, offset, length, {}}}, port(peer, me));
      else if (peer != me)
        program.send(peer, {{Buffer::input, offset, length, {}}}, port(me, peer));
      else
        program.copy({{Buffer::input, offset, length, {}}}, {own_output});
    }
    program.skip_rounds(end - begun);
    begun = end;
  }
  return std::move(program).finish();
}

Program exchange_by_distance(const Problem& problem, Count window, Rank me) {
  const Count p = problem.ranks;
  const auto slot = [p](Rank from, Rank to) { return from == to ? 0 : (to - from + p) % p - 1; };
  return exchange_by_timetable(problem, {{{"exchange", 0, std::max<Count>(1, ceil_divide(p - 1, window))}}, slot, window}, me);
}

Parameter factor_parameter() {
  return {
      .name = "factor",
      .summary = "self-loops of the factorisation: spread over the rounds (basic), or for even p all in the last (concentrated)",
      .standard = "concentrated",
      .choices = {"basic", "concentrated"}};
}

one_factor::Form factor_form(const Parameters& parameters) {
  return word(parameters, "factor") == "basic" ? one_factor::Form::basic : one_factor::Form::concentrated;
}

Program one_factor_exchange(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const auto factor = [form = factor_form(parameters), p](Rank from, Rank to) { return one_factor::factor_of(form, p, from, to); };
  return exchange_by_timetable(problem, {{{"exchange", 0, p}}, factor}, me);
}

Parameter exchange_segments_parameter() {
  Parameter segments = segments_parameter(nullptr, "");
  segments.summary = "segments into which blocks are cut: all first segments are exchanged, then all second segments, and so on";
  segments.standard = Count{1};
  // Segments of 64 KiB stay in the caches.
  segments.worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
    const Count count = problem.block_bytes / (Bytes{1} << 16);
    if (count < 2 || count > most_segments_by_default) return {Count{1}};
    return {Count{1}, count};
  };
  return segments;
}

Program exchange_in_segments(const Problem& problem, const Parameters& parameters,
                             const std::function<Program(const Problem&)>& generate) {
  const Count segments = number(parameters, "segments");
  if (segments == 1) return generate(problem);
  check_operations(segments, std::max<Count>(1, problem.ranks - 1));
  Program whole;
  for (Count i = 0; i < segments; ++i) {
    const Region cut = segment(Buffer::input, problem, segments, i);
    Problem of_segment = problem;
    of_segment.block_bytes = cut.length;
    const auto place = [&](Regions& regions) {
      for (Region& region : regions) {
        QUADRILLE_ASSERT(region.levels == (std::array<Level, 3>{}) && region.offset % cut.length + region.length <= cut.length);
        region.offset = region.offset / cut.length * problem.block_bytes + cut.offset + region.offset % cut.length;
      }
    };
    Program program = generate(of_segment);
    const Count before = round_count(whole);
    whole.rank = program.rank;
    for (Stage& stage : program.stages)
      whole.stages.push_back(
          {fmt::format("{}, segment {} of {}", stage.name, i + 1, segments), stage.first_round + before, stage.round_count});
    for (Round& round : program.rounds) {
      round.number += before;
      for_all_regions(round, place);
      whole.rounds.push_back(std::move(round));
    }
  }
  return whole;
}

}  // namespace quadrille
