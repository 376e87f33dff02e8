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
#include "quadrille/topology.hpp"

namespace quadrille {

class LinkQueues {
 public:
  using Number = std::uint32_t;  // of a message

  struct Delivery {
    Number message = 0;
    Picoseconds head = 0, tail = 0;  // when its first byte and its last come to the receiver
  };

  LinkQueues(const Topology& topology, const std::vector<Count>& slow_links, double slowness)
      : topology_(topology), free_(static_cast<std::size_t>(topology.link_numbers()), 0), slowness_(slowness) {
    if (slow_links.empty()) return;
    is_slow_.resize(free_.size(), false);
    for (const Count number : slow_links) is_slow_[static_cast<std::size_t>(number)] = true;
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
        const auto link = static_cast<std::size_t>(flight.way[flight.hop++]);
        const Picoseconds start = std::max(head.time, free_[link]);
        const Picoseconds taken = !is_slow_.empty() && is_slow_[link]
                                      ? whole_units(static_cast<double>(flight.bytes_time) * slowness_)
                                      : flight.bytes_time;
        free_[link] = add_times(start, taken);
        flight.tail = std::max(flight.tail, free_[link]);
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

  struct Flight {
    std::vector<Count> way;
    std::size_t hop = 0;  // the next
    Picoseconds bytes_time = 0, tail = 0, latency = 0;
  };

  const Topology& topology_;
  std::vector<Picoseconds> free_;  // of each link, from when on
  std::vector<bool> is_slow_;
  double slowness_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> unused_;  // flights
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

}  // namespace quadrille
