// SPDX-License-Identifier: BSD-3-Clause
// Says which operations of one rank's program wait for which other operations, under each policy. The verifier, the
// event simulator and the scripts of the executors all use this file. So the verified order is also the simulated and
// the executed order.
//
// Every policy obeys the dependences of dependence.hpp, with three additional rules:
// - A send is packed if a receive that may arrive while the send is in progress overwrites the memory that it sends. Packing is
//   possible when the data is final and the earlier sends of the channel have been posted or packed. An operation that overwrites
//   the memory waits only for the packing, not for the completion of the send.
// - Receives of one round never wait for each other. The dependences may say otherwise, because the overlap test is
//   conservative.
// - A round that has only control messages waits for all messages before it, and all messages after it wait for it.
//   Control messages that accompany payload wait for nothing.
// Programs must be in posting order (composition.hpp). Messages of one channel are also posted in this order
// (dependence.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/schedule.hpp"
#include "schedule/dependence.hpp"

namespace quadrille {

// Returns the policy's name as the command line writes it.
inline std::string_view name(Policy policy) {
  static constexpr ByEnum<Policy, std::string_view, 3> names{{"blocking", "nonblocking", "dataflow"}};
  return names[policy];
}

// Returns the window of each of the program's rounds. In a window, the local operations run first, in program order; then all
// messages are posted, and then the rank waits for all of them. Under `blocking`, each round is a window. Under `nonblocking`,
// the rounds of a stage form a window. Such a window is cut before a round that must wait for a message of the same window, and
// before and after a round that has only control messages (the rules above).
//
// No cut can cause a deadlock, if all messages match. Windows consist of consecutive rounds, so a rank waits only for
// earlier rounds. Consider an unfinished message of the lowest round. All earlier rounds are complete at both ends, so
// both ends can post it. `dataflow` has no windows; the caller must not ask for them.
std::vector<std::size_t> windows(const Program& program, const DependenceGraph& graph, Policy policy);

struct PackedSend {
  std::size_t send, receive;  // indices of operations
};

// Returns the sends that are packed because a receive of the same group overwrites their memory, each with this receive.
// `group_of_round` gives the group of each round. The groups are the windows or, under dataflow, single rounds
// (every_round_alone), because larger groups would pack more sends and take more staging memory.
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

// Returns the ordering of the program. `graph` has the program's dependences; under blocking the operations alone suffice.
Ordering ordering(const Program& program, const DependenceGraph& graph, Policy policy);

}  // namespace quadrille
