// SPDX-License-Identifier: BSD-3-Clause
// What all event-driven simulations have in common: events that wait for others, barriers, and what is reported at the end. A
// derived class says when a message that waits for nothing any more is sent and received.
#pragma once

#include <vector>

#include "quadrille/simulate.hpp"
#include "simulate/event_graph.hpp"
#include "simulate/trouble.hpp"

namespace quadrille {

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
