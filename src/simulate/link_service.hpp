// SPDX-License-Identifier: BSD-3-Clause
// How the links of a simulated network carry messages: by wormhole switching, or with queues. A link carries the bytes of one
// message at a time.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "quadrille/picoseconds.hpp"
#include "quadrille/topology.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

class LinkService {
 public:
  using Number = std::uint32_t;  // of a message

  struct Delivery {
    Number message = 0;
    Picoseconds head = 0, tail = 0;  // when its first and its last byte reach the receiver
  };

  // `slowness`: a slow link takes so many times as long as its capacity says.
  LinkService(const Topology& topology, double slowness) : topology_(topology), slowness_(slowness) {}
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
  // Returns the time of a message's bytes on a link, if they take `bytes_time` on the machine's link.
  Picoseconds time_on(Count link, bool is_slow, Picoseconds bytes_time) const {
    const Capacities& capacities = topology_.capacities();
    double factor = is_slow ? slowness_ : 1;
    if (!capacities.of_links.empty())
      factor *= static_cast<double>(capacities.of_machine) / static_cast<double>(capacities.of(link));
    return factor == 1 ? bytes_time : whole_units(static_cast<double>(bytes_time) * factor);
  }

  const Topology& topology_;
  Count waits_ = 0;

 private:
  const double slowness_;
};

// Wormhole switching [dally1987]. The head (first bytes) of a message takes one link of its way after the other. A head that waits
// for a link holds the links that it has. When the head has all links of its way, the bytes of the message flow, and then all
// these links become free. So messages that hold links and wait for each other in a circle never arrive.
//
// A link has one or two *virtual channels*, each of which is held by one message at a time. With two of them, no circle arises on
// rings and tori: a message begins on the first channel of each dimension and continues on the second channel after the link
// between the last and the first coordinate (the *dateline*), in either direction. If two messages have the two channels of a
// link, their bytes pass one message after the other: first those of the message whose head is through first.
class WormholeLinks : public LinkService {
 public:
  // `channels` is 1 or 2.
  WormholeLinks(const Topology& topology, Count channels, const std::vector<Count>& slow_links, double slowness);

  void send(Number message, Rank from, Rank to, const std::optional<Port>& port, Picoseconds time, Picoseconds bytes_time,
            Picoseconds latency) override;
  std::optional<Delivery> next() override;
  std::optional<std::string> deadlock() override;

 private:
  using FlightNumber = std::uint32_t;
  static constexpr FlightNumber none = static_cast<FlightNumber>(-1);

  struct Hop {
    Count link = 0;
    std::size_t channel = 0;
    Picoseconds since = 0;  // when the message took the link
  };

  struct Flight {
    Number message = 0;
    Rank from = 0, to = 0;
    std::vector<Hop> way;
    std::size_t held = 0;  // number of hops, from the first on, whose channels the message holds
    Picoseconds bytes_time = 0, latency = 0;
    bool is_on_its_way = false;  // has entered the network and not left it
  };

  struct Channel {
    FlightNumber holder = none;
    std::deque<FlightNumber> waiting;
  };

  struct LinkState {
    std::array<Channel, 2> channels;
    bool carries = false;  // true while the bytes of a message pass
    bool is_slow = false;
  };

  struct Step {
    Picoseconds time = 0;
    bool is_head = false;  // the head takes its next link; otherwise the last byte has passed
    std::size_t held = 0;  // links of the message; of heads that move at the same time, the one with the fewest links goes first
    Number message = 0;
    FlightNumber flight = 0;
    auto operator<=>(const Step&) const = default;
  };

  std::vector<Hop> way(Rank from, Rank to, const std::optional<Port>& port) const;
  void move(FlightNumber number, Picoseconds now);
  void push_head(FlightNumber number, Picoseconds time);
  bool flows(FlightNumber number, Picoseconds now);  // begins to send the message's bytes if no link of its way carries other bytes
  void leave(FlightNumber number, Picoseconds now);

  const std::vector<Count> strides_;  // by dimension, of products
  const Count channels_;
  PerLink<LinkState> links_;
  std::vector<Flight> flights_;
  std::vector<FlightNumber> unused_;   // free entries of flights_
  std::vector<FlightNumber> through_;  // hold their whole way and wait for bytes of others, in the order of their heads
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps_;
  std::deque<Delivery> deliveries_;
};

// Queues at the links of a network. Messages pass a link in the order in which their heads
// (first bytes) arrive at it; if several arrive at the same time, the message with the lowest number goes first. A head moves on as
// soon as its link is free, and the rest of the message follows it (virtual cut-through [kermani1979]). A waiting message is stored
// in a switch and does not block other links. Switches have unlimited room.
class LinkQueues : public LinkService {
 public:
  LinkQueues(const Topology& topology, const std::vector<Count>& slow_links, double slowness)
      : LinkService(topology, slowness), queues_(topology) {
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
        const Count link = flight.way[flight.hop++];
        Queue& queue = queues_[link];
        const Picoseconds start = std::max(head.time, queue.free);
        const Picoseconds taken = time_on(link, queue.is_slow, flight.bytes_time);
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

  PerLink<Queue> queues_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> unused_;  // free entries of flights_
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

}  // namespace quadrille
