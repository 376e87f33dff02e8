// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/link_service.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/assert.hpp"

namespace quadrille {
namespace {

std::vector<Count> strides_of(const std::vector<Count>& sides) {
  std::vector<Count> strides(sides.size(), 1);
  for (std::size_t d = sides.size(); d-- > 1;) strides[d - 1] = strides[d] * sides[d];
  return strides;
}

}  // namespace

WormholeLinks::WormholeLinks(const Topology& topology, Count channels, const std::vector<Count>& slow_links, double slowness)
    : LinkService(topology, slowness), strides_(strides_of(topology.grid())), channels_(channels), links_(topology) {
  QUADRILLE_ASSERT(channels == 1 || channels == 2);
  for (const Count number : slow_links) links_[number].is_slow = true;
}

// The numbers of the two ranks at the dateline do not differ by the stride, unlike those of other neighbours.
std::vector<WormholeLinks::Hop> WormholeLinks::way(Rank from, Rank to, const std::optional<Port>& port) const {
  std::vector<Hop> way;
  int dimension = -1;
  std::size_t channel = 0;
  const auto add = [&](const Link& link) {
    if (link.dimension != dimension) channel = 0;
    dimension = link.dimension;
    way.push_back({link.number, channel});
    if (channels_ > 1 && !strides_.empty() && std::abs(link.to - link.from) != strides_[index(dimension)]) channel = 1;
  };
  if (!topology_.for_each_link(from, to, port, add)) topology_.for_each_link(from, to, {}, add);
  return way;
}

void WormholeLinks::send(Number message, Rank from, Rank to, const std::optional<Port>& port, Picoseconds time,
                         Picoseconds bytes_time, Picoseconds latency) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<FlightNumber>(flights_.size()));
    flights_.emplace_back();
  }
  const FlightNumber number = unused_.back();
  unused_.pop_back();
  flights_[number] = {message, from, to, way(from, to, port), 0, bytes_time, latency, true};
  push_head(number, time);
}

void WormholeLinks::push_head(FlightNumber number, Picoseconds time) {
  steps_.push({time, true, flights_[number].held, flights_[number].message, number});
}

std::optional<LinkService::Delivery> WormholeLinks::next() {
  while (deliveries_.empty() && !steps_.empty()) {
    const Step step = steps_.top();
    steps_.pop();
    if (step.is_head)
      move(step.flight, step.time);
    else
      leave(step.flight, step.time);
  }
  if (deliveries_.empty()) return std::nullopt;
  const Delivery delivery = deliveries_.front();
  deliveries_.pop_front();
  return delivery;
}

void WormholeLinks::move(FlightNumber number, Picoseconds now) {
  Flight& flight = flights_[number];
  QUADRILLE_ASSERT(flight.held < flight.way.size());
  Hop& hop = flight.way[flight.held];
  Channel& channel = links_[hop.link].channels[hop.channel];
  if (channel.holder != none && channel.holder != number) {
    channel.waiting.push_back(number);
    ++waits_;
    return;
  }
  channel.holder = number;
  hop.since = now;
  if (++flight.held < flight.way.size()) return push_head(number, now);
  if (flows(number, now)) return;
  through_.push_back(number);
  ++waits_;
}

bool WormholeLinks::flows(FlightNumber number, Picoseconds now) {
  const Flight& flight = flights_[number];
  QUADRILLE_ASSERT(flight.held == flight.way.size());  // it holds its whole way
  Picoseconds bytes_time = flight.bytes_time;          // a rank sends no faster than the machine's link
  for (const Hop& hop : flight.way) {
    if (links_[hop.link].carries) return false;
    bytes_time = std::max(bytes_time, time_on(hop.link, links_[hop.link].is_slow, flight.bytes_time));
  }
  for (const Hop& hop : flight.way) links_[hop.link].carries = true;
  const Picoseconds tail = add_times(now, bytes_time);
  deliveries_.push_back({flight.message, add_times(now, flight.latency), add_times(tail, flight.latency)});
  steps_.push({tail, false, 0, flight.message, number});
  return true;
}

void WormholeLinks::leave(FlightNumber number, Picoseconds now) {
  Flight& flight = flights_[number];
  for (std::size_t i = 0; used && i < flight.way.size(); ++i) used(flight.message, i, flight.way[i].since, now);
  for (const Hop& hop : flight.way) {
    LinkState& link = links_[hop.link];
    Channel& channel = link.channels[hop.channel];
    QUADRILLE_ASSERT(link.carries && channel.holder == number);
    link.carries = false;
    channel.holder = none;
    if (channel.waiting.empty()) continue;
    channel.holder = channel.waiting.front();
    channel.waiting.pop_front();
    push_head(channel.holder, now);
  }
  flight.is_on_its_way = false;
  unused_.push_back(number);
  std::erase_if(through_, [&](FlightNumber other) { return flows(other, now); });
}

// If nothing moves, each message on its way waits for a channel that another waiting message holds. So going from a message to
// the holder of its channel, again and again, comes back to an earlier message.
std::optional<std::string> WormholeLinks::deadlock() {
  const auto first = std::min_element(flights_.begin(), flights_.end(), [](const Flight& one, const Flight& other) {
    return std::pair(!one.is_on_its_way, one.message) < std::pair(!other.is_on_its_way, other.message);
  });
  if (first == flights_.end() || !first->is_on_its_way || !steps_.empty() || !deliveries_.empty()) return std::nullopt;
  std::vector<FlightNumber> chain{static_cast<FlightNumber>(first - flights_.begin())};
  for (;;) {
    const Flight& flight = flights_[chain.back()];
    const Hop& awaited = flight.way[flight.held];
    const FlightNumber holder = links_[awaited.link].channels[awaited.channel].holder;
    QUADRILLE_ASSERT(holder < flights_.size() && flights_[holder].is_on_its_way);
    const auto met = std::find(chain.begin(), chain.end(), holder);
    if (met != chain.end()) {
      chain.erase(chain.begin(), met);
      break;
    }
    chain.push_back(holder);
  }
  std::string text = fmt::format("{} messages wait in a circle for links that the next one holds:", chain.size());
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(chain.size(), most); ++i) {
    const Flight& flight = flights_[chain[i]];
    text += fmt::format("{} rank {} to {} waits for {}", i == 0 ? "" : ",", flight.from, flight.to,
                        topology_.text_of(topology_.link(flight.way[flight.held].link)));
  }
  return text + (chain.size() > most ? ", .." : "");
}

}  // namespace quadrille
