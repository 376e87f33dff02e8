// SPDX-License-Identifier: BSD-3-Clause
// Queues at the links of a network. A link carries one message at a time. Messages pass a link in the order in which their heads
// (first bytes) arrive at it; if several arrive at the same time, the message with the lowest number goes first. A head moves on as
// soon as its link is free, and the rest of the message follows it (virtual cut-through [kermani1979]). A waiting message is stored
// in a switch and does not block other links. Switches have unlimited room.
#pragma once

#include <algorithm>
#include <queue>
#include <vector>

#include "simulate/link_service.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

class LinkQueues : public LinkService {
 public:
  LinkQueues(const Topology& topology, const std::vector<Count>& slow_links, double slowness)
      : topology_(topology), queues_(topology), slowness_(slowness) {
    for (const Count number : slow_links) queues_[number].is_slow = true;
  }

  void send(Number message, Rank from, Rank to, const std::optional<Port>& port, Picoseconds time, Picoseconds bytes_time,
            Picoseconds latency) override {
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

  std::optional<Delivery> next() override {
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
        if (start > head.time) ++waits_;
        queue.free = add_times(start, taken);
        if (used) used(head.message, flight.hop - 1, start, queue.free);
        flight.tail = std::max(flight.tail, queue.free);
        head.time = start;
        if (!heads_.empty() && heads_.top() < head) {  // the head of another message comes first
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
    Picoseconds free = 0;  // when the link becomes free
    bool is_slow = false;
  };

  struct Flight {
    std::vector<Count> way;
    std::size_t hop = 0;  // index of the next link of the way
    Picoseconds bytes_time = 0, tail = 0, latency = 0;
  };

  const Topology& topology_;
  PerLink<Queue> queues_;
  double slowness_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> unused_;  // free entries of flights_
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

}  // namespace quadrille
