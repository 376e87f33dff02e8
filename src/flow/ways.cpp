// SPDX-License-Identifier: BSD-3-Clause
#include "flow/ways.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "flow/arborescence.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// A link costs that much even if it carries nothing, so that ways do not wander over idle links.
constexpr double base_price = 0.01;

constexpr Count most_hops = Count{1} << 25;  // a limit, because filling rounds needs about 100 bytes for each

class WaySearch {
 public:
  WaySearch(const RankNetwork& network, std::vector<BlockPart>& parts)
      : network_(network), parts_(parts), bytes_(network.link_numbers), prices_(network.link_numbers), costs_(network.hops.size()) {
    hops_over_.resize(network.link_numbers);
    for (std::size_t link = 0; link < network.link_numbers; ++link)
      slowness_.push_back(static_cast<double>(network.capacities.of_machine) /
                          static_cast<double>(network.capacities.of(static_cast<Count>(link))));
    for (std::size_t hop = 0; hop < network.hops.size(); ++hop)
      for (const std::size_t link : network.hops[hop].links) hops_over_[link].push_back(hop);
  }

  // Takes up parts one after the other. `only_busy`: only those that use a link which carries nearly the most.
  void step(double steepness, Bytes least_scale, bool only_busy) {
    steepness_ = steepness;
    scale_ = static_cast<double>(std::max({Bytes{1}, least_scale, busiest()}));
    for (std::size_t link = 0; link < prices_.size(); ++link) prices_[link] = price(link);
    for (std::size_t hop = 0; hop < costs_.size(); ++hop) costs_[hop] = cost_of(hop);
    for (BlockPart& part : parts_) {
      if (only_busy && !uses_busy_link(part)) continue;
      const std::vector<PartStep> before = part.steps;
      add(part, -1);
      std::vector<PartStep> way = part.to ? path(part.from, *part.to) : cheapest_tree(network_, part.from, costs_);
      if (before.empty() || cost_of(way) < cost_of(before) * (1 - 1e-9)) part.steps = std::move(way);
      add(part, 1);
      if (hop_count_ > most_hops)
        throw Error(ErrorCode::too_large,
                    "the parts of a flow have ways of at most 32 million hops together; name fewer segments or ranks");
    }
  }

  Bytes busiest() const {
    Bytes most = 0;
    for (std::size_t link = 0; link < bytes_.size(); ++link)
      most = std::max(most, network_.capacities.on_machine(bytes_[link], network_.capacities.of(static_cast<Count>(link))));
    return most;
  }

  // How uneven the links are: among steps with the same busiest link the more even one is better.
  double unevenness() const {
    double sum = 0;
    for (std::size_t link = 0; link < bytes_.size(); ++link) sum += load(link) * load(link);
    return sum;
  }

 private:
  double load(std::size_t link) const { return static_cast<double>(bytes_[link]) * slowness_[link]; }

  double price(std::size_t link) const {
    return slowness_[link] * (base_price + std::exp(std::min(300.0, steepness_ * (load(link) / scale_ - 1))));
  }

  double cost_of(std::size_t hop) const {
    double sum = 0;
    for (const std::size_t link : network_.hops[hop].links) sum += prices_[link];
    return sum;
  }
  double cost_of(const std::vector<PartStep>& way) const {
    double sum = 0;
    for (const PartStep& step : way) sum += costs_[step.hop];
    return sum;
  }

  bool uses_busy_link(const BlockPart& part) const {
    for (const PartStep& step : part.steps)
      for (const std::size_t link : network_.hops[step.hop].links)
        if (load(link) > 0.97 * scale_) return true;
    return false;
  }

  void add(const BlockPart& part, int sign) {
    hop_count_ += sign * size(part.steps);
    for (const PartStep& step : part.steps)
      for (const std::size_t link : network_.hops[step.hop].links) {
        bytes_[link] += sign * part.length;
        const double before = prices_[link];
        prices_[link] = price(link);
        for (const std::size_t hop : hops_over_[link]) {
          if (network_.has_switches)
            costs_[hop] += prices_[link] - before;
          else
            costs_[hop] = prices_[link];
        }
      }
  }

  // Dijkstra's algorithm.
  std::vector<PartStep> path(Rank from, Rank to) {
    constexpr std::size_t no_hop = ~std::size_t{0};
    std::vector<double>& distances = distances_;
    distances.assign(index(network_.ranks), std::numeric_limits<double>::infinity());
    last_hops_.assign(index(network_.ranks), no_hop);
    using Reached = std::pair<double, Rank>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
    distances[index(from)] = 0;
    next.emplace(0, from);
    while (!next.empty()) {
      const auto [distance, here] = next.top();
      next.pop();
      if (here == to) break;
      if (distance > distances[index(here)]) continue;
      for (const std::size_t hop : network_.out[index(here)]) {
        const Rank there = network_.hops[hop].to;
        const double reached = distance + costs_[hop];
        if (reached >= distances[index(there)]) continue;
        distances[index(there)] = reached, last_hops_[index(there)] = hop;
        next.emplace(reached, there);
      }
    }
    std::vector<PartStep> way;
    for (Rank here = to; here != from; here = network_.hops[way.back().hop].from) {
      if (last_hops_[index(here)] == no_hop) throw Error(ErrorCode::misuse, "the links of the network do not connect all ranks");
      way.push_back({last_hops_[index(here)], 0});
    }
    std::reverse(way.begin(), way.end());
    for (std::size_t i = 0; i < way.size(); ++i) way[i].before = static_cast<Count>(i) - 1;
    return way;
  }

  const RankNetwork& network_;
  std::vector<BlockPart>& parts_;
  double steepness_ = 0, scale_ = 1;
  Count hop_count_ = 0;                              // of the ways of all parts
  std::vector<double> slowness_;                     // by link: the time of a byte, if that of the machine's link is 1
  std::vector<Bytes> bytes_;                         // by link
  std::vector<double> prices_;                       // by link
  std::vector<double> costs_;                        // by hop
  std::vector<std::vector<std::size_t>> hops_over_;  // by link
  std::vector<double> distances_;                    // of the last path
  std::vector<std::size_t> last_hops_;
};

}  // namespace

std::vector<Bytes> link_bytes(const RankNetwork& network, const std::vector<BlockPart>& parts) {
  std::vector<Bytes> bytes(network.link_numbers);
  for (const BlockPart& part : parts)
    for (const PartStep& step : part.steps)
      for (const std::size_t link : network.hops[step.hop].links) bytes[link] += part.length;
  return bytes;
}

Bytes choose_ways(const RankNetwork& network, std::vector<BlockPart>& parts, const WayLimits& limits) {
  constexpr double least_steepness = 4, most_steepness = 400, growth = 1.3;
  constexpr Count patience = 12;  // steps without a better one
  if (parts.empty()) return 0;
  WaySearch search(network, parts);
  std::vector<BlockPart> best;
  Bytes least = std::numeric_limits<Bytes>::max();
  double evenness = 0, steepness = least_steepness;
  for (Count step = 0, last_better = 0; step < std::max<Count>(1, limits.steps); ++step) {
    search.step(steepness, limits.enough, step > 3);
    const Bytes busiest = search.busiest();
    const double unevenness = search.unevenness();
    if (busiest < least || (busiest == least && unevenness < evenness))
      best = parts, least = busiest, evenness = unevenness, last_better = step;
    if (least <= limits.enough || (limits.goes_on && !limits.goes_on(least))) break;
    if (steepness >= most_steepness && step - last_better > patience) break;
    steepness = std::min(most_steepness, steepness * growth);
  }
  parts = std::move(best);
  return least;
}

}  // namespace quadrille
