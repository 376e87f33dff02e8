// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/transform.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "foundation/assert.hpp"
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

// Turns control messages into messages and puts them in front of the payload messages. Their bytes begin at `end` in
// the staging buffer; advances `end` past them.
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
  Bytes sent = 0;  // the most bytes of control messages that any round sends; received control messages lie behind them
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

}  // namespace quadrille
