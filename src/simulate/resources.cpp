// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/event_run.hpp"

#include <algorithm>
#include <queue>
#include <vector>

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

enum class Resource : std::uint8_t { processor, dma_engine, output_port, input_port };
constexpr std::size_t resource_count = 4;

// Work on a message at one of the two ranks. In the last part of a send, the message moves to the receiver.
enum class Part : std::uint8_t { compose, start, copy_out, move, copy_in, finish };

class ResourceRun : public EventRun {
 public:
  ResourceRun(const Schedule& schedule, const ResourceTimes& times, const EventOptions& options)
      : EventRun(schedule, options),
        times_(times),
        is_serial_(!times.overlap || options.barriers || options.policy == Policy::blocking),
        queues_(index(schedule.problem.ranks) * resource_count),
        parts_(graph().kinds.size()),
        begins_at_(graph().kinds.size(), not_begun) {}

  EventSimulation run() && {
    begin();
    while (!calendar_.empty()) {
      const Entry entry = calendar_.top();
      calendar_.pop();
      QUADRILLE_ASSERT(entry.time >= now_);
      now_ = entry.time;
      switch (entry.kind) {
        case Kind::part_ends: part_ends(entry.number); break;
        case Kind::may_start: ask(entry.number); break;
        case Kind::serve: serve(entry.number); break;
      }
      settle();
    }
    return result();
  }

 private:
  static constexpr Picoseconds not_begun = -1;

  enum class Kind : std::uint8_t { part_ends, may_start, serve };  // at the same time, in this order

  struct Entry {
    Picoseconds time = 0;
    Kind kind = Kind::serve;
    std::uint32_t number = 0;  // the number of an event, or for `serve` of a queue
    bool operator>(const Entry& other) const {
      return std::tuple(time, kind, number) > std::tuple(other.time, other.kind, other.number);
    }
  };

  struct Waiting {
    Picoseconds since = 0;
    bool receives = false;
    Event message = 0;
    bool operator>(const Waiting& other) const {
      return std::tuple(since, receives, message) > std::tuple(other.since, other.receives, other.message);
    }
  };

  struct Queue {
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    bool is_taken = false;  // the resource serves a message, or is about to look at the queue
  };

  void start(Event event) override {
    parts_[event] = is_send(event) ? Part::compose : Part::copy_in;
    if (ready(event) <= now_) return ask(event);
    calendar_.push({ready(event), Kind::may_start, event});
  }

  bool is_send(Event event) const { return graph().kinds[event] == EventKind::send; }

  static bool is_last(Part part) { return part == Part::move || part == Part::finish; }

  Resource resource_of(Part part) const {
    switch (part) {
      case Part::compose:
      case Part::start:
      case Part::finish: return Resource::processor;
      case Part::copy_out:
      case Part::copy_in: return is_serial_ ? Resource::processor : Resource::dma_engine;
      case Part::move: return is_serial_ ? Resource::processor : Resource::output_port;
    }
    return Resource::processor;
  }

  Picoseconds time_of(Event event, Part part) const {
    const Bytes bytes = graph().bytes[event];
    switch (part) {
      case Part::compose: return times_.compose.of(bytes);
      case Part::start: return jitter_(times_.send_startup, graph().ranks[event], event, 0);
      case Part::copy_out: return times_.copy_out.of(bytes);
      case Part::move: return times_.wire.of(bytes);
      case Part::copy_in: return times_.copy_in.of(bytes);
      case Part::finish: return jitter_(times_.receive_startup, graph().ranks[event], event, 0);
    }
    return 0;
  }

  std::uint32_t queue_of(Event event, Resource resource) const {
    return graph().ranks[event] * static_cast<std::uint32_t>(resource_count) + static_cast<std::uint32_t>(resource);
  }

  // Lets the message wait for the resource of its next part.
  void ask(Event event) {
    skip(event);
    enter(queue_of(event, resource_of(parts_[event])), event);
  }

  // Passes over composing and copying if they take no time. A start-up waits for the processor even if it takes no time, so that
  // a rank composes all messages that are ready before it starts the first.
  void skip(Event event) {
    const auto may_skip = [](Part part) { return part == Part::compose || part == Part::copy_out || part == Part::copy_in; };
    while (may_skip(parts_[event]) && time_of(event, parts_[event]) == 0) go_on(event);
  }

  void go_on(Event event) { parts_[event] = static_cast<Part>(static_cast<std::uint8_t>(parts_[event]) + 1); }

  void enter(std::uint32_t queue, Event event) {
    queues_[queue].waiting.push({now_, !is_send(event), event});
    if (!queues_[queue].is_taken) free(queue);
  }

  // The resource looks at its queue when everything else that happens at this time is done.
  void free(std::uint32_t queue) {
    queues_[queue].is_taken = !queues_[queue].waiting.empty();
    if (queues_[queue].is_taken) calendar_.push({now_, Kind::serve, queue});
  }

  void serve(std::uint32_t number) {
    Queue& queue = queues_[number];
    QUADRILLE_ASSERT(queue.is_taken && !queue.waiting.empty());
    const Event event = queue.waiting.top().message;
    queue.waiting.pop();
    if (number % resource_count == static_cast<std::size_t>(Resource::input_port)) {
      if (!is_serial_) begins_at_[graph().other_ends[event]] = now_;
      work(event);
      return;
    }
    if (begins_at_[event] == not_begun) begins_at_[event] = now_;
    take_up(event);
  }

  // The resource of the message's part begins to serve the message.
  void take_up(Event event) {
    if (parts_[event] == Part::move)
      enter(queue_of(graph().other_ends[event], Resource::input_port), event);
    else
      work(event);
  }

  void work(Event event) { calendar_.push({add_times(now_, time_of(event, parts_[event])), Kind::part_ends, event}); }

  void part_ends(Event event) {
    const Part part = parts_[event];
    QUADRILLE_ASSERT(is_send(event) == (part <= Part::move) && begins_at_[event] != not_begun);
    const std::uint32_t queue = queue_of(event, resource_of(part));
    if (!is_last(part)) {
      go_on(event);
      if (is_serial_) return skip(event), take_up(event);
      free(queue);
      return ask(event);
    }
    free(queue);
    if (part == Part::move) {
      const Event receive = graph().other_ends[event];
      free(queue_of(receive, Resource::input_port));
      send_ends(event, begins_at_[event], now_);
      arrive(receive, now_);
    } else {
      receive_ends(event, begins_at_[event], now_);
    }
  }

  const ResourceTimes& times_;
  const bool is_serial_;
  std::vector<Queue> queues_;  // by rank and resource
  std::vector<Part> parts_;    // by event: the part that waits or is being done
  std::vector<Picoseconds>
      begins_at_;  // by event: when its rank began to work on it, at the input port or, if serial, with the processor
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> calendar_;
  Picoseconds now_ = 0;
};

}  // namespace

EventSimulation simulate_resources(const Schedule& schedule, const ResourceTimes& times, const EventOptions& options) {
  return ResourceRun(schedule, times, options).run();
}

}  // namespace quadrille
