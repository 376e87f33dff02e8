// SPDX-License-Identifier: BSD-3-Clause
// Which send meets which receive. A channel is an ordered pair of ranks. The k-th send of a channel meets its k-th receive, both
// counted in the order in which their ranks post them (in_posting_order): that is how executors match messages, without an
// unbounded range of tags. In a schedule without findings these two are also of the same round and port.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "quadrille/indexed.hpp"
#include "schedule/dependence.hpp"

namespace quadrille {

// One rank's view of its channels.
struct ChannelPlace {
  std::size_t previous = no_operation;  // the operation before in the channel
  std::uint32_t position = 0;           // so many are before it
};

// Of each operation of a program in posting order; locals are in no channel.
std::vector<ChannelPlace> channel_places(const Program& program, const DependenceGraph& graph);

// Calls meet(send, receive) for the pairs that meet, and lone(end, is_send) for the ends that meet nobody: receiver by receiver,
// then by sender and position. Numbers are the caller's. `Ends` has
//   void for_each_send(visit)                visit(Rank from, Rank to, Number) for all ranks ascending, each in posting order
//   void for_each_receive(Rank at, visit)    visit(Rank from, Number), in posting order
//   std::strong_ordering order(Number send, Number receive) const    of a channel: an end that comes before what the other side has
//                                            next meets nobody; `equal` lets all meet by position alone
template <class Number, class Ends, class Meet, class Lone>
void for_each_meeting(Count ranks, const Ends& ends, Meet&& meet, Lone&& lone) {
  struct End {
    std::uint32_t sender;
    Number number;
  };
  std::vector<std::size_t> first(index(ranks) + 1, 0);  // of a receiver, in `coming`
  const auto exists = [&](Rank rank) { return rank >= 0 && rank < ranks; };
  ends.for_each_send([&](Rank, Rank to, Number number) {
    if (exists(to))
      ++first[index(to) + 1];
    else
      lone(number, true);
  });
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<End> coming(first.back()), expected;
  std::vector<std::size_t> next = first;
  ends.for_each_send([&](Rank from, Rank to, Number number) {
    if (exists(to)) coming[next[index(to)]++] = {static_cast<std::uint32_t>(from), number};
  });
  for (Rank at = 0; at < ranks; ++at) {
    expected.clear();
    ends.for_each_receive(at, [&](Rank from, Number number) {
      if (exists(from))
        expected.push_back({static_cast<std::uint32_t>(from), number});
      else
        lone(number, false);
    });
    const auto by_sender = [](const End& a, const End& b) { return a.sender < b.sender; };
    if (!std::is_sorted(expected.begin(), expected.end(), by_sender)) std::stable_sort(expected.begin(), expected.end(), by_sender);
    auto receive = expected.begin();
    for (std::size_t s = first[index(at)]; s < first[index(at) + 1] || receive != expected.end();) {
      const bool has_send = s < first[index(at) + 1], has_receive = receive != expected.end();
      std::strong_ordering order = has_send ? std::strong_ordering::less : std::strong_ordering::greater;
      if (has_send && has_receive) {
        order = coming[s].sender <=> receive->sender;
        if (order == 0) order = ends.order(coming[s].number, receive->number);
      }
      if (order == 0)
        meet(coming[s].number, receive->number);
      else if (order < 0)
        lone(coming[s].number, true);
      else
        lone(receive->number, false);
      if (order <= 0) ++s;
      if (order >= 0) ++receive;
    }
  }
}

}  // namespace quadrille
