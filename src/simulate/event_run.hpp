// SPDX-License-Identifier: BSD-3-Clause
// A schedule as a graph of events. Events are the two ends of each message, and gates. A gate takes no time and opens when all
// events before it have happened. The policies differ only in the edges. Under `blocking` and `nonblocking`, each window has a
// gate, which waits for the messages of the window before. Under `dataflow`, the edges are the dependences themselves, with a
// gate for each local operation (schedule/ordering.hpp). `blocking` demands every order of events that `nonblocking` demands, and
// `nonblocking` demands every order that `dataflow` demands. So `nonblocking` never takes longer than `blocking`, and `dataflow`
// never longer than `nonblocking` (docs/simulation.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "foundation/hash.hpp"
#include "quadrille/picoseconds.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille {

enum class EventKind : std::uint8_t { gate, send, receive };

// All arrays are indexed by event unless stated otherwise. The events of a rank are consecutive, and its rounds are
// in order. Its sends are in the order in which they are posted, and so are its receives.
struct EventGraph {
  using Event = std::uint32_t;
  static constexpr Event none = static_cast<Event>(-1);

  std::vector<EventKind> kinds;
  std::vector<std::uint8_t> meets_other_way;  // of a message: 1 if its rank both sends and receives in its round
  std::vector<std::uint32_t> ranks;           // the rank of the event
  std::vector<std::uint32_t> rounds;          // of a message: index in round_numbers
  std::vector<Bytes> bytes;                   // of a message
  std::vector<Event> other_ends;              // of a send: its receive
  std::vector<Port> ports;                    // of a send: its port; dimension -1 means none. Empty if no message has a port
  std::vector<Event> next;                    // of a send (receive): the same rank's next send (receive)
  std::vector<std::uint32_t> waits_for;       // number of events that must happen before; a receive also waits for its send
  // Index in `after` of the first of the events of the same rank that wait for this event; one more entry marks the end.
  std::vector<std::size_t> first_after;
  std::vector<Event> after;
  std::vector<Event> first_send, first_receive;  // by rank; `none` if the rank has none

  std::vector<Count> round_numbers;  // rounds with a message, in ascending order
  std::vector<Stage> stages;
  Count messages = 0;

  // Used with barriers, otherwise empty. The gates of each round also wait until all messages of the round before have arrived.
  std::vector<std::vector<Event>> gates_of_round;
  std::vector<Count> messages_of_round;

  std::span<const Event> events_after(Event event) const {
    return {after.data() + first_after[event], first_after[event + 1] - first_after[event]};
  }
};

struct EventGraphOptions {
  Policy policy = Policy::blocking;
  bool barriers = false;
  // If true, a message may have only one end, or ends with different rounds or lengths. A send without a receive
  // then has other_ends `none`.
  bool takes_lone_messages = false;
};

// Makes the graph, one program at a time. Throws Error{misuse} if a message has only one end, and Error{too_large}
// beyond 2^32 events.
EventGraph event_graph(const Schedule& schedule, const EventGraphOptions& options);

// What all event-driven simulations have in common: events that wait for others, barriers, random disturbances, and what is
// reported at the end.

// Random disturbances of a simulation, drawn from a seed. They are the same on every machine and do not depend on the order in
// which they are requested.
//
// Lengthens each time by a random share of this time. The share is uniformly distributed from 0 to `share`.
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

// The derived class decides when a message is sent and received, once its waits are over.
class EventRun {
 protected:
  using Event = EventGraph::Event;

  EventRun(const Schedule& schedule, const EventOptions& options);
  ~EventRun() = default;

  // Called for each send and each receive when all events for which it waits have happened. It may start at ready(event).
  virtual void start(Event event) = 0;

  void begin();   // starts the events that wait for nothing
  void settle();  // starts the events whose waits the preceding `arrive`, `send_ends` and `receive_ends` have ended
  void arrive(Event event, Picoseconds time);  // one of the events for which `event` waits is complete
  // The send, or the receive, is complete. Its rank was busy with it from `begin` on.
  void send_ends(Event event, Picoseconds begin, Picoseconds end);
  void receive_ends(Event event, Picoseconds begin, Picoseconds end);
  EventSimulation result();  // throws Error{misuse} if messages are missing, because of a deadlock

  const EventGraph& graph() const { return graph_; }
  Picoseconds ready(Event event) const { return ready_[event]; }
  Rank sender(Event message) const { return message_numbers_[message].sender; }   // only with message_end or link_use
  Count number(Event message) const { return message_numbers_[message].number; }  // likewise; numbered as in MessageEnd
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

// The event-driven simulator of the flat machine [liu2002, section 2]. Each rank has a processor, an engine for direct memory
// access (DMA), an output port and an input port, and each of these serves one message at a time, first come, first served. A
// message takes, one after the other:
//   1. the sender's processor, which composes it;
//   2. the sender's processor for the sender's start-up;
//   3. the sender's DMA engine, which copies it to the network interface;
//   4. the sender's output port and the receiver's input port together. The output port waits for the input port, so messages
//      for one rank that meet delay their senders [liu2002, figure 3];
//   5. the receiver's DMA engine;
//   6. the receiver's processor for the receiver's start-up.
// The send is complete after 4. A rank begins 5 when it has posted the receive; messages that arrive before wait in the interface.
// If sends and receives become ready at the same time, sends go first.
//   Under the policy `blocking`, the processor does all the work of its rank except that of the input port, and does the steps 1
// to 4 of a message without interruption, and likewise the steps 5 and 6. The same holds under all policies if the machine
// overlaps nothing.

EventSimulation simulate_resources(const Schedule& schedule, const ResourceTimes& times, const EventOptions& options);

}  // namespace quadrille
