// SPDX-License-Identifier: BSD-3-Clause
// What all event-driven simulations have in common: events that wait for others, barriers, random disturbances, and what is
// reported at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "foundation/hash.hpp"
#include "quadrille/picoseconds.hpp"
#include "quadrille/simulate.hpp"
#include "simulate/event_graph.hpp"

namespace quadrille {

// Random disturbances of a simulation, drawn from a seed. They are the same on every machine and do not depend on the order in
// which they are requested.
//
// Lengthens each time by a random part of itself. The part is uniformly distributed from 0 to `share`.
class Jitter {
 public:
  Jitter(std::uint64_t seed, double share) : seed_(mixed(seed)), share_(share) {}

  // Lengthens one of the times of a message. `number` is the number of the message among the messages that the rank sends, or
  // receives. `which` is the number of the time within the message.
  Picoseconds operator()(Picoseconds time, std::uint64_t rank, std::uint64_t number, std::uint64_t which) const {
    if (share_ == 0) return time;
    const double drawn = static_cast<double>(mixed(seed_ ^ mixed(rank << 32 ^ mixed(4 * number + which))) >> 11) * 0x1p-53;
    return add_times(time, whole_units(static_cast<double>(time) * share_ * drawn));
  }

 private:
  std::uint64_t seed_;
  double share_;
};

// Returns `some` different numbers below `all`, drawn uniformly, in ascending order.
inline std::vector<std::size_t> drawn(std::uint64_t seed, std::size_t some, std::size_t all) {
  std::vector<std::size_t> numbers(all);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  for (std::size_t i = 0; i < some; ++i) std::swap(numbers[i], numbers[i + mixed(seed ^ mixed(i)) % (all - i)]);
  numbers.resize(some);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The derived class says when a message that waits for nothing any more is sent and received.
class EventRun {
 protected:
  using Event = EventGraph::Event;

  EventRun(const Schedule& schedule, const EventOptions& options);
  ~EventRun() = default;

  // Called for each send and each receive when it waits for nothing any more. It may start at ready(event).
  virtual void start(Event event) = 0;

  void begin();   // starts the events that wait for nothing
  void settle();  // starts the events for which the last `arrive`, `send_ends` and `receive_ends` have made way
  void arrive(Event event, Picoseconds time);  // one of the events for which `event` waits is complete
  // The send, or the receive, is complete. Its rank was busy with it from `begin` on.
  void send_ends(Event event, Picoseconds begin, Picoseconds end);
  void receive_ends(Event event, Picoseconds begin, Picoseconds end);
  EventSimulation result();  // throws Error{misuse} if messages are missing, because of a deadlock

  const EventGraph& graph() const { return graph_; }
  Picoseconds ready(Event event) const { return ready_[event]; }
  Rank sender(Event message) const { return message_numbers_[message].sender; }   // only with message_end or link_use
  Count number(Event message) const { return message_numbers_[message].number; }  // likewise, as in MessageEnd
  const std::vector<Picoseconds>& begins() const { return begins_; }              // when each rank starts

  const EventOptions& options_;
  const Jitter jitter_;

 private:
  struct MessageNumber {
    Rank sender = 0;
    Count number = 0;
  };

  void number_messages();
  std::vector<Picoseconds> drawn_begins(Count ranks) const;
  void pass(Event event, Picoseconds time);
  void tell(Event event, bool sends, Picoseconds begin, Picoseconds end) const;

  EventGraph graph_;
  std::vector<MessageNumber> message_numbers_;  // by event: of both ends of each message
  const std::vector<Picoseconds> begins_;
  std::vector<Picoseconds> ready_;     // by event: the latest time among the events for which it has waited so far
  std::vector<Event> waiting_;         // events to be started
  std::vector<Count> messages_left_;   // by round: messages that have not arrived yet
  std::vector<Picoseconds> barriers_;  // by round: end of the barrier after it; empty without barriers
  std::vector<Picoseconds> round_begins_, round_ends_;
  Count arrived_ = 0;
  EventSimulation result_;
};

}  // namespace quadrille
