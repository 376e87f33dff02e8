// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/planned/dense_windows.hpp"

#include <algorithm>
#include <limits>

#include "execute/transport.hpp"

namespace quadrille {
namespace {

// Does the message go through a block, in at most one copy out of it?
bool is_plain(const ScriptMessage& message, const SendAreaLayout::Posting& posting, const Connection::Receive& receive) {
  if (message.is_send) return !posting.is_long;
  return !receive.is_long && !receive.is_fused && receive.length == static_cast<std::uint64_t>(message.bytes) &&
         receive.payload - receive.head <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

DenseWindows::DenseWindows(const Script& script, const SendAreaLayout& layout, const Connection& connection) {
  static_assert(SendAreaLayout::most_blocks - 1 <= std::numeric_limits<decltype(DenseReceive::block_mask)>::max());
  for (const auto& [before, messages, after, first_round, last_round] : script.windows) {
    Window& window = windows_.emplace_back();
    window.is_dense = messages.size() > 0;
    for (std::uint32_t i = messages.first; i < messages.last; ++i)
      window.is_dense = window.is_dense && is_plain(script.messages[i], layout.postings[i], connection.receives[i]);
    window.receives.first = window.receives.last = static_cast<std::uint32_t>(receives_.size());
    if (!window.is_dense) continue;
    for (std::uint32_t i = messages.first; i < messages.last; ++i) {
      if (layout.postings[i].is_send) {
        window.group = layout.postings[i].group;
        continue;
      }
      const Connection::Receive& receive = connection.receives[i];
      receives_.push_back({.first_head = receive.blocks.first + receive.head,
                           .block_bytes = receive.blocks.bytes,
                           .target = receive.target,
                           .payload = static_cast<std::uint32_t>(receive.payload - receive.head),
                           .length = receive.length,
                           .message = i,
                           .block_mask = static_cast<std::uint8_t>(receive.blocks.mask),
                           .target_buffer = receive.target_buffer});
    }
    window.receives.last = static_cast<std::uint32_t>(receives_.size());
  }
}

void DenseWindows::take_sizes(const Connection& connection) {
  for (DenseReceive& each : receives_) {
    const Connection::Receive& receive = connection.receives[each.message];
    each.target = receive.target;
    each.payload = static_cast<std::uint32_t>(receive.payload - receive.head);
    each.length = receive.length;
  }
}

Bytes DenseWindows::memory_bytes() const { return memory_bytes_of(windows_, receives_); }

}  // namespace quadrille
