// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/composition.hpp"

#include <algorithm>
#include <iterator>

#include "foundation/assert.hpp"
#include "problem/limits.hpp"
#include "schedule/regions.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
namespace {

// The end of the scratch memory that the regions name.
Bytes scratch_end(const Regions& regions) {
  Bytes end = 0;
  for (const Region& region : regions)
    if (region.buffer == Buffer::scratch) end = std::max(end, hull(region).second);
  return end;
}

// Adds messages to those of another phase in the same round. Two messages to the same rank, by the same port, become one, whose
// bytes are those of both; the other rank does the same.
void add_messages(std::vector<Message>& messages, std::vector<Message>& more) {
  const auto end = static_cast<std::ptrdiff_t>(messages.size());
  for (Message& message : more) {
    const auto same = std::find_if(messages.begin(), messages.begin() + end,
                                   [&](const Message& other) { return other.peer == message.peer && other.port == message.port; });
    if (same == messages.begin() + end)
      messages.push_back(std::move(message));
    else
      same->regions.insert(same->regions.end(), message.regions.begin(), message.regions.end());
  }
}

template <class Item>
void append(std::vector<Item>& list, std::vector<Item>& more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// A program that parts are added to.
class Assembly {
 public:
  Assembly(Rank rank, std::vector<Stage> stages) : whole_{rank, 0, std::move(stages), {}} {}

  // The scratch memory that these regions name is the whole's own.
  void hold(const Regions& regions) { whole_.scratch_bytes = std::max(whole_.scratch_bytes, scratch_end(regions)); }

  void add(const std::vector<Local>& locals, Count number) {
    Round round{number, locals, {}, {}, {}, {}};
    add(std::move(round));
  }

  // Rank i of the part is ranks[i] of the whole, or i if there are no `ranks`.
  void add(Program part, std::span<const Rank> ranks, const BufferMap& input, const BufferMap& output, Count first_round) {
    const Bytes scratch = whole_.scratch_bytes;
    whole_.scratch_bytes += part.scratch_bytes;
    const auto place = [&](Regions& regions) {
      Regions placed;
      for (Region& region : regions)
        if (region.buffer == Buffer::scratch) {
          region.offset += scratch;
          placed.push_back(region);
        } else {
          const Regions image = (region.buffer == Buffer::input ? input : output)(region);
          placed.insert(placed.end(), image.begin(), image.end());
        }
      regions = std::move(placed);
    };
    const auto rename = [&](auto& messages) {
      if (ranks.empty()) return;
      for (auto& message : messages) message.peer = ranks[static_cast<std::size_t>(message.peer)];
    };
    for (Round& round : part.rounds) {
      for_all_regions(round, place);
      std::erase_if(round.locals,
                    [](const Local& local) { return local.kind == LocalKind::copy && are_same_bytes(local.source, local.target); });
      rename(round.sends), rename(round.receives), rename(round.control_sends), rename(round.control_receives);
      round.number += first_round;
      add(std::move(round));
    }
  }

  Program finish() && { return std::move(whole_); }

 private:
  // Adds a round, or its operations to a round that is there already.
  void add(Round round) {
    if (round == Round{round.number, {}, {}, {}, {}, {}}) return;
    auto at = std::lower_bound(whole_.rounds.begin(), whole_.rounds.end(), round.number,
                               [](const Round& one, Count number) { return one.number < number; });
    if (at == whole_.rounds.end() || at->number != round.number) {
      whole_.rounds.insert(at, std::move(round));
      return;
    }
    append(at->locals, round.locals);
    add_messages(at->sends, round.sends);
    add_messages(at->receives, round.receives);
    append(at->control_sends, round.control_sends);
    append(at->control_receives, round.control_receives);
  }

  Program whole_;
};

BufferMap map_to(BufferPosition position) { return BufferMap({{position.buffer, position.offset, data_limit, {}}}); }

}  // namespace

Program composed(const Composition& composition, Rank rank) {
  struct Turn {
    std::optional<GroupStep> step;
    std::vector<Local> before;
  };
  Assembly whole(rank, composition.stages());
  std::vector<Turn> turns;
  for (std::size_t phase = 0; phase < composition.phase_count(); ++phase) {
    const Turn& turn = turns.emplace_back(Turn{composition.step(phase, rank), composition.before(phase, rank)});
    if (turn.step)
      for (const BufferMap* map : {&turn.step->input, &turn.step->output}) whole.hold(map->places());
    for (const Local& local : turn.before) whole.hold(local.source), whole.hold(local.target);
  }
  for (std::size_t phase = 0; phase < turns.size(); ++phase) {
    whole.add(turns[phase].before, composition.first_round(phase));
    if (const auto& step = turns[phase].step)
      whole.add(step->schedule->program(step->me), step->ranks, step->input, step->output, composition.first_round(phase));
  }
  return std::move(whole).finish();
}

Program joined(Part first, Part second) {
  QUADRILLE_ASSERT(first.program.rank == second.program.rank);
  const Count rounds = round_count(first.program);
  std::vector<Stage> stages = first.program.stages;
  for (Stage stage : second.program.stages) {
    stage.first_round += rounds;
    stages.push_back(std::move(stage));
  }
  Assembly whole(first.program.rank, std::move(stages));
  whole.add(std::move(first.program), {}, map_to(first.input), map_to(first.output), 0);
  whole.add(std::move(second.program), {}, map_to(second.input), map_to(second.output), rounds);
  return std::move(whole).finish();
}

}  // namespace quadrille
