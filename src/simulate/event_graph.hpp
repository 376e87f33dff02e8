// SPDX-License-Identifier: BSD-3-Clause
// A schedule as a graph of events: both ends of each message, and gates, which take no time and pass when all before them have. The
// policies differ in the edges alone. `blocking` and `nonblocking` have a gate before each window, which waits for the messages of
// the window before; `dataflow` has the dependences themselves, with a gate for each local operation (schedule/ordering.hpp). So
// the edges of one policy follow from those of the policy before it in this list, which is why none takes longer
// (docs/simulation.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

enum class EventKind : std::uint8_t { gate, send, receive };

// Events of a rank follow each other, and so do the rounds of a rank: its sends stand in the order in which they are posted, and so
// do its receives. All that is known of an event by its number.
struct EventGraph {
  using Event = std::uint32_t;
  static constexpr Event none = static_cast<Event>(-1);

  std::vector<EventKind> kinds;
  std::vector<std::uint8_t> meets_other_way;  // messages: does their rank send and receive in their round?
  std::vector<std::uint32_t> ranks;           // that an event is of
  std::vector<std::uint32_t> rounds;          // messages: index in round_numbers
  std::vector<Bytes> bytes;                   // messages
  std::vector<Event> other_ends;              // of a send, its receive
  std::vector<Port> ports;                    // of a send, its port; dimension -1: none. Empty: no message has one
  std::vector<Event> next;                    // of a rank's send (receive), its next send (receive)
  std::vector<std::uint32_t> waits_for;       // so many events; of a receive its send among them
  std::vector<std::size_t> first_after;       // in `after`, the events of the same rank that wait for this one; and the end
  std::vector<Event> after;
  std::vector<Event> first_send, first_receive;  // of each rank, or none

  std::vector<Count> round_numbers;  // ascending, those with a message
  std::vector<Stage> stages;
  Count messages = 0;

  // With barriers: the gates of a round, which also wait until all messages of the round before have arrived. Empty without.
  std::vector<std::vector<Event>> gates_of_round;
  std::vector<Count> messages_of_round;

  std::span<const Event> events_after(Event event) const {
    return {after.data() + first_after[event], first_after[event + 1] - first_after[event]};
  }
};

struct EventGraphOptions {
  Policy policy = Policy::blocking;
  bool barriers = false;
  // True: messages that meet nobody, or one of another round or length, are no error; a send that meets nobody has no other end.
  bool takes_lone_messages = false;
};

// Makes one program at a time. Throws Error{misuse} where a message has one end only, and Error{too_large} beyond 2^32 events.
EventGraph event_graph(const Schedule& schedule, const EventGraphOptions& options);

}  // namespace quadrille
