// SPDX-License-Identifier: BSD-3-Clause
// How the links of a simulated network carry messages. A link carries the bytes of one message at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "quadrille/picoseconds.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

class LinkService {
 public:
  using Number = std::uint32_t;  // of a message

  struct Delivery {
    Number message = 0;
    Picoseconds head = 0, tail = 0;  // when its first and its last byte reach the receiver
  };

  virtual ~LinkService() = default;

  // Enters a message whose first byte leaves its sender at `time`. `time` must not be earlier than the time of the last head that
  // `next` moved. `latency` is added once, after the last link.
  virtual void send(Number message, Rank from, Rank to, const std::optional<Port>& port, Picoseconds time, Picoseconds bytes_time,
                    Picoseconds latency) = 0;

  // Returns the message whose head leaves its last link next, or nothing if no message in the network can move.
  virtual std::optional<Delivery> next() = 0;

  // If messages in the network wait for each other for ever, returns a sentence that says which.
  virtual std::optional<std::string> deadlock() { return std::nullopt; }

  Count waits() const { return waits_; }  // how often a message has waited at a link

  // Called for each link of each message, if it is set.
  std::function<void(Number message, std::size_t hop, Picoseconds begin, Picoseconds end)> used;

 protected:
  Count waits_ = 0;
};

}  // namespace quadrille
