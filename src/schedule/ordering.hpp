// SPDX-License-Identifier: BSD-3-Clause
// What waits for what in one rank's program under a policy. The verifier, the event simulator and the scripts of the executors all
// read it, so that what was verified is what is simulated and what runs.
//
// Every policy keeps the dependences of dependence.hpp, with three rules on top:
// - A send is packed first if a receive that may be under way at the same time overwrites its memory. Whatever overwrites this
//   memory then waits until what the send reads is final and the send's turn in its channel has come. It does not wait until the
//   send is complete.
// - Receives of one round never wait for each other. The test for overlap is conservative, so they may seem to overlap.
// - A round of control messages alone waits for all messages before it, and all after it wait for it. Control messages that come
//   with payload wait for nothing: they go with it.
// Programs are in posting order (transform.hpp). Messages of one channel are also posted in this order (meetings.hpp).
#pragma once

#include <vector>

#include "quadrille/schedule.hpp"
#include "schedule/dependence.hpp"

namespace quadrille {

// The window of each of the program's rounds: the locals of a window run first, in program order, then its messages are
// posted together, then all are waited for. `blocking`: one round a window. `nonblocking`: a stage's rounds, cut where a
// round depends on a message of the same window. A window holds consecutive rounds, so whoever waits, waits only for
// rounds before: if all messages match, the unfinished one of the lowest round can always be posted by both ends, and no
// cut can deadlock. `dataflow` has no windows; asking for them is a broken contract.
std::vector<std::size_t> windows(const Program& program, const DependenceGraph& graph, Policy policy);

struct PackedSend {
  std::size_t send, receive;  // operations
};

// Sends that are packed for a receive that overwrites their memory, within groups of rounds: `group_of_round` has the windows, or
// under dataflow the rounds themselves, since packing more would take more staging memory.
std::vector<PackedSend> packed_sends(const DependenceGraph& graph, const std::vector<std::size_t>& group_of_round);
std::vector<std::size_t> every_round_alone(const Program& program);

struct Ordering {
  enum class Kind : std::uint8_t { gate, local, send, receive };

  // Gates take no time. A gate of no operation stands between two windows, or before or after a round of control messages alone;
  // one of a send is passed when the send may be packed.
  struct Node {
    Kind kind = Kind::gate;
    std::size_t round = 0;  // position in Program::rounds; of a gate the round that it stands at
    std::size_t operation = no_operation;
  };

  struct Edge {
    std::size_t from, to;  // nodes: `to` starts when `from` is complete
  };

  std::vector<Node> nodes;  // messages in posting order; locals under dataflow only, since windows have them run at once
  std::vector<Edge> edges;
};

// `graph` is that of the program. Under blocking its operations are enough.
Ordering ordering(const Program& program, const DependenceGraph& graph, Policy policy);

}  // namespace quadrille
