// SPDX-License-Identifier: BSD-3-Clause
// The dependences between a program's operations, derived from the memory that they read and write. No dependence is written by
// hand. ordering.hpp turns dependences into an order for each execution policy. Also which send meets which receive.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

enum class OperationKind : std::uint8_t { local, send, receive };

// One operation of a program. Program order is round by round, and within a round locals, sends, receives.
struct Operation {
  OperationKind kind;
  std::size_t round;  // index in Program::rounds
  std::size_t index;  // index in the round's list of locals, sends or receives
};

enum class Hazard : std::uint8_t { read_after_write, write_after_read, write_after_write };

struct Dependence {
  std::size_t on;  // index of an earlier operation
  Hazard hazard;
  bool operator==(const Dependence&) const = default;
};

inline constexpr std::size_t no_operation = static_cast<std::size_t>(-1);

struct DependenceGraph {
  std::vector<Operation> operations;
  std::vector<std::vector<Dependence>> before;  // for each operation, the operations that must come first

  const Local& local(const Program& program, std::size_t operation) const;
  const Message& message(const Program& program, std::size_t operation) const;
};

// Returns the dependences of a program. `may_overlap` says which operations touch the same
// memory. If a receive overwrites memory that a send of
// the same round reads, the receive depends on the send (write after read); executors remove this dependence by
// packing the send first.
DependenceGraph dependences(const Program& program);

// Returns the program's operations in program order, without dependences.
std::vector<Operation> operations(const Program& program);

// Do the two regions share a byte? The answer is exact for contiguous regions and for equal strides of one level, and for other
// regions that need at most about a thousand comparisons of runs. Otherwise the answer is "yes". Where the answer is exact,
// dependences do not change if regions are cut into runs, as in the JSON form.
bool may_overlap(const Region& a, const Region& b);

// Matches sends with receives. A channel is an ordered pair of ranks. The k-th send of a channel matches its k-th receive, where
// both ranks count in the order in which they post messages (in_posting_order). Executors match messages by their positions,
// because they cannot give each message a tag of its own. In a schedule without findings, the two matching ends also have the
// same round and port.
//
// The place of an operation in its channel, as one rank sees it.
struct ChannelPlace {
  std::size_t previous = no_operation;  // the previous operation of the channel
  std::uint32_t position = 0;           // number of operations of the channel before this one
};

// Returns the place of each operation of a program in posting order. Local operations belong to no channel.
std::vector<ChannelPlace> channel_places(const Program& program, const DependenceGraph& graph);

// Matches `sends` with `receives`, which are both sorted by `order`, a three-way comparison of ends. Calls
// meets(send, receive) for ends that compare equal, in order, and lone_send or lone_receive for each end without a
// partner. If `order` compares only the channel, ends match by position, as in the executors; if it compares channel,
// round and port, they match as in a schedule.
template <class Sends, class Receives, class Order, class Meet, class LoneSend, class LoneReceive>
void for_each_meeting(const Sends& sends, const Receives& receives, Order&& order, Meet&& meet, LoneSend&& lone_send,
                      LoneReceive&& lone_receive) {
  auto send = sends.begin();
  auto receive = receives.begin();
  while (send != sends.end() || receive != receives.end()) {
    auto turn = send == sends.end() ? std::weak_ordering::greater : std::weak_ordering::less;
    if (send != sends.end() && receive != receives.end()) turn = order(*send, *receive);
    if (turn == 0)
      meet(*send, *receive);
    else if (turn < 0)
      lone_send(*send);
    else
      lone_receive(*receive);
    if (turn <= 0) ++send;
    if (turn >= 0) ++receive;
  }
}

}  // namespace quadrille
