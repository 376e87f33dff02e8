// SPDX-License-Identifier: BSD-3-Clause
// Wormhole switching [dally1987]. The head (first bytes) of a message takes one link of its way after the other. A head that waits
// for a link holds the links that it has. When it has the whole way, its bytes flow, and then all links become free. So messages
// that hold links and wait for each other in a circle never arrive.
//
// A link has one or two *virtual channels*, each of which is held by one message at a time. With two of them, no circle arises on
// rings and tori: a message begins on the first channel of each dimension and continues on the second channel after the link from
// the last coordinate to the first, or back (the *dateline*). The bytes of two messages on the two channels of a link pass one
// message after the other, the first whose head is through going first.
#pragma once

#include <array>
#include <deque>
#include <queue>
#include <vector>

#include "simulate/link_service.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

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
    std::size_t held = 0;  // hops whose channels it holds: the first ones
    Picoseconds bytes_time = 0, latency = 0;
    bool is_on_its_way = false;  // has entered the network and not left it
  };

  struct Channel {
    FlightNumber holder = none;
    std::deque<FlightNumber> waiting;
  };

  struct LinkState {
    std::array<Channel, 2> channels;
    bool carries = false;  // the bytes of a message
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
  bool flows(FlightNumber number, Picoseconds now);  // begins to send its bytes if no link of its way carries others
  void leave(FlightNumber number, Picoseconds now);

  const Topology& topology_;
  const std::vector<Count> strides_;  // by dimension, of products
  const Count channels_;
  const double slowness_;
  PerLink<LinkState> links_;
  std::vector<Flight> flights_;
  std::vector<FlightNumber> unused_;   // free entries of flights_
  std::vector<FlightNumber> through_;  // have the whole way and wait for bytes of others, in the order of their heads
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps_;
  std::deque<Delivery> deliveries_;
};

}  // namespace quadrille
