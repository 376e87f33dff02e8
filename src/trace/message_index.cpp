// SPDX-License-Identifier: BSD-3-Clause
#include "trace/message_index.hpp"

namespace quadrille {

MessagesBySender::MessagesBySender(const Trace& trace) : messages_(trace.problem.ranks) {
  for (std::size_t i = 0; i < trace.messages.size(); ++i) {
    const TracedMessage& message = trace.messages[i];
    if (message.ends != MessageEnds::receiver_only && message.from >= 0 && message.from < trace.problem.ranks)
      messages_[message.from].push_back(i);
  }
}

MessagesByChannel::MessagesByChannel(const Trace& trace) {
  for (std::size_t i = 0; i < trace.messages.size(); ++i) messages_[{trace.messages[i].from, trace.messages[i].to}].push_back(i);
}

}  // namespace quadrille
