// SPDX-License-Identifier: BSD-3-Clause
// The event-driven simulator: LogGP for each rank, with several ports and with queues at links. A rank processes its sends in
// posting order, and likewise its receives. Each message uses the port that becomes free first. Every time is a sum of terms and
// of maxima of earlier times. So delaying an event never makes another event earlier. Without links, the result does not depend
// on the order in which events are processed. With links, messages pass through the network in order of time. Source:
// [alexandrov1995]; [hoefler2010] for simulating ranks from their dependences.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "foundation/assert.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/simulate.hpp"
#include "simulate/event_run.hpp"
#include "simulate/link_service.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {
namespace {

using Event = EventGraph::Event;

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

  // Occupies a port until `port_until`, and the rank's processor until `processor_until`.
  void take(std::size_t rank, Picoseconds port_until, Picoseconds processor_until) {
    const auto first = free_.begin() + static_cast<std::ptrdiff_t>(rank * ports_),
               end = first + static_cast<std::ptrdiff_t>(ports_);
    auto place = first;
    QUADRILLE_ASSERT(port_until >= *first && processor_until >= processor_free_[rank]);
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

class LogGpRun : public EventRun {
 public:
  LogGpRun(const Schedule& schedule, const MessageTimes& times, const EventOptions& options)
      : EventRun(schedule, options),
        times_(times),
        sends_(port_count(), begins(), graph().first_send),
        receives_(port_count(), begins(), graph().first_receive) {
    if (options.topology) {
      if (options.switching == Switching::wormhole)
        links_ = std::make_unique<WormholeLinks>(*options.topology, options.channels, slow_links(), options.slowness);
      else
        links_ = std::make_unique<LinkQueues>(*options.topology, slow_links(), options.slowness);
      tails_.resize(graph().kinds.size(), 0);
      if (options.link_use)
        links_->used = [this](Event message, std::size_t hop, Picoseconds begin, Picoseconds end) {
          options_.link_use({sender(message), number(message), hop, begin, end});
        };
    }
  }

  EventSimulation run() && {
    begin();
    while (links_) {
      const auto delivery = links_->next();
      if (!delivery) break;
      const Event receive = graph().other_ends[delivery->message];
      QUADRILLE_ASSERT(delivery->head <= delivery->tail && tails_[receive] == 0);
      tails_[receive] = delivery->tail;
      arrive(receive, delivery->head);
      settle();
    }
    if (const auto circle = links_ ? links_->deadlock() : std::nullopt)
      throw Error(ErrorCode::misuse, fmt::format("the network is in a deadlock: {}", *circle));
    EventSimulation all = result();
    if (links_) all.link_waits = links_->waits();
    return all;
  }

 private:
  // Returns the number of ports to simulate: a rank cannot use more ports than it has messages.
  Count port_count() const {
    std::vector<Count> sends(graph().first_send.size(), 0), receives(sends);
    for (std::size_t event = 0; event < graph().kinds.size(); ++event) {
      if (graph().kinds[event] == EventKind::send) ++sends[graph().ranks[event]];
      if (graph().kinds[event] == EventKind::receive) ++receives[graph().ranks[event]];
    }
    return std::clamp<Count>(
        std::max(*std::max_element(sends.begin(), sends.end()), *std::max_element(receives.begin(), receives.end())), 1,
        times_.ports);
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
    return times_.per_byte.of(std::max<Bytes>(0, graph().bytes[message] - (times_.is_first_byte_included ? 1 : 0)));
  }

  std::optional<Port> port_of(Event send) const {
    return graph().ports.empty() || graph().ports[send].dimension < 0 ? std::nullopt : std::optional(graph().ports[send]);
  }

  // Returns the number of overheads after which the next send, or receive, may start. A processor that both sends and receives
  // alternates between them, so the number is then 2.
  Count turns(Event message) const { return graph().meets_other_way[message] ? 2 : 1; }

  // Processes the rank's queue in order, up to the first message that still waits.
  void start(Event event) override {
    const bool sends = graph().kinds[event] == EventKind::send;
    Event& next = (sends ? sends_ : receives_).next(graph().ranks[event]);
    while (next != EventGraph::none && graph().waits_for[next] == 0) {
      sends ? send(next) : receive(next);
      next = graph().next[next];
    }
  }

  void send(Event event) {
    const std::size_t rank = graph().ranks[event];
    const Picoseconds start = sends_.start(rank, ready(event));
    const std::uint32_t number = sends_.number(rank);
    const Picoseconds overhead = jitter_(times_.overhead, rank, number, 0), latency = jitter_(times_.latency, rank, number, 1);
    const Picoseconds bytes = bytes_time(event);
    const Picoseconds leaves = add_times(start, overhead);
    const Picoseconds turn = times(turns(event), overhead);
    sends_.take(rank, add_times(start, add_times(std::max(times_.gap, turn), bytes)), add_times(start, turn));
    const Event receive = graph().other_ends[event];
    QUADRILLE_ASSERT(receive != EventGraph::none && graph().kinds[receive] == EventKind::receive);
    if (links_)
      links_->send(event, graph().ranks[event], graph().ranks[receive], port_of(event), leaves, bytes, latency);
    else
      arrive(receive, add_times(leaves, latency));
    send_ends(event, start, add_times(leaves, bytes));
  }

  void receive(Event event) {
    const std::size_t rank = graph().ranks[event];
    const Picoseconds start = receives_.start(rank, ready(event));
    const Picoseconds overhead = jitter_(times_.overhead, rank, receives_.number(rank), 2), bytes = bytes_time(event);
    const Picoseconds turn = times(turns(event), overhead);
    receives_.take(rank, add_times(start, add_times(std::max(times_.gap, turn), bytes)), add_times(start, turn));
    Picoseconds end = add_times(start, bytes);
    if (links_) end = std::max(end, tails_[event]);
    receive_ends(event, start, add_times(end, overhead));
  }

  const MessageTimes& times_;
  Direction sends_, receives_;
  std::unique_ptr<LinkService> links_;
  std::vector<Picoseconds> tails_;  // by receive, with links: when its last byte arrives
};

void check_options(const Schedule& schedule, const MessageTimes& times, const EventOptions& options) {
  const auto refuse = [](const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); };
  if (options.topology && times.resources)
    refuse("the resources of the model flat know no links; simulate events on a network by loggp or linear");
  if (options.topology) check_ranks(*options.topology, schedule.problem);
  if (times.ports < 1) refuse("a rank has at least one port");
  if (options.switching == Switching::wormhole && !options.topology)
    refuse("wormhole switching needs a network, such as --topology torus:4x8");
  if (options.channels < 1 || options.channels > 2)
    refuse(fmt::format("a link has one or two virtual channels, not {}", options.channels));
  if (const std::size_t begins = options.rank_begins.size(); begins != 0 && begins != index(schedule.problem.ranks))
    refuse(fmt::format("{} times are given for the starts of {} ranks", begins, schedule.problem.ranks));
  if (std::any_of(options.rank_begins.begin(), options.rank_begins.end(), [](Picoseconds begin) { return begin < 0; }))
    refuse("a rank cannot start before time 0");
  if (options.late_ranks < 0 || options.late_ranks > schedule.problem.ranks)
    refuse(fmt::format("{} of {} cannot be late", options.late_ranks, counted(schedule.problem.ranks, "rank")));
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
  return times.resources ? simulate_resources(schedule, *times.resources, options) : LogGpRun(schedule, times, options).run();
}

}  // namespace quadrille
