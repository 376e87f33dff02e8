// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives. A channel is an ordered pair of ranks. The k-th send of a channel matches its k-th
// receive, where both ranks count in the order in which they post messages (in_posting_order). Executors match by
// position, because they cannot give each message a tag of its own. In a schedule without findings, the two matching
// ends also have the same round and port.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "schedule/dependence.hpp"

namespace quadrille {

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
