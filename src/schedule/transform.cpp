// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "quadrille/error.hpp"
#include "schedule/dependence.hpp"

namespace quadrille {
namespace {

template <class Change>
void for_all_regions(Round& round, Change&& change) {
  for (Local& local : round.locals) {
    change(local.source);
    change(local.target);
  }
  for (Message& message : round.sends) change(message.regions);
  for (Message& message : round.receives) change(message.regions);
}

// Moves a part to its place: in memory, and `rounds_before` rounds on.
void place(Part& part, Bytes scratch_before, Count rounds_before) {
  const auto placement = [&](Buffer buffer) {
    if (buffer == Buffer::input) return part.input;
    return buffer == Buffer::output ? part.output : Placement{buffer, scratch_before};
  };
  for (Stage& stage : part.program.stages) stage.first_round += rounds_before;
  for (Round& round : part.program.rounds) {
    round.number += rounds_before;
    for_all_regions(round, [&](Regions& regions) {
      for (Region& region : regions) {
        const auto [buffer, offset] = placement(region.buffer);
        region.buffer = buffer;
        region.offset += offset;
      }
    });
    std::erase_if(round.locals, [](const Local& local) { return local.kind == LocalKind::copy && local.source == local.target; });
  }
  std::erase_if(part.program.rounds, [](const Round& round) { return round == Round{round.number, {}, {}, {}, {}, {}}; });
}

bool overlap(const Regions& some, const Regions& others) {
  return std::any_of(some.begin(), some.end(), [&](const Region& a) {
    return std::any_of(others.begin(), others.end(), [&](const Region& b) { return may_overlap(a, b); });
  });
}

[[maybe_unused]] bool copies_stand_alone(const Round& round) {
  return std::all_of(round.locals.begin(), round.locals.end(), [&](const Local& local) {
    const auto touches = [&](const Message& message) {
      return overlap(local.source, message.regions) || overlap(local.target, message.regions);
    };
    return local.kind == LocalKind::copy && std::none_of(round.sends.begin(), round.sends.end(), touches) &&
           std::none_of(round.receives.begin(), round.receives.end(), touches);
  });
}

// Where control messages lie once they are messages: slots of `longest` bytes, from `first` on.
struct ControlSlots {
  Placement first;
  Bytes longest;
};

Bytes bytes_in_slot(const Control& control, const ControlSlots& slots) {
  return std::clamp<Bytes>(control.bytes, 1, slots.longest);
}

// How many slots the arrivals of a round take, at most; 0: the program has no control messages.
Count control_slots(const Program& program) {
  Count slots = 0;
  for (const Round& round : program.rounds)
    if (!round.control_sends.empty() || !round.control_receives.empty())
      slots = std::max<Count>({slots, 1, static_cast<Count>(round.control_receives.size())});
  return slots;
}

// What a round brings is copied before the next round that tells: so it tells no more than was heard, and waits for that.
Program with_controls_in(Program program, Count slot_count, const ControlSlots& slots) {
  const auto [buffer, offset] = slots.first;
  const Region arrivals{buffer, offset, slot_count * slots.longest, {}};
  const Region news{buffer, offset + arrivals.length, arrivals.length, {}};
  bool heard = false;
  for (Round& round : program.rounds) {
    if (heard && !round.control_sends.empty()) {
      round.locals.push_back({LocalKind::copy, {}, {arrivals}, {news}});
      heard = false;
    }
    for (const Control& control : round.control_sends)
      round.sends.push_back({control.peer, {{buffer, news.offset, bytes_in_slot(control, slots), {}}}, {}});
    Bytes place = arrivals.offset;
    for (const Control& control : round.control_receives) {
      round.receives.push_back({control.peer, {{buffer, place, bytes_in_slot(control, slots), {}}}, {}});
      place += slots.longest;
      heard = true;
    }
    round.control_sends.clear();
    round.control_receives.clear();
  }
  return program;
}

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

Program with_control_messages(Program program) {
  const Count slots = control_slots(program);
  if (slots == 0) return program;
  for (const Round& round : program.rounds)
    for (const auto* controls : {&round.control_sends, &round.control_receives})
      if (const auto peer = repeated_peer(*controls))
        throw Error(
            ErrorCode::misuse,
            fmt::format("in round {} rank {} has two control messages {} rank {}; from one rank to another there is one a round",
                        round.number, program.rank, controls == &round.control_sends ? "to" : "from", *peer));
  Bytes longest = 1;
  for (const Round& round : program.rounds)
    for (const auto* controls : {&round.control_sends, &round.control_receives})
      for (const Control& control : *controls) longest = std::max(longest, control.bytes);
  const ControlSlots place{{Buffer::scratch, program.scratch_bytes}, longest};
  Bytes added = 0;
  if (__builtin_mul_overflow(2 * slots, longest, &added) ||
      __builtin_add_overflow(program.scratch_bytes, added, &program.scratch_bytes))
    throw Error(ErrorCode::too_large, "the control messages of a rank take 2^63 bytes of scratch memory; make them shorter");
  return with_controls_in(std::move(program), slots, place);
}

Program with_control_tokens(Program program) {
  const Count slots = control_slots(program);
  return with_controls_in(std::move(program), slots, {{Buffer::staging, 0}, 1});
}

Program in_port_order(Program program) {
  const auto by_port = [](const Message& a, const Message& b) { return a.port < b.port; };
  for (Round& round : program.rounds) {
    std::stable_sort(round.sends.begin(), round.sends.end(), by_port);
    std::stable_sort(round.receives.begin(), round.receives.end(), by_port);
  }
  return program;
}

Program joined(Part first, Part second) {
  assert(first.program.rank == second.program.rank);
  place(first, 0, 0);
  place(second, first.program.scratch_bytes, round_count(first.program));
  Program whole = std::move(first.program);
  whole.scratch_bytes += second.program.scratch_bytes;
  whole.stages.insert(whole.stages.end(), second.program.stages.begin(), second.program.stages.end());
  whole.rounds.insert(whole.rounds.end(), second.program.rounds.begin(), second.program.rounds.end());
  return whole;
}

Program reversed(Program program) {
  const Count rounds = round_count(program);
  std::reverse(program.stages.begin(), program.stages.end());
  std::reverse(program.rounds.begin(), program.rounds.end());
  for (Stage& stage : program.stages) stage.first_round = rounds - stage.first_round - stage.round_count;
  for (Round& round : program.rounds) {
    assert(copies_stand_alone(round));
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

}  // namespace quadrille
