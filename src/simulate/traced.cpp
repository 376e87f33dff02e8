// SPDX-License-Identifier: BSD-3-Clause
// Simulated times of a trace.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/simulate.hpp"
#include "schedule/ordering.hpp"
#include "trace/message_index.hpp"

namespace quadrille {
namespace {

// A message that a rank has under way.
struct UnderWay {
  Rank rank = 0;
  Count round = 0;
  TimeInterval time;
};

// Returns when each rank has no message under way. The round of a wait is that of the message that ends it.
std::vector<TracedActivity> waits_between(std::vector<UnderWay> list, const EventSimulation& simulation) {
  std::stable_sort(list.begin(), list.end(), [](const UnderWay& a, const UnderWay& b) {
    return std::tie(a.rank, a.time.begin) < std::tie(b.rank, b.time.begin);
  });
  std::vector<TracedActivity> waits;
  Rank rank = -1;
  Picoseconds busy_until = 0;
  for (const UnderWay& each : list) {
    if (each.rank != rank) busy_until = simulation.rank_begins[index(rank = each.rank)];
    if (each.time.begin > busy_until) waits.push_back({rank, each.round, {busy_until, each.time.begin}});
    busy_until = std::max(busy_until, each.time.end);
  }
  return waits;
}

}  // namespace

TracedTime time_by_rounds(const Trace& trace, const Simulation& simulation) {
  TracedTime time{.kind = TimeKind::rounds, .title = "simulated by rounds", .unit = TimeUnit::picosecond, .end = simulation.end};
  std::map<Count, TimeInterval> rounds;
  QUADRILLE_ASSERT(simulation.stages.size() == trace.stages.size());
  for (std::size_t i = 0; i < simulation.stages.size(); ++i) {
    const SimulatedStage& stage = simulation.stages[i];
    QUADRILLE_ASSERT(stage.begin <= stage.end && stage.end <= simulation.end);
    for (const SimulatedRound& round : stage.rounds) rounds[round.number] = {round.begin, round.end};
    if (!stage.rounds.empty()) continue;
    const Stage& its = trace.stages[i];
    for (const TracedMessage& message : trace.messages)
      if (message.round >= its.first_round && message.round - its.first_round < its.round_count)
        rounds[message.round] = {stage.begin, stage.end};
  }
  for (const TracedMessage& message : trace.messages) {
    const auto round = rounds.find(message.round);
    time.sends.push_back(round == rounds.end() ? TimeInterval{} : round->second);
  }
  time.receives = time.sends;
  time.rank_ends.assign(index(trace.problem.ranks), simulation.end);
  return time;
}

TracedTime time_by_events(const Trace& trace, const Schedule& schedule, const MessageTimes& times, const EventOptions& options) {
  TracedTime time{.kind = TimeKind::events,
                  .title = "simulated by events",
                  .unit = TimeUnit::picosecond,
                  .policy = std::string(name(options.policy)),
                  .sends = std::vector<TimeInterval>(trace.messages.size()),
                  .receives = std::vector<TimeInterval>(trace.messages.size())};
  const MessagesBySender by_sender(trace);
  std::vector<UnderWay> under_way;
  EventOptions observed = options;
  observed.message_end = [&](const MessageEnd& end) {
    const std::size_t message = by_sender.message(end.sender, end.number);
    (end.sends ? time.sends : time.receives)[message] = {end.begin, end.end};
    under_way.push_back({end.rank, end.round, {end.begin, end.end}});
    if (options.message_end) options.message_end(end);
  };
  std::vector<std::size_t> first_hop;  // by message: index in the network's ways
  if (options.topology && trace.network) {
    time.links.resize(trace.network->ways.size());
    first_hop.resize(trace.messages.size());
    std::exclusive_scan(trace.network->hops.begin(), trace.network->hops.end(), first_hop.begin(), std::size_t{0});
    observed.link_use = [&](const LinkUse& use) {
      time.links.at(first_hop[by_sender.message(use.sender, use.number)] + use.hop) = {use.begin, use.end};
      if (options.link_use) options.link_use(use);
    };
  }
  const EventSimulation simulation = simulate_events(schedule, times, observed);
  QUADRILLE_ASSERT(simulation.messages == size(trace.messages));
  QUADRILLE_ASSERT(under_way.size() == 2 * trace.messages.size());  // both ends of each message have a time
  time.end = simulation.end;
  time.rank_ends = simulation.rank_ends;
  time.waits = waits_between(std::move(under_way), simulation);
  return time;
}

}  // namespace quadrille
