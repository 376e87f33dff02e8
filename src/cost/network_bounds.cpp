// SPDX-License-Identifier: BSD-3-Clause
// Looks for the cuts and the prices of a network that prove most.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "cost/demand.hpp"
#include "cost/priced_demand.hpp"
#include "quadrille/bound.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr double most_looks = 2e8;        // at needs of the problem, in the search for cuts
constexpr double most_price_looks = 5e7;  // at links, in the search for prices
constexpr Count largest_price = Count{1} << 20;

class CutSearch {
 public:
  CutSearch(const Demand& demand, const NetworkLinks& network, double looks)
      : demand_(demand), network_(network), left_(looks / (static_cast<double>(demand.needs().size()) + 1)) {}

  // Tries the set in both directions, unless as many sets were tried as time allows.
  void try_set(const std::vector<bool>& set) {
    if (left_-- <= 0) return;
    Count out = 0, in = 0;
    for (std::size_t link = 0; link < network_.links.size(); ++link) {
      const auto [from, to] = network_.links[link];
      const Count capacity = network_.capacities.of(static_cast<Count>(link));
      out += set[index(from)] && !set[index(to)] ? capacity : 0;
      in += set[index(to)] && !set[index(from)] ? capacity : 0;
    }
    std::vector<bool> ranks(set.begin(), set.begin() + demand_.ranks());
    const Count machine = network_.capacities.of_machine;
    if (out > 0) take(Fraction(demand_.leaving(ranks), out) * machine, set, true);
    ranks.flip();
    if (in > 0) take(Fraction(demand_.leaving(ranks), in) * machine, set, false);
  }

  // The vertices nearest to each vertex, by the prices of the links: sets that dear links separate from the rest.
  void sweep(const std::vector<Count>& prices) {
    const std::size_t count = index(network_.vertices);
    std::vector<std::vector<std::size_t>> out(count);
    for (std::size_t link = 0; link < network_.links.size(); ++link) out[index(network_.links[link].from)].push_back(link);
    for (std::size_t from = 0; from < count && left_ > 0; ++from) {
      std::set<std::pair<Count, std::size_t>> next{{0, from}};
      std::vector<Count> distances(count, -1);
      std::vector<bool> set(count, false);
      for (std::size_t taken = 1; !next.empty() && taken < count; ++taken) {
        const auto [distance, here] = *next.begin();
        next.erase(next.begin());
        set[here] = true;
        for (const std::size_t link : out[here]) {
          const std::size_t to = index(network_.links[link].to);
          const Count reached = distance + prices[link];
          if (set[to] || (distances[to] >= 0 && distances[to] <= reached)) continue;
          if (distances[to] >= 0) next.erase({distances[to], to});
          next.emplace(distances[to] = reached, to);
        }
        try_set(set);
      }
    }
  }

  // Ranks whose coordinate in one dimension is in a range, such as the halves of a torus.
  void slabs(const std::vector<Count>& grid) {
    for (std::size_t dimension = 0, stride = 1; dimension < grid.size(); ++dimension) {
      const Count side = grid[grid.size() - 1 - dimension];
      for (Count length = 1; length <= side / 2 + side % 2 && length < side; ++length)
        for (Count first = 0; first < side; ++first) {
          std::vector<bool> set(index(network_.vertices), false);
          for (Rank rank = 0; rank < demand_.ranks(); ++rank)
            set[index(rank)] = (rank / static_cast<Count>(stride) % side - first + side) % side < length;
          try_set(set);
        }
      stride *= index(side);
    }
  }

  void single_ranks() {
    for (Rank rank = 0; rank < demand_.ranks() && demand_.ranks() > 1; ++rank) {
      std::vector<bool> set(index(network_.vertices), false);
      set[index(rank)] = true;
      try_set(set);
    }
  }

  std::optional<Bound> best() const {
    if (members_.empty()) return std::nullopt;
    return proved("c2_shared", value_, "a cut: the bytes that must cross it, divided among the links that cross it",
                  {.kind = BoundKind::crossing, .members = members_, .outwards = outwards_});
  }

 private:
  void take(const Fraction& value, const std::vector<bool>& set, bool outwards) {
    if (!(value_ < value)) return;
    value_ = value, outwards_ = outwards;
    members_.clear();
    for (std::size_t vertex = 0; vertex < set.size(); ++vertex)
      if (set[vertex]) members_.push_back(static_cast<Count>(vertex));
  }

  const Demand& demand_;
  const NetworkLinks& network_;
  double left_;  // sets that may still be tried
  Fraction value_;
  std::vector<Count> members_;
  bool outwards_ = true;
};

class PriceSearch {
 public:
  PriceSearch(const Demand& demand, const NetworkLinks& network)
      : demand_(demand, network),
        machine_(network.capacities.of_machine),
        carried_(network.links.size()),
        best_(network.links.size(), 1) {
    for (std::size_t link = 0; link < best_.size(); ++link)
      capacities_.push_back(network.capacities.of(static_cast<Count>(link))),
          weights_.push_back(static_cast<double>(capacities_[link]));
    try_prices(best_, nullptr);
  }

  // `roundings`: how many times the prices are rounded to small numbers, each time to larger ones.
  void run(Count steps, Count roundings) {
    for (Count step = 1; step <= steps; ++step) {
      std::vector<double> loads(weights_.size());
      std::vector<double> prices = weights_;
      for (std::size_t link = 0; link < prices.size(); ++link) prices[link] /= static_cast<double>(capacities_[link]);
      try_prices(scaled(prices, largest_price), &loads);
      double most = 0, carried = 0;
      for (std::size_t link = 0; link < loads.size(); ++link) {
        loads[link] *= static_cast<double>(machine_) / static_cast<double>(capacities_[link]);
        carried_[link] += loads[link];
        most = std::max(most, loads[link]), carried = std::max(carried, carried_[link]);
      }
      if (most == 0 || (demand_.is_flow() && value_.approximate() >= 0.999 * carried / static_cast<double>(step))) break;
      const double rate = 1 / std::sqrt(static_cast<double>(step));
      for (std::size_t link = 0; link < loads.size(); ++link) weights_[link] *= std::exp(rate * loads[link] / most);
      const double dearest = *std::max_element(weights_.begin(), weights_.end());
      for (double& weight : weights_) weight = std::max(weight / dearest, 1e-9);
    }
    // The best prices are often small whole numbers, from which the search differs by little.
    const std::vector<double> found(best_.begin(), best_.end());
    for (Count most = 1; most <= roundings; ++most) try_prices(scaled(found, most), nullptr);
  }

  const std::vector<Count>& prices() const { return best_; }

  Bound best() const {
    return proved("c2_shared", value_, "a flow: bytes times the price of their way, if all links together cost 1",
                  {.kind = BoundKind::flow, .prices = best_});
  }

 private:
  static std::vector<Count> scaled(const std::vector<double>& weights, Count most) {
    const double dearest = *std::max_element(weights.begin(), weights.end());
    std::vector<Count> prices;
    for (const double weight : weights) prices.push_back(std::llround(weight / dearest * static_cast<double>(most)));
    return prices;
  }

  void try_prices(const std::vector<Count>& prices, std::vector<double>* loads) {
    Fraction::Wide sum = 0;
    for (std::size_t link = 0; link < prices.size(); ++link) sum += Fraction::Wide{prices[link]} * capacities_[link];
    const Fraction value = Fraction(demand_.cost(prices, loads), sum) * machine_;
    if (value_ < value) value_ = value, best_ = prices;
  }

  PricedDemand demand_;
  Count machine_;                  // capacity of the machine's link
  std::vector<Count> capacities_;  // by link
  std::vector<double> carried_;    // by link, in all steps, in bytes of the machine's link
  std::vector<double> weights_;    // by link: its price times its capacity
  std::vector<Count> best_;
  Fraction value_;
};

double looks_of_a_step(const Problem& problem, const NetworkLinks& network) {
  return static_cast<double>(problem.ranks) * static_cast<double>(network.links.size());
}

// `looks`: at needs of the problem, in the search for cuts.
std::vector<Bound> bounds_within(const Problem& problem, const NetworkLinks& network, const NetworkEffort& effort, double looks) {
  const Demand demand(problem);
  if (network.links.empty() || demand.needs().empty() || !moves_data(problem.collective)) return {};
  PriceSearch prices(demand, network);
  const double of_a_step = looks_of_a_step(problem, network);
  const Count least = std::min<Count>(20, static_cast<Count>(2 * most_price_looks / of_a_step));  // fewer for some 1,000 ranks
  if (effort.steps > 0)
    prices.run(std::min(effort.steps, static_cast<Count>(most_price_looks / of_a_step) + least),
               std::min({Count{12}, least, effort.steps}));
  CutSearch cuts(demand, network, looks);
  cuts.single_ranks();
  cuts.slabs(effort.grid);
  if (effort.steps > 0) {
    cuts.sweep(std::vector<Count>(network.links.size(), 1));
    cuts.sweep(prices.prices());
  }
  std::vector<Bound> bounds{prices.best()};
  if (auto cut = cuts.best()) bounds.push_back(std::move(*cut));
  std::stable_sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return b.exact < a.exact; });
  return bounds;
}

// Returns the bounds that have certificates; `find` finds those of the network, if there is one.
template <class Find>
std::vector<Bound> all_certified(const Problem& problem, Count ports, const Topology* topology, Find&& find) {
  std::vector<Bound> all = lower_bounds(problem, ports);
  const auto add = [&](std::vector<Bound> more) { std::move(more.begin(), more.end(), std::back_inserter(all)); };
  if (!problem.nodes.empty()) {
    add(lower_bounds_between_nodes(problem, ports));
    add(lower_bounds_by_matchings(problem));
  }
  if (topology) {
    lower_bounds(problem, *topology);  // refuses another number of ranks
    add(find(links_of(*topology)));
  }
  std::erase_if(all, [](const Bound& bound) { return bound.certificate.kind == BoundKind::none || bound.value == 0; });
  return all;
}

}  // namespace

std::vector<Bound> network_bounds(const Problem& problem, const NetworkLinks& network, const NetworkEffort& effort) {
  return bounds_within(problem, network, effort, most_looks);
}

std::vector<Bound> certified_bounds(const Problem& problem, Count ports, const Topology* topology, Count steps) {
  return all_certified(problem, ports, topology, [&](const NetworkLinks& network) {
    return network_bounds(problem, network, {.steps = steps, .grid = topology->grid()});
  });
}

std::vector<Bound> quick_bounds(const Problem& problem, Count ports, const Topology* topology) {
  constexpr Count most_ranks = 1024, most_steps = 200;
  constexpr double price_looks = 1.4e7, cut_looks = 5e7;  // a second
  if (problem.ranks > most_ranks) return lower_bounds(problem, ports);
  return all_certified(problem, ports, topology, [&](const NetworkLinks& network) {
    const auto steps = static_cast<Count>(price_looks / (looks_of_a_step(problem, network) + 1));
    return bounds_within(problem, network, {.steps = std::clamp<Count>(steps, 1, most_steps), .grid = topology->grid()}, cut_looks);
  });
}

}  // namespace quadrille
