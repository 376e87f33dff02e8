// SPDX-License-Identifier: BSD-3-Clause
// Finds messages of a trace by the order in which ranks post them. Simulations and executions name messages by this order.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/trace.hpp"

namespace quadrille {

// The messages of each sender, in the order in which it posts them. Messages without a sender, or from ranks that do not exist, are
// left out.
class MessagesBySender {
 public:
  explicit MessagesBySender(const Trace& trace) : messages_(trace.problem.ranks) {
    for (std::size_t i = 0; i < trace.messages.size(); ++i) {
      const TracedMessage& message = trace.messages[i];
      if (message.ends != MessageEnds::receiver_only && message.from >= 0 && message.from < trace.problem.ranks)
        messages_[message.from].push_back(i);
    }
  }

  // Returns the index of the number-th message (from 0) that `sender` posts. There must be one.
  std::size_t message(Rank sender, Count number) const { return messages_[sender].at(index(number)); }

 private:
  ByRank<std::vector<std::size_t>> messages_;
};

// The messages of each channel (an ordered pair of ranks) of a right schedule, in the order in which both ranks post them.
class MessagesByChannel {
 public:
  explicit MessagesByChannel(const Trace& trace) {
    for (std::size_t i = 0; i < trace.messages.size(); ++i) messages_[{trace.messages[i].from, trace.messages[i].to}].push_back(i);
  }

  // Returns the index of the number-th message (from 0) of the channel. There must be one.
  std::size_t message(Rank from, Rank to, Count number) const { return messages_.at({from, to}).at(index(number)); }

 private:
  std::map<std::pair<Rank, Rank>, std::vector<std::size_t>> messages_;
};

}  // namespace quadrille
