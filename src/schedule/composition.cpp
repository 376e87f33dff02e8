// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/composition.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "foundation/assert.hpp"
#include "problem/limits.hpp"
#include "quadrille/checked.hpp"
#include "schedule/dependence.hpp"
#include "schedule/regions.hpp"

namespace quadrille {
namespace {

bool overlap(const Regions& some, const Regions& others) {
  return std::any_of(some.begin(), some.end(), [&](const Region& a) {
    return std::any_of(others.begin(), others.end(), [&](const Region& b) { return may_overlap(a, b); });
  });
}

bool copies_stand_alone(const Round& round) {
  return std::all_of(round.locals.begin(), round.locals.end(), [&](const Local& local) {
    const auto touches = [&](const Message& message) {
      return overlap(local.source, message.regions) || overlap(local.target, message.regions);
    };
    return local.kind == LocalKind::copy && std::none_of(round.sends.begin(), round.sends.end(), touches) &&
           std::none_of(round.receives.begin(), round.receives.end(), touches);
  });
}

bool by_port(const Message& a, const Message& b) { return a.port < b.port; }

// Turns control messages into messages and puts them in front of the payload messages. The bytes of the control messages begin at
// `end` in the staging buffer; advances `end` past these bytes.
void put_in_front(std::vector<Control>& controls, std::vector<Message>& messages, Bytes& end) {
  std::vector<Message> all;
  for (const Control& control : controls) {
    const Bytes length = std::max<Bytes>(control.bytes, 0);
    all.push_back({control.peer, {{Buffer::staging, end, length, {}}}, {}});
    end = checked_sum(end, length).value_or(std::numeric_limits<Bytes>::max());
  }
  all.insert(all.end(), std::make_move_iterator(messages.begin()), std::make_move_iterator(messages.end()));
  messages = std::move(all);
  controls.clear();
}

// The end of the scratch memory that the regions name.
Bytes scratch_end(const Regions& regions) {
  Bytes end = 0;
  for (const Region& region : regions)
    if (region.buffer == Buffer::scratch) end = std::max(end, hull(region).second);
  return end;
}

// Adds messages to those of another phase in the same round. Two messages to the same rank by the same port become one message
// with the bytes of both. The other rank's program joins the other ends of the two messages in the same way.
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

  // Makes the scratch memory of the whole program large enough for these regions.
  void hold(const Regions& regions) { whole_.scratch_bytes = std::max(whole_.scratch_bytes, scratch_end(regions)); }

  void add(const std::vector<Local>& locals, Count number) {
    Round round{number, locals, {}, {}, {}, {}};
    add(std::move(round));
  }

  // Rank i of the part is rank ranks[i] of the whole program, or rank i if `ranks` is empty.
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
  // Adds a round. If the program already has a round with this number, adds the operations to that round.
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

Count round_count(const Program& program) {
  return program.stages.empty() ? 0 : program.stages.back().first_round + program.stages.back().round_count;
}

std::optional<Rank> repeated_peer(const std::vector<Control>& controls) {
  std::vector<Rank> peers;
  for (const Control& control : controls) peers.push_back(control.peer);
  std::sort(peers.begin(), peers.end());
  const auto twice = std::adjacent_find(peers.begin(), peers.end());
  return twice == peers.end() ? std::nullopt : std::optional(*twice);
}

bool is_in_posting_order(const Program& program) {
  return std::all_of(program.rounds.begin(), program.rounds.end(), [](const Round& round) {
    return round.control_sends.empty() && round.control_receives.empty() &&
           std::is_sorted(round.sends.begin(), round.sends.end(), by_port) &&
           std::is_sorted(round.receives.begin(), round.receives.end(), by_port);
  });
}

Program in_posting_order(Program program) {
  if (is_in_posting_order(program)) return program;
  Bytes sent = 0;  // the most bytes of control messages that any round sends; received control messages follow them
  for (const Round& round : program.rounds) {
    Bytes here = 0;
    for (const Control& control : round.control_sends)
      here = checked_sum(here, std::max<Bytes>(control.bytes, 0)).value_or(std::numeric_limits<Bytes>::max());
    sent = std::max(sent, here);
  }
  Bytes arrived = sent;
  for (Round& round : program.rounds) {
    for (auto* messages : {&round.sends, &round.receives}) std::stable_sort(messages->begin(), messages->end(), by_port);
    if (round.control_sends.empty() && round.control_receives.empty()) continue;
    Bytes first = 0;
    put_in_front(round.control_sends, round.sends, first);
    put_in_front(round.control_receives, round.receives, arrived);
    if (stands_alone(round)) arrived = sent;  // later rounds wait for this round, so they may use the same bytes
  }
  return program;
}

bool is_control(const Message& message) { return !message.regions.empty() && message.regions.front().buffer == Buffer::staging; }

bool stands_alone(const Round& round) {
  return !(round.sends.empty() && round.receives.empty()) && std::all_of(round.sends.begin(), round.sends.end(), is_control) &&
         std::all_of(round.receives.begin(), round.receives.end(), is_control);
}

Program reversed(Program program) {
  const Count rounds = round_count(program);
  std::reverse(program.stages.begin(), program.stages.end());
  std::reverse(program.rounds.begin(), program.rounds.end());
  for (Stage& stage : program.stages) stage.first_round = rounds - stage.first_round - stage.round_count;
  for (Round& round : program.rounds) {
    QUADRILLE_ASSERT(copies_stand_alone(round));
    QUADRILLE_ASSERT(round.number >= 0 && round.number < rounds);
    round.number = rounds - 1 - round.number;
    std::reverse(round.locals.begin(), round.locals.end());
    for (Local& local : round.locals) std::swap(local.source, local.target);
    std::swap(round.sends, round.receives);
    std::swap(round.control_sends, round.control_receives);
    for_all_regions(round, [](Regions& regions) {
      for (Region& region : regions)
        if (region.buffer != Buffer::scratch) region.buffer = region.buffer == Buffer::input ? Buffer::output : Buffer::input;
    });
  }
  return program;
}

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
