// SPDX-License-Identifier: BSD-3-Clause
// Says which operations of one rank's program wait for which, under each policy. The verifier, the event simulator
// and the scripts of the executors all use this file. Hence the order that was verified is the one that is simulated
// and executed.
//
// Every policy obeys the dependences of dependence.hpp, with three additional rules:
// - If a receive may arrive while a send is in progress and overwrites its memory, the send is packed first. An
//   operation that overwrites this memory waits only until the send has been packed, which is possible once the data
//   is final and the earlier sends of its channel have been posted or packed. It does not wait for the send to
//   complete.
// - Receives of one round never wait for each other, although they may seem to overlap, because the overlap test is
//   conservative.
// - A round that has only control messages waits for all messages before it, and all messages after it wait for it.
//   Control messages that accompany payload wait for nothing.
// Programs must be in posting order (transform.hpp). Messages of one channel are also posted in this order
// (meetings.hpp).
#pragma once

#include <vector>

#include "quadrille/schedule.hpp"
#include "schedule/dependence.hpp"

namespace quadrille {

// Returns the window of each of the program's rounds. In a window, the local operations run first, in program order;
// then all messages are posted, and then all are waited for. Under `blocking`, each round is a window. Under
// `nonblocking`, the rounds of a stage form a window, which is cut before a round that depends on a message of the
// same window.
//
// No cut can cause a deadlock, if all messages match. Windows consist of consecutive rounds, so a rank waits only for
// earlier rounds. Take the unfinished message of the lowest round: all earlier rounds are complete at both ends, so
// both can post it. `dataflow` has no windows; the caller must not ask for them.
std::vector<std::size_t> windows(const Program& program, const DependenceGraph& graph, Policy policy);

struct PackedSend {
  std::size_t send, receive;  // indices of operations
};

// Returns the sends that are packed because a receive of the same group overwrites their memory, and that receive.
// `group_of_round` gives the group of each round: the windows, or under dataflow the single rounds
// (every_round_alone), because packing more sends would take more staging memory.
std::vector<PackedSend> packed_sends(const DependenceGraph& graph, const std::vector<std::size_t>& group_of_round);
std::vector<std::size_t> every_round_alone(const Program& program);

struct Ordering {
  enum class Kind : std::uint8_t { gate, local, send, receive };

  // A gate takes no time. A gate without an operation stands between two windows, or before or after a round that has
  // only control messages. The gate of a send opens when the send may be packed.
  struct Step {
    Kind kind = Kind::gate;
    std::size_t round = 0;  // index in Program::rounds; for a gate, the round at which it stands
    std::size_t operation = no_operation;
  };

  struct Edge {
    std::size_t from, to;  // indices of steps: `to` starts when `from` is complete
  };

  // Messages in posting order; local operations only under dataflow, because a window runs them at its start.
  std::vector<Step> steps;
  std::vector<Edge> edges;
};

// Returns the ordering of the program. `graph` holds its dependences; under blocking it needs only the operations.
Ordering ordering(const Program& program, const DependenceGraph& graph, Policy policy);

}  // namespace quadrille
