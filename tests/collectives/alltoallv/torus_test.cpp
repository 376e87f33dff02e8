// SPDX-License-Identifier: BSD-3-Clause
// The irregular exchange on tori: verified on the links of the torus, its volume for equal counts, how it balances, and simulated
// times beside those of `direct`.
#include <gtest/gtest.h>

#include <numeric>

#include "quadrille/cost.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using Sides = std::vector<Count>;

Problem on_torus(Problem problem, const Sides& sides) {
  problem.grid = sides;
  return problem;
}

Problem drawn(const Sides& sides, const TrafficPattern& pattern) {
  const Count ranks = std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>());
  return on_torus(make_traffic(ranks, pattern), sides);
}

std::vector<TrafficPattern> patterns_with_seed(std::uint64_t seed, Bytes typical) {
  std::vector<TrafficPattern> list;
  for (const TrafficKind kind : all_traffic_kinds())
    list.push_back({.kind = kind, .most = 9 * typical, .small = typical / 4, .typical = typical, .density = 0.4, .seed = seed});
  return list;
}

bool is_straight(const Schedule& schedule) { return schedule.program(0).stages.back().name == "exchange"; }

// Verifies the schedule, and on the links of the torus if no blocks go straight.
void expect_right_on_torus(const Problem& problem, const std::string& specification) {
  SCOPED_TRACE(fmt::format("{} on {}: {}", specification, fmt::join(problem.grid, "x"), description(problem)));
  const Schedule schedule = make_schedule(problem, specification);
  const Topology torus = Topology::torus(problem.grid);
  const bool straight = is_straight(schedule);
  for (const Finding& finding : straight ? verify(schedule) : verify(schedule, {.topology = torus, .strict_links = true}))
    ADD_FAILURE() << to_string(finding);
  if (!straight) EXPECT_LE(figures(schedule).ports, 2 * size(problem.grid));
  if (problem.ranks <= 12) EXPECT_EQ(judge(schedule), "");
}

// Returns all grids with so many ranks, also with sides of one rank in between.
std::vector<Sides> tori_of(Count ranks) {
  std::vector<Sides> list{{ranks}};
  for (Count side = 2; side < ranks; ++side)
    if (ranks % side == 0)
      for (Sides rest : tori_of(ranks / side)) {
        rest.insert(rest.begin(), side);
        list.push_back(rest);
      }
  if (ranks == 6) list.push_back({2, 1, 3});
  return list;
}

TEST(TorusOfUnequalCounts, IsVerifiedOnAllSmallTori) {
  for (Count ranks = 1; ranks <= extent<Count>(8, 18, 40); ++ranks)
    for (const Sides& sides : tori_of(ranks)) {
      for (const TrafficPattern& pattern : patterns_with_seed(1, 5)) {
        if (pattern.kind == TrafficKind::groups && ranks == 1) continue;
        expect_right_on_torus(drawn(sides, pattern), "torus:relays=always,counts=known");
      }
      for (const char* specification : {"torus", "torus:relays=always"})
        expect_right_on_torus(drawn(sides, {.kind = TrafficKind::uniform, .typical = 7}), specification);
    }
}

TEST(TorusOfUnequalCounts, IsVerifiedForRandomTrafficOnLargerTori) {
  std::uint64_t seed = 1;
  for (const Sides& sides : {Sides{6, 7}, {8, 8}, {4, 4, 4}, {3, 4, 5}, {2, 3, 2, 5}, {10, 10}, {31}})
    for (int i = 0; i < extent(1, 1, 20); ++i)
      for (const TrafficPattern& pattern : patterns_with_seed(++seed, 40)) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        expect_right_on_torus(drawn(sides, pattern), "torus:relays=always,counts=known");
        expect_right_on_torus(drawn(sides, pattern), "torus:counts=known");
      }
}

TEST(TorusOfUnequalCounts, HasTheFiguresOfAlltoallForEqualCounts) {
  for (const Sides& sides : {Sides{2}, {5}, {8}, {2, 2}, {4, 6}, {8, 8}, {5, 3}, {4, 4, 4}, {2, 3, 4}, {2, 2, 2, 2}}) {
    const Bytes block = 24 * 4;  // halves of each part are whole bytes
    const Problem problem = drawn(sides, {.kind = TrafficKind::equal, .typical = block});
    const Figures ours = figures(make_schedule(problem, "torus:relays=always,counts=known"));
    const Figures regular = figures(make_schedule(problem_on(sides, Collective::alltoall, block), "torus:order=dimension-split"));
    EXPECT_EQ(ours.c1, regular.c1) << fmt::format("{}", fmt::join(sides, "x"));
    EXPECT_EQ(ours.c2, regular.c2) << fmt::format("{}", fmt::join(sides, "x"));
    EXPECT_EQ(ours.ports, regular.ports);
  }
}

// Rank 0 has data for the opposite rank of a ring of 4, and for its neighbour above. Both ways carry the same, if that is possible.
TEST(TorusOfUnequalCounts, CutsBlocksForOppositeRanksSoThatBothWaysCarryTheSame) {
  const auto sent = [](Bytes opposite, Bytes above) {
    const Problem problem = on_torus(Problem::alltoallv(4, std::vector<TrafficEntry>{{0, 1, above}, {0, 2, opposite}}), {4});
    const Program program = make_schedule(problem, "torus:relays=always,counts=known").program(0);
    std::pair<Bytes, Bytes> bytes_of_ways;
    for (const Message& message : program.rounds.at(0).sends)
      (message.port->direction > 0 ? bytes_of_ways.first : bytes_of_ways.second) += bytes(message.regions);
    return bytes_of_ways;
  };
  EXPECT_EQ(sent(100, 0), std::pair(Bytes{50}, Bytes{50}));
  EXPECT_EQ(sent(100, 40), std::pair(Bytes{70}, Bytes{70}));
  EXPECT_EQ(sent(100, 100), std::pair(Bytes{100}, Bytes{100}));
  EXPECT_EQ(sent(100, 300), std::pair(Bytes{300}, Bytes{100}));
  EXPECT_EQ(sent(1, 0), std::pair(Bytes{1}, Bytes{0}));
}

// Times on a torus whose ranks have a port for each link. A start-up takes as long as 2,000 bytes.
Picoseconds simulated(const Problem& problem, const std::string& specification, Policy policy) {
  const Topology torus = Topology::torus(problem.grid);
  const MessageTimes times = message_times(
      *find_model("linear"),
      Coefficients{{"startup_us", 2}, {"transfer_us_per_byte", 0.001}, {"ports", 2.0 * static_cast<double>(problem.grid.size())}});
  return simulate_events(make_schedule(problem, specification), times, {.policy = policy, .topology = &torus}).end;
}

TEST(TorusOfUnequalCounts, IsNeverSlowerThanDirect) {
  Count relayed = 0;
  std::uint64_t seed = 100;
  for (const Sides& sides : {Sides{8, 8}, {4, 4, 4}, {6, 7}, {4, 4}, {3, 4, 5}})
    for (const Bytes typical : {40, 2000, 100'000})
      for (int i = 0; i < extent(1, 1, 20); ++i)
        for (const TrafficPattern& pattern : patterns_with_seed(++seed, typical)) {
          const Problem problem = drawn(sides, pattern);
          if (is_straight(make_schedule(problem, "torus:counts=known"))) continue;  // the same messages as `direct`
          ++relayed;
          for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
            EXPECT_LE(simulated(problem, "torus:counts=known", policy), simulated(problem, "direct", policy))
                << fmt::format("{} {} seed {}", fmt::join(sides, "x"), name(pattern.kind), seed);
        }
  EXPECT_GT(relayed, 30);
}

TEST(TorusOfUnequalCounts, TakesHalfTheTimeOfDirectForEqualCounts) {
  const auto ratio = [](const Sides& sides, Bytes block) {
    const Problem problem = drawn(sides, {.kind = TrafficKind::equal, .typical = block});
    const Topology torus = Topology::torus(sides);
    const auto by_rounds = [&](const char* specification) {
      return static_cast<double>(simulate_rounds(make_schedule(problem, specification), *find_model("torus"),
                                                 find_machine("paragon"), {.topology = &torus})
                                     .end);
    };
    return by_rounds("direct") / by_rounds("torus:counts=known");
  };
  for (const Sides& sides : {Sides{8, 8}, {4, 4, 4}, {8, 8, 8}})
    for (const Bytes block : {96, 480}) EXPECT_GE(ratio(sides, block), 2) << fmt::format("{}, {} B", fmt::join(sides, "x"), block);
}

}  // namespace
}  // namespace quadrille
