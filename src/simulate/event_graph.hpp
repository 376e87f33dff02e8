// SPDX-License-Identifier: BSD-3-Clause
// A schedule as a graph of events. Events are the two ends of each message, and gates. A gate takes no time and opens when all
// events before it have happened. The policies differ only in the edges. Under `blocking` and `nonblocking`, each window has a
// gate, which waits for the messages of the window before. Under `dataflow`, the edges are the dependences themselves, with a gate
// for each local operation (schedule/ordering.hpp). The edges of `blocking` demand every order that those of `nonblocking` demand,
// and these demand every order that those of `dataflow` demand. So `nonblocking` never takes longer than `blocking`, and `dataflow`
// never longer than `nonblocking` (docs/simulation.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quadrille/schedule.hpp"

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
  std::vector<std::uint32_t> waits_for;       // number of events for which it waits; a receive also waits for its send
  // Index in `after` of the events of the same rank that wait for this one; one more entry marks the end.
  std::vector<std::size_t> first_after;
  std::vector<Event> after;
  std::vector<Event> first_send, first_receive;  // by rank; none if there is none

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

}  // namespace quadrille
