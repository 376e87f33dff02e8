// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/exchange/timetable.hpp"

#include <algorithm>

#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

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
        program.receive(peer, {{Buffer::output, offset, length, {}}});
      else if (peer != me)
        program.send(peer, {{Buffer::input, offset, length, {}}});
      else
        program.copy({{Buffer::input, offset, length, {}}}, {own_output});
    }
    program.skip_rounds(end - begun);
    begun = end;
  }
  return std::move(program).finish();
}

}  // namespace quadrille
