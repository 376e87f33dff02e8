// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/event_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count messages_between_talk = Count{1} << 18;

}  // namespace

EventRun::EventRun(const Schedule& schedule, const EventOptions& options)
    : options_(options),
      jitter_(options.seed, options.jitter),
      graph_(event_graph(schedule, {.policy = options.policy, .barriers = options.barriers})),
      begins_(drawn_begins(schedule.problem.ranks)),
      ready_(graph_.kinds.size()),
      messages_left_(graph_.messages_of_round),
      barriers_(graph_.gates_of_round.size(), *std::max_element(begins_.begin(), begins_.end())),
      round_begins_(graph_.round_numbers.size(), INT64_MAX),
      round_ends_(graph_.round_numbers.size(), 0) {
  if (options.message_end || options.link_use) number_messages();
  result_.rank_begins = result_.rank_ends = begins_;
  result_.messages = graph_.messages;
  for (std::size_t event = 0; event < ready_.size(); ++event) ready_[event] = begins_[graph_.ranks[event]];
  for (std::size_t round = 1; round < graph_.gates_of_round.size(); ++round)
    for (const Event gate : graph_.gates_of_round[round]) ++graph_.waits_for[gate];
}

void EventRun::number_messages() {
  message_numbers_.resize(graph_.kinds.size());
  for (std::size_t rank = 0; rank < graph_.first_send.size(); ++rank) {
    Count number = 0;
    for (Event send = graph_.first_send[rank]; send != EventGraph::none; send = graph_.next[send])
      message_numbers_[send] = message_numbers_[graph_.other_ends[send]] = {static_cast<Rank>(rank), number++};
  }
}

std::vector<Picoseconds> EventRun::drawn_begins(Count ranks) const {
  std::vector<Picoseconds> list = options_.rank_begins;
  list.resize(index(ranks), 0);
  for (const std::size_t rank : drawn(options_.seed, index(options_.late_ranks), list.size()))
    list[rank] = add_times(list[rank], options_.late_by);
  return list;
}

void EventRun::begin() {
  if (options_.progress) options_.progress(0, graph_.messages);
  for (std::size_t event = 0; event < ready_.size(); ++event)
    if (graph_.waits_for[event] == 0) waiting_.push_back(static_cast<Event>(event));
  settle();
}

void EventRun::settle() {
  while (!waiting_.empty()) {
    const Event event = waiting_.back();
    waiting_.pop_back();
    if (graph_.kinds[event] == EventKind::gate)
      pass(event, ready_[event]);
    else
      start(event);
  }
}

void EventRun::arrive(Event event, Picoseconds time) {
  QUADRILLE_ASSERT(graph_.waits_for[event] > 0);
  ready_[event] = std::max(ready_[event], time);
  if (--graph_.waits_for[event] == 0) waiting_.push_back(event);
}

void EventRun::send_ends(Event event, Picoseconds begin, Picoseconds end) {
  Picoseconds& first = round_begins_[graph_.rounds[event]];
  first = std::min(first, begin);
  tell(event, true, begin, end);
  pass(event, end);
}

void EventRun::receive_ends(Event event, Picoseconds begin, Picoseconds end) {
  const std::uint32_t round = graph_.rounds[event];
  round_ends_[round] = std::max(round_ends_[round], end);
  tell(event, false, begin, end);
  ++arrived_;
  if (options_.progress && arrived_ % messages_between_talk == 0) options_.progress(arrived_, graph_.messages);
  pass(event, end);
  if (barriers_.empty()) return;
  barriers_[round] = std::max(barriers_[round], end);
  if (--messages_left_[round] == 0 && round + 1 < barriers_.size())
    for (const Event gate : graph_.gates_of_round[round + 1]) arrive(gate, barriers_[round]);
}

void EventRun::tell(Event event, bool sends, Picoseconds begin, Picoseconds end) const {
  if (!options_.message_end) return;
  options_.message_end({static_cast<Rank>(graph_.ranks[event]), sends, graph_.round_numbers[graph_.rounds[event]], begin, end,
                        sender(event), number(event)});
}

void EventRun::pass(Event event, Picoseconds time) {
  Picoseconds& end = result_.rank_ends[graph_.ranks[event]];
  end = std::max(end, time);
  for (const Event after : graph_.events_after(event)) arrive(after, time);
}

EventSimulation EventRun::result() {
  if (arrived_ != graph_.messages)
    throw Error(
        ErrorCode::misuse,
        fmt::format(
            "{} of {} messages never arrive, because ranks wait for each other in a deadlock; 'quadrille verify' says where",
            graph_.messages - arrived_, graph_.messages));
  result_.end = *std::max_element(result_.rank_ends.begin(), result_.rank_ends.end());
  std::size_t round = 0;
  const auto& stages = graph_.stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    SimulatedStage& stage = result_.stages.emplace_back();
    stage.name = stages[i].name;
    stage.begin = INT64_MAX;
    for (; round < round_begins_.size() && (i + 1 == stages.size() || graph_.round_numbers[round] < stages[i + 1].first_round);
         ++round) {
      stage.rounds.push_back({.number = graph_.round_numbers[round], .begin = round_begins_[round], .end = round_ends_[round]});
      stage.begin = std::min(stage.begin, round_begins_[round]);
      stage.end = std::max(stage.end, round_ends_[round]);
    }
    if (stage.rounds.empty()) stage.begin = stage.end = i == 0 ? 0 : result_.stages[i - 1].end;
  }
  return std::move(result_);
}

}  // namespace quadrille
