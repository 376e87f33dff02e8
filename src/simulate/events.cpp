// SPDX-License-Identifier: BSD-3-Clause
// The event-driven simulator: LogGP for each rank, with several ports and with queues at links. A rank processes its sends in
// posting order, and likewise its receives. Each uses the port that becomes free first. Every time is a sum of terms and of maxima
// of earlier times. So delaying an event never makes another event earlier. Without links, the result does not depend on the order
// in which events are processed. With links, messages pass through the network in order of time. Source: [alexandrov1995];
// [hoefler2010] for simulating ranks from their dependences.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/simulate.hpp"
#include "simulate/event_graph.hpp"
#include "simulate/link_queues.hpp"
#include "simulate/trouble.hpp"
#include "simulate/wormhole_links.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {
namespace {

using Event = EventGraph::Event;

constexpr Count messages_between_talk = Count{1} << 18;

// What each rank sends, or what it receives, in posting order. Each message takes the port that becomes free first.
class Direction {
 public:
  // `first`: the first message of each rank.
  Direction(Count ports, const std::vector<Picoseconds>& begins, const std::vector<Event>& first)
      : ports_(index(ports)), free_(begins.size() * ports_), processor_free_(begins), next_(first), taken_(begins.size(), 0) {
    for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = begins[i / ports_];
  }

  Event& next(std::size_t rank) { return next_[rank]; }

  // Returns the number of messages of the rank so far, and counts one more.
  std::uint32_t number(std::size_t rank) { return taken_[rank]++; }

  // Returns when the rank can start a message that is ready at the given time.
  Picoseconds start(std::size_t rank, Picoseconds ready) const {
    return std::max({ready, free_[rank * ports_], processor_free_[rank]});
  }

  // Takes a port until one time, and the rank's processor until another.
  void take(std::size_t rank, Picoseconds port_until, Picoseconds processor_until) {
    const auto first = free_.begin() + static_cast<std::ptrdiff_t>(rank * ports_),
               end = first + static_cast<std::ptrdiff_t>(ports_);
    auto place = first;
    for (; place + 1 != end && place[1] < port_until; ++place) *place = place[1];
    *place = port_until;
    processor_free_[rank] = processor_until;
  }

 private:
  std::size_t ports_;
  std::vector<Picoseconds> free_;            // when each port becomes free, in ascending order for each rank
  std::vector<Picoseconds> processor_free_;  // when each rank's processor may start its next message
  std::vector<Event> next_;                  // the next message of each rank
  std::vector<std::uint32_t> taken_;         // messages of each rank so far
};

class Run {
 public:
  Run(const Schedule& schedule, const MessageTimes& times, const EventOptions& options)
      : times_(times),
        options_(options),
        jitter_(options.seed, options.jitter),
        graph_(event_graph(schedule, {.policy = options.policy, .barriers = options.barriers})),
        begins_(begins(schedule.problem.ranks)),
        sends_(port_count(), begins_, graph_.first_send),
        receives_(port_count(), begins_, graph_.first_receive),
        ready_(graph_.kinds.size()),
        messages_left_(graph_.messages_of_round),
        barriers_(graph_.gates_of_round.size(), *std::max_element(begins_.begin(), begins_.end())),
        round_begins_(graph_.round_numbers.size(), INT64_MAX),
        round_ends_(graph_.round_numbers.size(), 0) {
    result_.rank_ends = begins_;
    result_.messages = graph_.messages;
    for (std::size_t event = 0; event < ready_.size(); ++event) ready_[event] = begins_[graph_.ranks[event]];
    for (std::size_t round = 1; round < graph_.gates_of_round.size(); ++round)
      for (const Event gate : graph_.gates_of_round[round]) ++graph_.waits_for[gate];
    if (options.topology) {
      if (options.switching == Switching::wormhole)
        links_ = std::make_unique<WormholeLinks>(*options.topology, options.channels, slow_links(), options.slowness);
      else
        links_ = std::make_unique<LinkQueues>(*options.topology, slow_links(), options.slowness);
      tails_.resize(ready_.size(), 0);
    }
  }

  EventSimulation run() && {
    if (options_.progress) options_.progress(0, graph_.messages);
    for (std::size_t event = 0; event < ready_.size(); ++event)
      if (graph_.waits_for[event] == 0) waiting_.push_back(static_cast<Event>(event));
    settle();
    while (links_) {
      const auto delivery = links_->next();
      if (!delivery) break;
      const Event receive = graph_.other_ends[delivery->message];
      tails_[receive] = delivery->tail;
      arrive(receive, delivery->head);
      settle();
    }
    if (const auto circle = links_ ? links_->deadlock() : std::nullopt)
      throw Error(ErrorCode::misuse, fmt::format("the network is in a deadlock: {}", *circle));
    if (arrived_ != graph_.messages)
      throw Error(
          ErrorCode::misuse,
          fmt::format(
              "{} of {} messages never arrive, because ranks wait for each other in a deadlock; 'quadrille verify' says where",
              graph_.messages - arrived_, graph_.messages));
    return std::move(*this).result();
  }

 private:
  // Returns the number of ports to simulate: a rank cannot use more ports than it has messages.
  Count port_count() const {
    std::vector<Count> sends(graph_.first_send.size(), 0), receives(sends);
    for (std::size_t event = 0; event < graph_.kinds.size(); ++event) {
      if (graph_.kinds[event] == EventKind::send) ++sends[graph_.ranks[event]];
      if (graph_.kinds[event] == EventKind::receive) ++receives[graph_.ranks[event]];
    }
    return std::clamp<Count>(
        std::max(*std::max_element(sends.begin(), sends.end()), *std::max_element(receives.begin(), receives.end())), 1,
        times_.ports);
  }

  std::vector<Picoseconds> begins(Count ranks) const {
    std::vector<Picoseconds> list(index(ranks), 0);
    for (const std::size_t rank : drawn(options_.seed, index(options_.late_ranks), list.size())) list[rank] = options_.late_by;
    return list;
  }

  std::vector<Count> slow_links() const {
    std::vector<Count> numbers, slow;
    if (options_.slow_links == 0) return slow;
    for (Vertex vertex = 0; vertex < options_.topology->vertices(); ++vertex)
      for (const Link& link : options_.topology->links_from(vertex)) numbers.push_back(link.number);
    for (const std::size_t i : drawn(options_.seed, index(options_.slow_links), numbers.size())) slow.push_back(numbers[i]);
    return slow;
  }

  Picoseconds bytes_time(Event message) const {
    return times_.per_byte.of(std::max<Bytes>(0, graph_.bytes[message] - (times_.is_first_byte_included ? 1 : 0)));
  }

  std::optional<Port> port_of(Event send) const {
    return graph_.ports.empty() || graph_.ports[send].dimension < 0 ? std::nullopt : std::optional(graph_.ports[send]);
  }

  // Returns the number of overheads after which the next send, or receive, may start. A processor that both sends and receives
  // alternates between them, so the number is then 2.
  Count turns(Event message) const { return graph_.meets_other_way[message] ? 2 : 1; }

  // Processes all events that no longer wait for anything.
  void settle() {
    while (!waiting_.empty()) {
      const Event event = waiting_.back();
      waiting_.pop_back();
      switch (graph_.kinds[event]) {
        case EventKind::gate: pass(event, ready_[event]); break;
        case EventKind::send: go_on(sends_.next(graph_.ranks[event]), [&](Event each) { send(each); }); break;
        case EventKind::receive: go_on(receives_.next(graph_.ranks[event]), [&](Event each) { receive(each); }); break;
      }
    }
  }

  // Processes the queue in order, up to the first event that still waits.
  template <class Act>
  void go_on(Event& next, Act&& act) {
    while (next != EventGraph::none && graph_.waits_for[next] == 0) {
      act(next);
      next = graph_.next[next];
    }
  }

  void send(Event event) {
    const std::size_t rank = graph_.ranks[event];
    const Picoseconds start = sends_.start(rank, ready_[event]);
    const std::uint32_t number = sends_.number(rank);
    const Picoseconds overhead = jitter_(times_.overhead, rank, number, 0), latency = jitter_(times_.latency, rank, number, 1);
    const Picoseconds bytes = bytes_time(event);
    const Picoseconds leaves = add_times(start, overhead);
    const Picoseconds turn = times(turns(event), overhead);
    sends_.take(rank, add_times(start, add_times(std::max(times_.gap, turn), bytes)), add_times(start, turn));
    round_begins_[graph_.rounds[event]] = std::min(round_begins_[graph_.rounds[event]], start);
    const Event receive = graph_.other_ends[event];
    QUADRILLE_ASSERT(receive != EventGraph::none && graph_.kinds[receive] == EventKind::receive);
    if (links_)
      links_->send(event, graph_.ranks[event], graph_.ranks[receive], port_of(event), leaves, bytes, latency);
    else
      arrive(receive, add_times(leaves, latency));
    tell(event, true, start, add_times(leaves, bytes));
    pass(event, add_times(leaves, bytes));
  }

  void receive(Event event) {
    const std::size_t rank = graph_.ranks[event];
    const Picoseconds start = receives_.start(rank, ready_[event]);
    const Picoseconds overhead = jitter_(times_.overhead, rank, receives_.number(rank), 2), bytes = bytes_time(event);
    const Picoseconds turn = times(turns(event), overhead);
    receives_.take(rank, add_times(start, add_times(std::max(times_.gap, turn), bytes)), add_times(start, turn));
    Picoseconds end = add_times(start, bytes);
    if (links_) end = std::max(end, tails_[event]);
    end = add_times(end, overhead);
    const std::uint32_t round = graph_.rounds[event];
    round_ends_[round] = std::max(round_ends_[round], end);
    tell(event, false, start, end);
    ++arrived_;
    if (options_.progress && arrived_ % messages_between_talk == 0) options_.progress(arrived_, graph_.messages);
    pass(event, end);
    if (!barriers_.empty()) {
      barriers_[round] = std::max(barriers_[round], end);
      if (--messages_left_[round] == 0 && round + 1 < barriers_.size())
        for (const Event gate : graph_.gates_of_round[round + 1]) arrive(gate, barriers_[round]);
    }
  }

  void tell(Event event, bool sends, Picoseconds begin, Picoseconds end) const {
    if (!options_.message_end) return;
    options_.message_end({static_cast<Rank>(graph_.ranks[event]), sends, graph_.round_numbers[graph_.rounds[event]], begin, end});
  }

  void arrive(Event event, Picoseconds time) {
    QUADRILLE_ASSERT(graph_.waits_for[event] > 0);
    ready_[event] = std::max(ready_[event], time);
    if (--graph_.waits_for[event] == 0) waiting_.push_back(event);
  }

  void pass(Event event, Picoseconds time) {
    Picoseconds& end = result_.rank_ends[graph_.ranks[event]];
    end = std::max(end, time);
    for (const Event after : graph_.events_after(event)) arrive(after, time);
  }

  EventSimulation result() && {
    result_.end = *std::max_element(result_.rank_ends.begin(), result_.rank_ends.end());
    if (links_) result_.link_waits = links_->waits();
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

  const MessageTimes& times_;
  const EventOptions& options_;
  const Jitter jitter_;
  EventGraph graph_;
  const std::vector<Picoseconds> begins_;  // when each rank starts
  Direction sends_, receives_;
  std::vector<Picoseconds> ready_;     // by event: the latest time among the events for which it has waited so far
  std::vector<Event> waiting_;         // events to be processed
  std::vector<Count> messages_left_;   // by round: messages that have not arrived yet
  std::vector<Picoseconds> barriers_;  // by round: end of the barrier after it; empty without barriers
  std::unique_ptr<LinkService> links_;
  std::vector<Picoseconds> tails_;  // by receive, with links: when its last byte arrives
  std::vector<Picoseconds> round_begins_, round_ends_;
  Count arrived_ = 0;
  EventSimulation result_;
};

void check_options(const Schedule& schedule, const MessageTimes& times, const EventOptions& options) {
  const auto refuse = [](const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); };
  if (options.topology) check_ranks(*options.topology, schedule.problem);
  if (times.ports < 1) refuse("a rank has at least one port");
  if (options.switching == Switching::wormhole && !options.topology)
    refuse("wormhole switching needs a network, such as --topology torus:4x8");
  if (options.channels < 1 || options.channels > 2)
    refuse(fmt::format("a link has one or two virtual channels, not {}", options.channels));
  if (options.late_ranks < 0 || options.late_ranks > schedule.problem.ranks)
    refuse(fmt::format("{} of {} ranks cannot be late", options.late_ranks, schedule.problem.ranks));
  if (options.late_by < 0) refuse("ranks cannot be late by a negative time");
  if (options.slow_links != 0 && !options.topology) refuse("slow links need a network, such as --topology torus:4x8");
  if (options.topology && (options.slow_links < 0 || options.slow_links > options.topology->link_count()))
    refuse(fmt::format("{} has {} links; {} of them cannot be slow", options.topology->name(), options.topology->link_count(),
                       options.slow_links));
  if (!(options.slowness >= 1 && options.slowness <= 1e9)) refuse("slow links take from 1 to 10^9 times as long");
  if (!(options.jitter >= 0 && options.jitter <= 1))
    refuse(fmt::format("the jitter is {:g}; it must be a share from 0 to 1: 0.05 makes overheads and latencies longer by up to 5 %",
                       options.jitter));
}

}  // namespace

EventSimulation simulate_events(const Schedule& schedule, const MessageTimes& times, const EventOptions& options) {
  check_options(schedule, times, options);
  return Run(schedule, times, options).run();
}

}  // namespace quadrille
