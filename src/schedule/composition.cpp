// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/composition.hpp"

#include <algorithm>
#include <iterator>

#include "foundation/assert.hpp"
#include "schedule/regions.hpp"

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

class ComposedProgram {
 public:
  ComposedProgram(const Composition& composition, Rank rank)
      : composition_(composition), whole_{rank, 0, composition.stages(), {}} {}

  Program make() && {
    struct Turn {
      std::optional<GroupStep> step;
      std::vector<Local> before;
    };
    std::vector<Turn> turns;
    for (std::size_t phase = 0; phase < composition_.phase_count(); ++phase) {
      Turn& turn = turns.emplace_back(Turn{composition_.step(phase, whole_.rank), composition_.before(phase, whole_.rank)});
      if (turn.step)
        for (const BufferMap* map : {&turn.step->input, &turn.step->output}) hold(map->places());
      for (const Local& local : turn.before) hold(local.source), hold(local.target);
    }
    for (std::size_t phase = 0; phase < turns.size(); ++phase) {
      Turn& turn = turns[phase];
      if (!turn.before.empty()) {
        Round round{composition_.first_round(phase), {}, {}, {}, {}, {}};
        round.locals = std::move(turn.before);
        add(std::move(round));
      }
      if (turn.step) add(*turn.step, composition_.first_round(phase));
    }
    return std::move(whole_);
  }

 private:
  void hold(const Regions& regions) { whole_.scratch_bytes = std::max(whole_.scratch_bytes, scratch_end(regions)); }

  void add(const GroupStep& step, Count first_round) {
    Program part = step.schedule->program(step.me);
    const Bytes scratch = whole_.scratch_bytes;
    whole_.scratch_bytes += part.scratch_bytes;
    const auto place = [&](Regions& regions) {
      Regions placed;
      for (Region& region : regions)
        if (region.buffer == Buffer::scratch) {
          region.offset += scratch;
          placed.push_back(region);
        } else {
          const Regions image = (region.buffer == Buffer::input ? step.input : step.output)(region);
          placed.insert(placed.end(), image.begin(), image.end());
        }
      regions = std::move(placed);
    };
    const auto rename = [&](auto& messages) {
      for (auto& message : messages) message.peer = step.ranks[static_cast<std::size_t>(message.peer)];
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

  const Composition& composition_;
  Program whole_;
};

}  // namespace

Program composed(const Composition& composition, Rank rank) { return ComposedProgram(composition, rank).make(); }

}  // namespace quadrille
