// SPDX-License-Identifier: BSD-3-Clause
// Computes what a certificate proves. Nothing here knows how a bound was found.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "cost/compound_bound.hpp"
#include "cost/demand.hpp"
#include "cost/priced_demand.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/bound.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

using Wide = Fraction::Wide;

constexpr std::array<std::string_view, 9> kind_names{"none",    "spread", "crossing", "equal-part", "results",
                                                     "odd-set", "flow",   "compound", "time"};

[[noreturn]] void no_certificate(const std::string& reason) {
  throw Error(ErrorCode::misuse, fmt::format("this certificate proves nothing: {}", reason));
}

void require(bool holds, const char* reason) {
  if (!holds) no_certificate(reason);
}

class Evidence {
 public:
  Evidence(const Problem& problem, const std::optional<NetworkLinks>& network)
      : problem_(problem), network_(network), demand_(problem), nodes_(problem) {
    if (!network) return;
    require(network->vertices >= problem.ranks, "the network has fewer vertices than there are ranks");
    for (const NetworkLinks::Ends& link : network->links)
      require(std::min(link.from, link.to) >= 0 && std::max(link.from, link.to) < network->vertices,
              "a link leads to a vertex that does not exist");
    const Capacities& capacities = network->capacities;
    require(capacities.of_links.empty() || capacities.of_links.size() == network->links.size(), "each link has one capacity");
    for (const Count capacity : capacities.of_links)
      require(capacity >= 1 && capacity <= most_price, "a capacity is below 1, or more than 2^32");
    require(capacities.of_machine >= 1 && capacities.of_machine <= most_price,
            "the machine's capacity is below 1, or more than 2^32");
  }

  Fraction value_of(const Bound& bound) const {
    const Certificate& certificate = bound.certificate;
    const std::string& figure = bound.figure;
    require(certificate.ports >= 1, "a party has at least one port");
    const bool is_of_time = certificate.kind == BoundKind::time;
    require(is_of_time == (figure == "time"), "a bound of the time, and no other, has a certificate of the time");
    if (is_of_time) return time(bound);
    const Parties parties = parties_of(figure);
    const bool counts_rounds = figure == "c1" || figure == "node_rounds";
    require(counts_rounds == (certificate.kind == BoundKind::spread), "a bound of rounds, and no other, follows from the spread");
    switch (certificate.kind) {
      case BoundKind::spread: return spread(certificate, parties);
      case BoundKind::crossing: return crossing(figure, certificate, parties);
      case BoundKind::equal_part: return equal_part(figure, certificate, parties);
      case BoundKind::results: return results(figure, certificate, parties);
      case BoundKind::odd_set: return odd_set(figure, certificate, parties);
      case BoundKind::flow: return flow(figure, certificate);
      case BoundKind::compound: return compound(figure, certificate);
      default: no_certificate("its kind is not known");
    }
  }

 private:
  // Which party each rank belongs to.
  struct Parties {
    Count count = 0;
    std::vector<Count> of_rank;
  };

  Parties parties_of(const std::string& figure) const {
    Parties parties{problem_.ranks, std::vector<Count>(index(problem_.ranks))};
    std::iota(parties.of_rank.begin(), parties.of_rank.end(), Count{0});
    if (figure == "c2_shared") {
      require(network_.has_value(), "the document has no network");
      parties.count = network_->vertices;
    } else if (figure.starts_with("node_") || figure == "matchings") {
      parties.count = nodes_.node_count();
      for (Rank rank = 0; rank < problem_.ranks; ++rank) parties.of_rank[index(rank)] = nodes_.node_of(rank);
    } else {
      require(figure == "c1" || figure == "c2", "its figure is not known");
    }
    return parties;
  }

  static std::vector<bool> set_of(const std::vector<Count>& members, Count parties) {
    std::vector<bool> set(index(parties), false);
    for (const Count member : members) {
      require(member >= 0 && member < parties && !set[index(member)], "a member does not exist, or is named twice");
      set[index(member)] = true;
    }
    require(!members.empty() && size(members) < parties, "its set is empty, or has all parties");
    return set;
  }

  std::vector<bool> ranks_in(const std::vector<bool>& set, const Parties& parties) const {
    std::vector<bool> ranks;
    for (const Count party : parties.of_rank) ranks.push_back(set[index(party)]);
    return ranks;
  }

  Fraction spread(const Certificate& certificate, const Parties& parties) const {
    require(certificate.members.size() == 1 && certificate.members[0] >= 0 && certificate.members[0] < parties.count,
            "one party spreads, or collects");
    const Count member = certificate.members[0];
    std::set<Count> others;
    for (const Need& need : demand_.needs()) {
      const Count target = parties.of_rank[index(need.target)];
      if (!certificate.outwards && target != member) continue;
      for (Rank from = need.first; from <= need.last; ++from) {
        const Count source = parties.of_rank[index(from)];
        if (certificate.outwards && source == member && target != member) others.insert(target);
        if (!certificate.outwards && source != member) others.insert(source);
      }
    }
    Count rounds = 0;
    for (Wide reached = 1; reached < static_cast<Wide>(others.size()) + 1; reached *= certificate.ports + Wide{1}) ++rounds;
    return rounds;
  }

  // Returns the exchanges of ranks of different nodes: pairs of nodes, once for each pair of ranks.
  std::vector<std::pair<Count, Count>> exchanges(const Parties& parties) const {
    require(is_exchange(problem_.collective), "matchings are counted for alltoall and alltoallv");
    std::set<std::pair<Rank, Rank>> pairs;
    for (const Need& need : demand_.needs()) pairs.insert(std::minmax(need.first, need.target));
    std::vector<std::pair<Count, Count>> list;
    for (const auto& [one, other] : pairs)
      if (parties.of_rank[index(one)] != parties.of_rank[index(other)])
        list.emplace_back(parties.of_rank[index(one)], parties.of_rank[index(other)]);
    return list;
  }

  Fraction crossing(const std::string& figure, const Certificate& certificate, const Parties& parties) const {
    std::vector<bool> sending = set_of(certificate.members, parties.count);
    if (!certificate.outwards) sending.flip();
    const Count senders = std::count(sending.begin(), sending.end(), true), fewer = std::min(senders, parties.count - senders);
    if (figure == "matchings") {
      Count crossing = 0;
      for (const auto& [one, other] : exchanges(parties)) crossing += sending[index(one)] != sending[index(other)] ? 1 : 0;
      return {crossing, fewer};
    }
    const Wide amount = demand_.leaving(ranks_in(sending, parties));
    if (figure == "c2") return Fraction(amount, fewer) * Fraction(1, certificate.ports);
    if (figure == "node_traffic_out") return {amount, senders};
    if (figure == "node_traffic_in") return {amount, parties.count - senders};
    Wide capacity = 0;
    for (std::size_t link = 0; link < network_->links.size(); ++link)
      if (sending[index(network_->links[link].from)] && !sending[index(network_->links[link].to)])
        capacity += network_->capacities.of(static_cast<Count>(link));
    require(capacity > 0, "no link leaves its set");
    return Fraction(amount, capacity) * network_->capacities.of_machine;
  }

  Fraction equal_part(const std::string& figure, const Certificate& certificate, const Parties& parties) const {
    require(figure == "c2" || figure.starts_with("node_traffic"), "an equal part is a bound of bytes of ranks or nodes");
    Wide sum = 0;
    for (Count party = 0; party < parties.count; ++party) {
      std::vector<bool> sending(index(parties.count), !certificate.outwards);
      sending[index(party)] = certificate.outwards;
      sum += demand_.leaving(ranks_in(sending, parties));
    }
    return Fraction(sum, parties.count) * Fraction(1, figure == "c2" ? certificate.ports : 1);
  }

  Fraction results(const std::string& figure, const Certificate& certificate, const Parties& parties) const {
    require(figure == "c2" || figure.starts_with("node_traffic"), "results for all are a bound of bytes of ranks or nodes");
    Wide sum = 0;
    demand_.for_each_vector([&](std::span<const Need> needs) {
      const bool is_for_all = needs.size() == index(problem_.ranks) &&
                              std::all_of(needs.begin(), needs.end(),
                                          [&](const Need& need) { return need.first == 0 && need.last == problem_.ranks - 1; });
      if (is_for_all) sum += Wide{2 * (parties.count - 1)} * needs[0].bytes;
    });
    return Fraction(sum, parties.count) * Fraction(1, figure == "c2" ? certificate.ports : 1);
  }

  Fraction odd_set(const std::string& figure, const Certificate& certificate, const Parties& parties) const {
    require(figure == "matchings", "an odd set is a bound of matchings");
    const Count count = size(certificate.members);
    require(count >= 3 && count % 2 == 1, "the set has an odd number of nodes, at least three");
    std::set<Count> set;
    for (const Count member : certificate.members)
      require(member >= 0 && member < parties.count && set.insert(member).second, "a member does not exist, or is named twice");
    Count within = 0;
    for (const auto& [one, other] : exchanges(parties)) within += set.contains(one) && set.contains(other) ? 1 : 0;
    return {within, count / 2};
  }

  Fraction flow(const std::string& figure, const Certificate& certificate) const {
    require(figure == "c2_shared", "prices of links are a bound of what links carry");
    require(certificate.prices.size() == network_->links.size(), "each link has one price");
    Wide sum = 0;
    for (std::size_t link = 0; link < certificate.prices.size(); ++link) {
      const Count price = certificate.prices[link];
      require(price >= 0 && price <= most_price, "a price is negative, or more than 2^32");
      sum += Wide{price} * network_->capacities.of(static_cast<Count>(link));
    }
    require(sum > 0, "all prices are 0");
    return Fraction(PricedDemand(demand_, *network_).cost(certificate.prices, nullptr), sum) * network_->capacities.of_machine;
  }

  std::optional<Fraction> bytes_in(Count rounds, Count ports) const {
    return compound_bound(problem_.ranks, ports, rounds, problem_.block_bytes);
  }

  Fraction compound(const std::string& figure, const Certificate& certificate) const {
    require(figure == "c2" && problem_.collective == Collective::alltoall, "the compound bound is of C2 of an alltoall");
    const auto bytes = bytes_in(certificate.rounds, certificate.ports);
    require(bytes.has_value(), "so few rounds do not reach all ranks");
    return *bytes;
  }

  Fraction time(const Bound& bound) const {
    const Certificate& certificate = bound.certificate;
    require(!(certificate.startup_s < Fraction()) && !(certificate.byte_s < Fraction()), "a time is negative");
    require(!certificate.is_compound || problem_.collective == Collective::alltoall, "the compound bound is of an alltoall");
    Fraction bytes;
    Count rounds = 0;
    for (const Bound& part : bound.parts) {
      const bool is_of_nodes = part.figure.starts_with("node_");
      require(part.figure == "c1" || part.figure == "c2" || part.figure == "c2_shared" || is_of_nodes,
              "its parts are of c1, c2 and c2_shared, or of rounds and traffic of nodes");
      require(is_of_nodes == bound.parts[0].figure.starts_with("node_"), "its parts are of ranks, and of nodes");
      require(!is_of_nodes || !certificate.is_compound, "the compound bound is of ranks, not of nodes");
      require(part.certificate.kind != BoundKind::compound && part.certificate.ports == certificate.ports,
              "a part holds for other ports, or only for some rounds");
      const Fraction value = value_of(part);
      require(value == part.exact, "the value of a part is not what its certificate proves");
      if (part.certificate.kind == BoundKind::spread)
        rounds = std::max(rounds, value.rounded_up());
      else
        bytes = std::max(bytes, bytes_of_port(part));
    }
    return least_time(problem_, certificate, rounds, bytes);
  }

  static constexpr Count most_price = Count{1} << 32;

  const Problem& problem_;
  const std::optional<NetworkLinks>& network_;
  Demand demand_;
  NodeRanks nodes_;
};

}  // namespace

std::string_view name(BoundKind kind) { return kind_names.at(static_cast<std::size_t>(kind)); }

std::optional<BoundKind> bound_kind_named(std::string_view name) {
  const auto found = std::find(kind_names.begin(), kind_names.end(), name);
  if (found == kind_names.end()) return std::nullopt;
  return static_cast<BoundKind>(found - kind_names.begin());
}

Bound proved(std::string figure, const Fraction& exact, std::string source, Certificate certificate) {
  return {std::move(figure), exact.rounded_up(), std::move(source), exact, std::move(certificate)};
}

NetworkLinks links_of(const Topology& topology) {
  NetworkLinks network{.vertices = topology.vertices()};
  const Capacities& capacities = topology.capacities();
  network.capacities.of_machine = capacities.of_machine;
  for (Vertex vertex = 0; vertex < network.vertices; ++vertex)
    for (const Link& link : topology.links_from(vertex)) {
      network.links.push_back({link.from, link.to});
      if (!capacities.of_links.empty()) network.capacities.of_links.push_back(capacities.of(link.number));
    }
  return network;
}

Fraction proved_value(const Problem& problem, const std::optional<NetworkLinks>& network, const Bound& bound) {
  return Evidence(problem, network).value_of(bound);
}

}  // namespace quadrille
