// SPDX-License-Identifier: BSD-3-Clause
// Which send meets which receive. A channel is an ordered pair of ranks. The k-th send of a channel meets its k-th receive, both
// counted in the order in which their ranks post them (in_posting_order): that is how executors match messages, without an
// unbounded range of tags. In a schedule without findings these two are also of the same round and port.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "schedule/dependence.hpp"

namespace quadrille {

// One rank's view of its channels.
struct ChannelPlace {
  std::size_t previous = no_operation;  // the operation before in the channel
  std::uint32_t position = 0;           // so many are before it
};

// Of each operation of a program in posting order; locals are in no channel.
std::vector<ChannelPlace> channel_places(const Program& program, const DependenceGraph& graph);

// Walks sends and receives, each sorted by `order`, a three-way comparison of ends: calls meet(send, receive) for those that are
// equal, the first with the first, and lone_send or lone_receive for what is left. By channel alone ends meet by position, as
// executors have them; by channel, round and port those of a schedule do.
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
