// SPDX-License-Identifier: BSD-3-Clause
// Queues at the links of a network. Each link carries one message at a time, in the order in which their heads come to it; of those
// that come at the same time the one with the lowest number. A head goes on as soon as its link is free, and its message follows it
// byte by byte (virtual cut-through [kermani1979]): who waits, waits in a switch that has room for it, and holds no other link up.
#pragma once

#include <algorithm>
#include <optional>
#include <queue>
#include <vector>

#include "quadrille/picoseconds.hpp"
#include "topology/per_link.hpp"

namespace quadrille {

class LinkQueues {
 public:
  using Number = std::uint32_t;  // of a message

  struct Delivery {
    Number message = 0;
    Picoseconds head = 0, tail = 0;  // when its first byte and its last come to the receiver
  };

  LinkQueues(const Topology& topology, const std::vector<Count>& slow_links, double slowness)
      : topology_(topology), queues_(topology), slowness_(slowness) {
    for (const Count number : slow_links) queues_[number].is_slow = true;
  }

  // A message whose first byte leaves its sender at `time`, no earlier than the head that `next` has returned last. What is on its
  // way for `latency` is so behind the last link.
  void send(Number message, Rank from, Rank to, const std::optional<Port>& port, Picoseconds time, Picoseconds bytes_time,
            Picoseconds latency) {
    std::uint32_t slot = 0;
    if (unused_.empty()) {
      slot = static_cast<std::uint32_t>(flights_.size());
      flights_.emplace_back();
    } else {
      slot = unused_.back();
      unused_.pop_back();
    }
    Flight& flight = flights_[slot];
    flight.way.clear();
    if (!topology_.append_way(from, to, port, flight.way)) topology_.append_way(from, to, {}, flight.way);
    flight.hop = 0;
    flight.latency = latency;
    flight.bytes_time = bytes_time;
    flight.tail = add_times(time, bytes_time);
    heads_.push({time, message, slot});
  }

  // The next message that comes out of its last link; none if no message is under way.
  std::optional<Delivery> next() {
    while (!heads_.empty()) {
      Head head = heads_.top();
      heads_.pop();
      Flight& flight = flights_[head.flight];
      for (;;) {
        if (flight.hop == flight.way.size()) {
          unused_.push_back(head.flight);
          return Delivery{head.message, add_times(head.time, flight.latency), add_times(flight.tail, flight.latency)};
        }
        Queue& queue = queues_[flight.way[flight.hop++]];
        const Picoseconds start = std::max(head.time, queue.free);
        const Picoseconds taken =
            queue.is_slow ? whole_units(static_cast<double>(flight.bytes_time) * slowness_) : flight.bytes_time;
        queue.free = add_times(start, taken);
        flight.tail = std::max(flight.tail, queue.free);
        head.time = start;
        if (!heads_.empty() && heads_.top() < head) {  // others are first
          heads_.push(head);
          break;
        }
      }
    }
    return std::nullopt;
  }

 private:
  struct Head {
    Picoseconds time = 0;
    Number message = 0;
    std::uint32_t flight = 0;
    bool operator<(const Head& other) const { return time != other.time ? time < other.time : message < other.message; }
    bool operator>(const Head& other) const { return other < *this; }
  };

  struct Queue {
    Picoseconds free = 0;  // from when on
    bool is_slow = false;
  };

  struct Flight {
    std::vector<Count> way;
    std::size_t hop = 0;  // the next
    Picoseconds bytes_time = 0, tail = 0, latency = 0;
  };

  const Topology& topology_;
  PerLink<Queue> queues_;
  double slowness_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> unused_;  // flights
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

}  // namespace quadrille
