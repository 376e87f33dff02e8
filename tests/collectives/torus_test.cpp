// SPDX-License-Identifier: BSD-3-Clause
// The exchange on tori: the published examples and figures, every block on a shortest path, no link twice in a round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;
using Sides = std::vector<Count>;

Problem on_grid(const Sides& sides, Bytes block_bytes) {
  Problem problem = alltoall(std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>()), block_bytes);
  problem.grid = sides;
  check(problem);
  return problem;
}

Schedule torus(const Sides& sides, Bytes block_bytes, const std::string& specification = "torus") {
  return make_schedule(on_grid(sides, block_bytes), specification);
}

// The longest message of each round that has one.
std::vector<Bytes> sizes(const Schedule& schedule) {
  std::map<Count, Bytes> longest;
  for (const Rank rank : schedule.symmetry->representatives)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) longest[round.number] = std::max(longest[round.number], bytes(message.regions));
  std::vector<Bytes> list;
  for (const auto& [round, length] : longest) list.push_back(length);
  return list;
}

void expect_right(const Schedule& schedule) {
  SCOPED_TRACE(specification(schedule) + ", " + description(schedule.problem) +
               fmt::format(" grid={}", fmt::join(schedule.problem.grid, "x")));
  for (const Finding& finding : verify(schedule)) ADD_FAILURE() << to_string(finding);
  EXPECT_EQ(check_symmetry(schedule, every_rank(schedule.problem.ranks)), std::nullopt);
  EXPECT_EQ(figures(schedule), figures(schedule, /*every_rank=*/true));
}

// Bytes over each link, round by round; no link is in two messages of a round. What goes over all links together is what the blocks
// need on shortest paths, so each is on one.
void expect_shortest_paths_without_contention(const Schedule& schedule) {
  const Topology topology = Topology::torus(schedule.problem.grid);
  Count hop_bytes = 0, needed = 0;
  std::map<Count, std::set<Count>> used;  // by round
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    for (Rank to = 0; to < schedule.problem.ranks; ++to) needed += topology.distance(rank, to) * schedule.problem.block_bytes;
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) {
        ASSERT_TRUE(message.port.has_value());
        EXPECT_EQ(topology.for_each_link(rank, message.peer, message.port,
                                         [&](const Link& link) {
                                           hop_bytes += bytes(message.regions);
                                           EXPECT_TRUE(used[round.number].insert(link.number).second)
                                               << "round " << round.number << ", " << topology.text_of(link);
                                         }),
                  std::nullopt);
      }
  }
  EXPECT_EQ(hop_bytes, needed);
}

// C2 where halves and parts divide the block, in blocks.
void expect_figures(const Sides& sides, const std::string& specification, Count startups, Count c2) {
  SCOPED_TRACE(fmt::format("{} on {}", specification, fmt::join(sides, "x")));
  const Bytes b = 24;
  const Schedule schedule = torus(sides, b, specification);
  const Figures counted = figures(schedule);
  EXPECT_EQ(counted.c1, startups);
  EXPECT_EQ(counted.c2, c2 * b);
  if (schedule.problem.ranks > 256) return;
  expect_right(schedule);
  expect_shortest_paths_without_contention(schedule);
}

TEST(Torus, DoesTheWorkedRing) {
  EXPECT_THAT(sizes(torus({2}, 1, "torus:kernel=ar")), ElementsAre(1));
  EXPECT_THAT(sizes(torus({4}, 1, "torus:kernel=ar")), ElementsAre(1, 1));
  EXPECT_THAT(sizes(torus({6}, 1, "torus:kernel=ar")), ElementsAre(2, 2, 1));
  EXPECT_THAT(sizes(torus({8}, 1, "torus:kernel=ar")), ElementsAre(2, 3, 1, 2));
  EXPECT_THAT(sizes(torus({10}, 1, "torus:kernel=ar")), ElementsAre(3, 4, 2, 3, 1));
  EXPECT_THAT(sizes(torus({12}, 1, "torus:kernel=ar")), ElementsAre(3, 5, 3, 1, 4, 2));
  EXPECT_THAT(sizes(torus({16}, 1, "torus:kernel=ar")), ElementsAre(4, 7, 5, 3, 1, 6, 4, 2));
  EXPECT_THAT(sizes(torus({8}, 2)), ElementsAre(7, 5, 3, 1));
}

// Where the ring of 8 sends what in which step, by the names the source gives the blocks: M[origin]{target, ..}.
TEST(Torus, SendsTheBlocksOfTheWorkedRing) {
  const Schedule schedule = torus({8}, 1, "torus:kernel=ar");
  // The slot of a block is its displacement; so a slot at a rank in a step names the origin by how far it has come.
  const auto sent = [&](Rank rank, Count step, Rank to) -> std::vector<Count> {
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        if (round.number == step + 1 && message.peer == to) {
          std::vector<Count> slots;
          for (const Region& region : message.regions)
            for_each_run(region, [&](Bytes offset, Bytes length) {
              for (Bytes i = 0; i < length; ++i) slots.push_back(offset + i);
            });
          return slots;
        }
    return {};
  };
  EXPECT_THAT(sent(0, 0, 1), ElementsAre(1, 3));     // M[0]{1, 3}
  EXPECT_THAT(sent(0, 0, 7), ElementsAre(5, 7));     // M[0]{5, 7}
  EXPECT_THAT(sent(1, 0, 2), ElementsAre(1, 3));     // M[1]{2, 4}
  EXPECT_THAT(sent(1, 0, 0), ElementsAre(5, 7));     // M[1]{6, 0}
  EXPECT_THAT(sent(0, 1, 2), ElementsAre(2, 3, 4));  // M[0]{2, 4}, M[7]{2}
  EXPECT_THAT(sent(1, 1, 7), ElementsAre(5, 6, 4));  // M[1]{7, 5}, M[2]{7}
  EXPECT_THAT(sent(0, 2, 2), ElementsAre(4));        // M[6]{2}
  EXPECT_THAT(sent(1, 2, 7), ElementsAre(4));        // M[3]{7}
  EXPECT_THAT(sent(0, 3, 6), ElementsAre(5, 6));     // M[1]{6}, M[0]{6}
  EXPECT_THAT(sent(1, 3, 3), ElementsAre(2, 3));     // M[1]{3}, M[0]{3}
}

TEST(Torus, TakesTheStepsAndVolumeOfTheRing) {
  for (Count p = 2; p <= 17; ++p) {
    const Bytes b = 8;
    for (const std::string specification : {"torus", "torus:kernel=ar"}) {
      if (p % 2 == 1 && specification != "torus") continue;
      const Schedule schedule = torus({p}, b, specification);
      EXPECT_EQ(figures(schedule).c1, p / 2);
      EXPECT_EQ(figures(schedule).c2, specification == "torus" ? (p * p - p % 2) * b / 8 : ceil_divide(p * p, 8) * b) << p;
      expect_right(schedule);
      expect_shortest_paths_without_contention(schedule);
    }
    if (p % 2 == 0) EXPECT_EQ(figures(torus({p}, 7)).c2, (p * p * 7 / 2 + p) / 4) << p;  // p/4 bytes more for odd blocks
  }
}

TEST(Torus, TakesTheStepsAndVolumeOfTheTable) {
  expect_figures({4, 4}, "torus", 4, 8);
  expect_figures({4, 8}, "torus", 6, 32);
  expect_figures({8, 4}, "torus", 6, 32);
  expect_figures({8, 8}, "torus", 6, 64);
  expect_figures({8, 12}, "torus", 8, 144);
  expect_figures({12, 12}, "torus", 8, 216);
  expect_figures({16, 16}, "torus", 10, 512);
  expect_figures({6, 6}, "torus", 4, 27);
  expect_figures({6, 10}, "torus", 6, 75);
  expect_figures({2, 2}, "torus", 2, 1);
  expect_figures({2, 6}, "torus", 4, 9);
  expect_figures({4, 6}, "torus", 4, 18);
  expect_figures({3, 3}, "torus", 2, 3);
  expect_figures({5, 5}, "torus", 4, 15);
  expect_figures({7, 9}, "torus", 8, 70);
  expect_figures({5, 8}, "torus", 8, 40);
  expect_figures({3, 3, 3}, "torus", 3, 9);
  expect_figures({2, 3, 4}, "torus", 6, 12);
  expect_figures({4, 4, 4}, "torus", 6, 32);
  expect_figures({3, 4, 5}, "torus", 6, 36);
  expect_figures({2, 2, 2, 2}, "torus", 4, 4);
  expect_figures({8, 8}, "torus:order=dimension-split", 8, 64);
  expect_figures({1, 8, 1}, "torus", 4, 8);
}

TEST(Torus, SendsMessagesOfTheTable) {
  EXPECT_THAT(sizes(torus({4, 4}, 1)), ElementsAre(3, 1, 2, 2));
  EXPECT_THAT(sizes(torus({4, 8}, 1)), ElementsAre(6, 2, 10, 2, 10, 2));
  EXPECT_THAT(sizes(torus({8, 8}, 1)), ElementsAre(12, 4, 20, 4, 20, 4));
  EXPECT_THAT(sizes(torus({6, 6}, 4)), ElementsAre(27, 9, 36, 36));
  EXPECT_THAT(sizes(torus({6, 10}, 4)), ElementsAre(45, 15, 84, 36, 84, 36));
  EXPECT_THAT(sizes(torus({8, 8}, 1, "torus:kernel=ar")), ElementsAre(12, 4, 16, 8, 16, 8));
}

// Aligned kernels of two links a step; lines of 4 (mod 8) links share what is half way round, so that the volume stays the least.
TEST(Torus, AlternatesOnSquares) {
  expect_figures({4, 4}, "torus:kernel=ar", 4, 8);
  expect_figures({8, 8}, "torus:kernel=ar", 6, 64);
  expect_figures({12, 12}, "torus:kernel=ar", 8, 216);
  expect_figures({4, 8}, "torus:kernel=ar", 6, 32);
  expect_right(torus({8, 12}, 2, "torus:kernel=ar"));
  expect_right(torus({4, 6}, 3, "torus:kernel=ar,order=dimension-split"));
}

// All links carry the same in every round.
TEST(Torus, UsesAllLinksOfSquares) {
  for (const auto& [sides, specification] : std::vector<std::pair<Sides, std::string>>{{{4, 4}, "torus"},
                                                                                       {{6, 6}, "torus"},
                                                                                       {{8, 8}, "torus:kernel=ar"},
                                                                                       {{5, 5}, "torus"},
                                                                                       {{8}, "torus:kernel=ar"},
                                                                                       {{7}, "torus"}}) {
    const Schedule schedule = torus(sides, 8, specification);
    const Topology topology = Topology::torus(sides);
    std::map<Count, std::map<Count, Bytes>> loads;
    for (Rank rank = 0; rank < topology.ranks(); ++rank)
      for (const Round& round : schedule.program(rank).rounds)
        for (const Message& message : round.sends)
          topology.for_each_link(rank, message.peer, message.port,
                                 [&](const Link& link) { loads[round.number][link.number] += bytes(message.regions); });
    for (const auto& [round, links] : loads) {
      EXPECT_EQ(static_cast<Count>(links.size()), topology.link_count()) << topology.name() << " round " << round;
      for (const auto& [link, load] : links) EXPECT_EQ(load, links.begin()->second) << topology.name() << " round " << round;
    }
  }
}

// Blocks that neither halves nor parts divide: at most a byte more a block and cut in each message.
TEST(Torus, IsRightForAllSidesAndBlocks) {
  for (const Sides& sides : {Sides{1, 1},
                             {1, 2},
                             {2, 2},
                             {2, 3},
                             {3, 2},
                             {2, 4},
                             {4, 4},
                             {4, 6},
                             {6, 6},
                             {2, 10},
                             {3, 5},
                             {2, 2, 2},
                             {3, 2, 4},
                             {2, 1, 3, 2},
                             {2, 2, 2, 2, 2}})
    for (const Bytes b : {0, 1, 2, 3, 5, 7})
      for (const Problem problem = on_grid(sides, b);
           const Choice& choice : all_choices(*find_algorithm(Collective::alltoall, "torus"), problem)) {
        const Schedule schedule = make_schedule(problem, choice);
        expect_right(schedule);
        EXPECT_EQ(judge(schedule), "");
        if (b > 0) expect_shortest_paths_without_contention(schedule);
      }
}

TEST(Torus, SaysWhatItCannotDo) {
  const auto reason = [](const Sides& sides, const char* specification) {
    const Problem problem = on_grid(sides, 1);
    return reason_against(problem, parse_choice(problem, specification)).value_or("");
  };
  EXPECT_THAT(reason({3, 4}, "torus:order=at2"), ::testing::HasSubstr("both even"));
  EXPECT_THAT(reason({4, 4, 4}, "torus:order=at2"), ::testing::HasSubstr("two sides"));
  EXPECT_THAT(reason({8}, "torus:order=at2"), ::testing::HasSubstr("two sides"));
  EXPECT_THAT(reason({4, 6}, "torus:order=at2,kernel=ar"), ::testing::HasSubstr("multiples of 4"));
  EXPECT_THAT(reason({3, 3}, "torus:kernel=ar"), ::testing::HasSubstr("even sides"));
  EXPECT_EQ(word(parse_choice(on_grid({4, 6}, 1), "torus").parameters, "order"), "at2");
  EXPECT_EQ(word(parse_choice(on_grid({4, 6}, 1), "torus:kernel=ar").parameters, "order"), "dimension-split");
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Thousands of ranks: by a sample of the symmetry, and by how few regions a program has.
TEST(Torus, IsMadeForLargeTori) {
  for (const Count side : {64, 128}) {
    const Schedule schedule = torus({side, side}, 4);
    Figures counted;
    EXPECT_LT(seconds_of([&] { counted = figures(schedule); }), sanitized ? 20 : 1);
    EXPECT_EQ(counted.c1, side / 2 + 2);
    EXPECT_EQ(counted.c2, side * side * side / 8 * 4);
    EXPECT_EQ(counted.ports, 4);
    const Rank last = schedule.problem.ranks - 1;
    EXPECT_LT(seconds_of([&] { schedule.program(last); }), sanitized ? 1 : 0.05);
    std::size_t regions = 0;
    for (const Round& round : schedule.program(last).rounds)
      for (const Message& message : round.sends) regions += message.regions.size();
    EXPECT_LE(regions, static_cast<std::size_t>(8 * counted.c1));
  }
  const Schedule schedule = torus({64, 64}, 4);
  EXPECT_EQ(check_symmetry(schedule, {1, 64, 66, 2047, 4095}), std::nullopt);
  EXPECT_EQ(schedule.symmetry->representatives.size(), 4u);
  EXPECT_EQ(torus({8}, 1, "torus:kernel=ar").symmetry->representatives.size(), 2u);
  EXPECT_EQ(torus({3, 5}, 1).symmetry->representatives.size(), 1u);
}

}  // namespace
}  // namespace quadrille
