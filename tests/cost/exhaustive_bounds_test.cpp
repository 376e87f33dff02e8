// SPDX-License-Identifier: BSD-3-Clause
// Compares bounds with the least figures that any schedule has, which an exhaustive search finds for small problems of at most four
// parties. The search knows nothing of the bounds: it tries all ways of all bytes, round by round.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "quadrille/bound.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/indexed.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

struct UnitOfData {
  int from = 0, to = 0;
};

// Messages between parties in rounds. A party sends at most k messages in a round, and receives at most k. `limits`: the length of
// the longest message of each round.
class RoundSearch {
 public:
  RoundSearch(int parties, int ports, std::vector<UnitOfData> units) : parties_(parties), ports_(ports), units_(std::move(units)) {}

  bool is_possible(const std::vector<int>& limits) {
    limits_ = limits;
    const int capacity = std::accumulate(limits.begin(), limits.end(), 0);
    if (capacity < 1000 && static_cast<std::size_t>(capacity * parties_ * ports_) < units_.size()) return false;
    const auto cells = limits.size() * static_cast<std::size_t>(parties_ * parties_);
    loads_.assign(cells, 0);
    out_.assign(cells, 0), in_.assign(cells, 0);
    return place(0);
  }

  // The least sum of the lengths of the longest messages, in a number of rounds; -1: there are too few.
  int least_volume(int rounds) {
    if (!is_possible(std::vector<int>(static_cast<std::size_t>(rounds), 1000))) return -1;
    for (int volume = 0;; ++volume) {
      std::vector<int> limits(static_cast<std::size_t>(rounds), 0);
      if (any_division(limits, 0, volume)) return volume;
    }
  }

  int least_rounds() {
    for (int rounds = 0;; ++rounds)
      if (is_possible(std::vector<int>(static_cast<std::size_t>(rounds), 1000))) return rounds;
  }

 private:
  bool any_division(std::vector<int>& limits, std::size_t next, int left) {
    if (next + 1 == limits.size()) {
      limits[next] = left;
      return is_possible(std::vector<int>(limits));
    }
    for (int own = 0; own <= left; ++own) {
      limits[next] = own;
      if (any_division(limits, next + 1, left - own)) return true;
    }
    return limits.empty() && left == 0 && units_.empty();
  }

  bool place(std::size_t unit) { return unit == units_.size() || walk(unit, units_[unit].from, 0, 1u << units_[unit].from); }

  bool walk(std::size_t unit, int at, std::size_t first, unsigned visited) {
    if (at == units_[unit].to) return place(unit + 1);
    for (std::size_t round = first; round < limits_.size(); ++round)
      for (int to = 0; to < parties_; ++to) {
        if ((visited >> to & 1) != 0) continue;
        const std::size_t sender = round * static_cast<std::size_t>(parties_) + static_cast<std::size_t>(at),
                          receiver = round * static_cast<std::size_t>(parties_) + static_cast<std::size_t>(to);
        int& load = loads_[sender * static_cast<std::size_t>(parties_) + static_cast<std::size_t>(to)];
        if (load >= limits_[round] || (load == 0 && (out_[sender] >= ports_ || in_[receiver] >= ports_))) continue;
        if (load++ == 0) ++out_[sender], ++in_[receiver];
        if (walk(unit, to, round + 1, visited | 1u << to)) return true;
        if (--load == 0) --out_[sender], --in_[receiver];
      }
    return false;
  }

  int parties_, ports_;
  std::vector<UnitOfData> units_;
  std::vector<int> limits_, loads_, out_, in_;
};

// Units of one byte on links, each of which carries one unit in a round. Ranks can keep a unit until a later round; switches
// cannot.
class LinkSearch {
 public:
  LinkSearch(const NetworkLinks& network, int ranks, std::vector<UnitOfData> units)
      : network_(network), ranks_(ranks), units_(std::move(units)) {}

  int least_rounds() {
    for (rounds_ = 0;; ++rounds_) {
      is_used_.assign(network_.links.size() * (rounds_ + 1), false);
      if (place(0)) return static_cast<int>(rounds_);
    }
  }

 private:
  bool place(std::size_t unit) { return unit == units_.size() || walk(unit, units_[unit].from, 0, 1u << units_[unit].from); }

  bool walk(std::size_t unit, Vertex at, std::size_t first, unsigned visited) {
    if (at == units_[unit].to) return place(unit + 1);
    const std::size_t last = at < ranks_ ? rounds_ : std::min(rounds_, first + 1);
    for (std::size_t round = first; round < last; ++round)
      for (std::size_t link = 0; link < network_.links.size(); ++link) {
        const auto [from, to] = network_.links[link];
        if (from != at || (visited >> to & 1) != 0 || is_used_[round * network_.links.size() + link]) continue;
        is_used_[round * network_.links.size() + link] = true;
        if (walk(unit, to, round, visited | 1u << to)) return true;
        is_used_[round * network_.links.size() + link] = false;
      }
    return false;
  }

  const NetworkLinks& network_;
  int ranks_;
  std::vector<UnitOfData> units_;
  std::size_t rounds_ = 0;
  std::vector<bool> is_used_;
};

// The fewest matchings into which exchanges can be divided.
int least_matchings(const std::vector<std::pair<int, int>>& exchanges) {
  for (unsigned steps = 0;; ++steps) {
    std::vector<unsigned> busy(8, 0);  // by node: the steps in which it has an exchange
    const std::function<bool(std::size_t)> place = [&](std::size_t next) {
      if (next == exchanges.size()) return true;
      const auto [one, other] = exchanges[next];
      for (unsigned step = 0; step < steps; ++step) {
        const unsigned bit = 1u << step;
        if (((busy[static_cast<std::size_t>(one)] | busy[static_cast<std::size_t>(other)]) & bit) != 0) continue;
        busy[static_cast<std::size_t>(one)] |= bit, busy[static_cast<std::size_t>(other)] |= bit;
        if (place(next + 1)) return true;
        busy[static_cast<std::size_t>(one)] &= ~bit, busy[static_cast<std::size_t>(other)] &= ~bit;
      }
      return false;
    };
    if (place(0)) return static_cast<int>(steps);
  }
}

using Sent = std::array<int, 3>;  // messages that each of three nodes sends

// All ways to make and to give out a result of one byte among three nodes: every message tells the receiver what the sender knows.
// `known`: for each node, the set of nodes whose operands it has combined. Messages in which operands meet twice are allowed, so
// the least figure is not too large.
std::set<Sent> ways_of_a_byte(std::array<unsigned, 3> known, const std::array<unsigned, 3>& wanted) {
  std::set<Sent> ways;
  std::set<std::pair<std::array<unsigned, 3>, Sent>> seen;
  const std::function<void(const std::array<unsigned, 3>&, const Sent&)> go = [&](const auto& now, const Sent& sent) {
    if (!seen.emplace(now, sent).second) return;
    bool is_done = true;
    for (std::size_t node = 0; node < 3; ++node) is_done = is_done && (now[node] & wanted[node]) == wanted[node];
    if (is_done) {
      ways.insert(sent);
      return;
    }
    if (sent[0] + sent[1] + sent[2] == 5) return;
    for (std::size_t from = 0; from < 3; ++from)
      for (std::size_t to = 0; to < 3; ++to) {
        if ((now[from] & ~now[to]) == 0) continue;
        auto next = now;
        Sent more = sent;
        next[to] |= now[from], ++more[from];
        go(next, more);
      }
  };
  go(known, {});
  return ways;
}

// The least number of bytes that the busiest node sends, if each byte takes one of its ways.
int least_busiest(const std::vector<std::set<Sent>>& bytes) {
  std::set<Sent> sums{{}};
  for (const std::set<Sent>& ways : bytes) {
    std::set<Sent> next;
    for (const Sent& sum : sums)
      for (const Sent& way : ways) next.insert({sum[0] + way[0], sum[1] + way[1], sum[2] + way[2]});
    sums = std::move(next);
  }
  int least = 1000;
  for (const Sent& sum : sums) least = std::min(least, *std::max_element(sum.begin(), sum.end()));
  return least;
}

struct Comparison {
  int cases = 0, equal = 0;
  std::map<std::string, int> largest, alone;  // by kind: cases in which no bound is greater, and in which all others are smaller

  void add(const std::vector<Bound>& bounds, const std::string& figure, int optimum, const std::string& of_nodes = "") {
    Count best = 0;
    std::map<std::string, Fraction> by_kind;
    for (const Bound& bound : bounds) {
      if (bound.figure != figure) continue;
      best = std::max(best, bound.value);
      Fraction& own = by_kind[std::string(name(bound.certificate.kind)) + of_nodes];
      own = std::max(own, bound.exact);
    }
    ASSERT_LE(best, optimum) << figure;
    ++cases;
    equal += best == optimum ? 1 : 0;
    if (best == 0) return;
    for (const auto& [kind, value] : by_kind) {
      bool is_largest = true, is_alone = true;
      for (const auto& [other, rival] : by_kind)
        if (other != kind) is_largest = is_largest && !(value < rival), is_alone = is_alone && rival < value;
      largest[kind] += is_largest ? 1 : 0;
      alone[kind] += is_alone ? 1 : 0;
    }
  }
};

class ExhaustiveBounds : public ::testing::Test {
 protected:
  int draw(int least, int most) { return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1)); }

  std::vector<Bytes> random_counts(int ranks, int units) {
    std::vector<Bytes> counts(static_cast<std::size_t>(ranks * ranks));
    for (int i = 0; i < units; ++i) {
      const int from = draw(0, ranks - 1), to = draw(0, ranks - 1);
      if (from != to) ++counts[static_cast<std::size_t>(from * ranks + to)];
    }
    return counts;
  }

  static std::vector<UnitOfData> units_of(const Problem& problem, const std::vector<Count>& nodes = {}) {
    std::vector<UnitOfData> units;
    for (Rank from = 0; from < problem.ranks; ++from)
      for (const Share& share : Traffic(problem).sent_by(from)) {
        const auto party = [&](Rank rank) { return static_cast<int>(nodes.empty() ? rank : nodes[index(rank)]); };
        if (party(from) != party(share.peer)) units.insert(units.end(), index(share.bytes), {party(from), party(share.peer)});
      }
    return units;
  }

  std::mt19937 random_{7};
  Comparison compared_;
};

TEST_F(ExhaustiveBounds, AreNeverAboveTheOptimumAndOftenEqualIt) {
  // Rounds of ranks, and of nodes of one or two ranks.
  for (int i = 0; i < 70; ++i) {
    const int ranks = draw(2, 4), ports = draw(1, 2);
    const Problem problem = Problem::alltoallv(ranks, random_counts(ranks, draw(1, 8)));
    compared_.add(lower_bounds(problem, ports), "c1", RoundSearch(ranks, ports, units_of(problem)).least_rounds());
  }
  for (int i = 0; i < 30; ++i) {
    Problem problem = Problem::alltoallv(4, random_counts(4, draw(2, 8)));
    problem.nodes = {0, draw(0, 1), draw(1, 2), draw(2, 3)};
    std::sort(problem.nodes.begin(), problem.nodes.end());
    const std::set<Count> names(problem.nodes.begin(), problem.nodes.end());
    for (Count& node : problem.nodes) node = std::distance(names.begin(), names.find(node));
    RoundSearch search(static_cast<int>(names.size()), 1, units_of(problem, problem.nodes));
    compared_.add(lower_bounds_between_nodes(problem, 1), "node_rounds", search.least_rounds(), " of nodes");
  }
  // C2 in a number of rounds: what leaves a rank, and the compound bound.
  for (int i = 0; i < 100; ++i) {
    const int ports = draw(1, 2), ranks = draw(3, 4);
    const bool is_regular = i % 2 == 0;
    const Problem problem = is_regular ? Problem::alltoall(ranks, ranks == 3 ? draw(1, 2) : 1)
                                       : Problem::alltoallv(ranks, random_counts(ranks, draw(2, 7)));
    RoundSearch search(ranks, ports, units_of(problem));
    const int rounds = search.least_rounds() + draw(0, ranks == 3 ? 1 : 0);
    if (rounds == 0) continue;
    compared_.add(lower_bounds(problem, ports, rounds), "c2", search.least_volume(rounds));
  }
  // The time: rounds are start-ups of `startup` seconds, and a byte takes a second.
  for (int i = 0; i < 40; ++i) {
    const int ranks = draw(2, 4), ports = 1, startup = draw(0, 3);
    const Problem problem = Problem::alltoall(ranks, ranks == 4 ? 1 : draw(1, 2));
    RoundSearch search(ranks, ports, units_of(problem));
    int least = 1000;
    for (int rounds = search.least_rounds(); rounds < ranks; ++rounds)
      least = std::min(least, startup * rounds + search.least_volume(rounds));
    Bound bound = time_bound(problem, certified_bounds(problem, ports), {.startup_s = startup, .byte_s = 1, .ports = ports});
    bound.value = bound.exact.rounded_up();
    compared_.add({bound}, "time", least);
  }
  // Bytes out of a node: of an alltoallv, of an allgather of shares, and of an allreduce, among three nodes.
  for (int i = 0; i < 80; ++i) {
    std::vector<std::set<Sent>> bytes;
    Problem problem;
    if (i % 3 == 0) {
      problem = Problem::alltoallv(3, random_counts(3, draw(2, 6)));
      for (const UnitOfData& unit : units_of(problem)) {
        std::array<unsigned, 3> known{}, wanted{};
        known[static_cast<std::size_t>(unit.from)] = wanted[static_cast<std::size_t>(unit.to)] = 1;
        bytes.push_back(ways_of_a_byte(known, wanted));
      }
    } else if (i % 3 == 1) {
      problem = Problem::allgatherv(3, {draw(0, 2), draw(0, 2), draw(1, 3)});
      for (std::size_t from = 0; from < 3; ++from)
        for (Bytes byte = 0; byte < (*problem.counts)[from]; ++byte) {
          std::array<unsigned, 3> known{};
          known[from] = 1;
          bytes.push_back(ways_of_a_byte(known, {1, 1, 1}));
        }
    } else {
      problem = Problem::allreduce(3, draw(1, 4));
      bytes.assign(index(problem.block_bytes), ways_of_a_byte({1, 2, 4}, {7, 7, 7}));
    }
    compared_.add(lower_bounds_between_nodes(problem, 1), "node_traffic_out", least_busiest(bytes), " of nodes");
  }
  // Matchings of nodes with several ranks.
  for (int i = 0; i < 80; ++i) {
    const int nodes = draw(3, 4);
    Problem problem = Problem::alltoallv(8, random_counts(8, draw(4, 10)));
    problem.nodes.clear();
    for (int rank = 0; rank < 8; ++rank) problem.nodes.push_back(rank % nodes);
    std::set<std::pair<Rank, Rank>> pairs;
    for (const UnitOfData& unit : units_of(problem)) pairs.insert(std::minmax(unit.from, unit.to));
    std::vector<std::pair<int, int>> exchanges;
    for (const auto& [one, other] : pairs)
      if (one % nodes != other % nodes) exchanges.emplace_back(one % nodes, other % nodes);
    std::vector<Bound> bounds = lower_bounds_by_matchings(problem);
    std::erase_if(bounds, [](const Bound& bound) { return bound.value == 0; });
    compared_.add(bounds, "matchings", least_matchings(exchanges), " of exchanges");
  }
  // What links carry: cuts and flows.
  const std::vector<Topology> networks{parse_topology("ring:3"),
                                       parse_topology("ring:4"),
                                       parse_topology("array:4"),
                                       parse_topology("cluster:2x2"),
                                       parse_edge_list("0 1\n1 2\n2 3\n3 0\n0 2\n", "diagonal"),
                                       parse_edge_list("0 a\n1 a\n2 b\n3 b\na b\n0 2\n", "two switches")};
  for (int i = 0; i < 100; ++i) {
    const Topology& network = networks[index(i) % networks.size()];
    const auto ranks = static_cast<int>(network.ranks());
    std::vector<Bytes> counts = random_counts(ranks, draw(3, 6));
    if (i % 4 == 3) {  // to the next rank only, so that the flow goes around in both directions
      std::fill(counts.begin(), counts.end(), 0);
      for (int rank = 0; rank < ranks; ++rank) counts[index(rank * ranks + (rank + 1) % ranks)] = draw(1, 2);
    }
    const Problem problem = Problem::alltoallv(ranks, std::move(counts));
    const NetworkLinks links = links_of(network);
    compared_.add(network_bounds(problem, links, {.steps = 200}), "c2_shared",
                  LinkSearch(links, ranks, units_of(problem)).least_rounds(), " of links");
  }
  std::string told;
  for (const auto& [kind, count] : compared_.largest)
    told += fmt::format("{}: largest in {}, alone in {}\n", kind, count, compared_.alone[kind]);
  SCOPED_TRACE(told);
  RecordProperty("kinds", told + fmt::format("equal in {} of {}\n", compared_.equal, compared_.cases));
  EXPECT_GE(compared_.cases, 490);
  EXPECT_GE(compared_.equal * 100, compared_.cases * 70) << compared_.equal << " of " << compared_.cases;
  for (const char* kind :
       {"spread", "spread of nodes", "crossing", "compound", "time", "crossing of nodes", "equal-part of nodes", "results of nodes",
        "crossing of exchanges", "odd-set of exchanges", "crossing of links", "flow of links"})
    EXPECT_GE(compared_.largest[kind], 20) << kind;
}

}  // namespace
}  // namespace quadrille
