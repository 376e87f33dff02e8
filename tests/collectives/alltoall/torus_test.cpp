// SPDX-License-Identifier: BSD-3-Clause
// The exchange on tori: the published examples and figures, every block on a shortest path, no link used twice in a
// round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/verify.hpp"
#include "schedule/symmetry.hpp"
#include "support/cases.hpp"
#include "support/imaginary_ring.hpp"
#include "support/judge.hpp"
#include "support/why_not.hpp"
#include "verify/finding_list.hpp"
#include "verify/replay.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;
using Sides = std::vector<Count>;

Schedule torus(const Sides& sides, Bytes block_bytes, const std::string& specification = "torus") {
  return make_schedule(problem_on(sides, Collective::alltoall, block_bytes), specification);
}

// The size of the longest message of each round that has a message.
std::vector<Bytes> sizes(const Schedule& schedule) {
  std::map<Count, Bytes> longest;
  for (const Rank rank : schedule.symmetry->representatives())
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

// Checks that no link carries two messages in a round. It also adds up the bytes over all links, which must equal the
// bytes on shortest paths, so every block takes one.
void expect_shortest_paths_without_contention(const Schedule& schedule) {
  const Topology topology = Topology::torus(schedule.problem.grid);
  Count hop_bytes = 0, needed = 0;
  std::map<Count, std::set<Count>> used;  // by round
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    for (Rank to = 0; to < schedule.problem.ranks; ++to) needed += topology.distance(rank, to) * schedule.problem.block_bytes;
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) {
        ASSERT_TRUE(message.port.has_value());
        EXPECT_TRUE(topology.for_each_link(rank, message.peer, message.port, [&](const Link& link) {
          hop_bytes += bytes(message.regions);
          EXPECT_TRUE(used[round.number].insert(link.number).second) << "round " << round.number << ", " << topology.text_of(link);
        }));
      }
  }
  EXPECT_EQ(hop_bytes, needed);
}

// Checks start-ups, and C2 in blocks. The block size is a multiple of 24, so halves and other parts of a block have equal sizes.
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

TEST(Torus, HasTheMessageSizesOfWorkedRings) {
  EXPECT_THAT(sizes(torus({2}, 1, "torus:kernel=ar")), ElementsAre(1));
  EXPECT_THAT(sizes(torus({4}, 1, "torus:kernel=ar")), ElementsAre(1, 1));
  EXPECT_THAT(sizes(torus({6}, 1, "torus:kernel=ar")), ElementsAre(2, 2, 1));
  EXPECT_THAT(sizes(torus({8}, 1, "torus:kernel=ar")), ElementsAre(2, 3, 1, 2));
  EXPECT_THAT(sizes(torus({10}, 1, "torus:kernel=ar")), ElementsAre(3, 4, 2, 3, 1));
  EXPECT_THAT(sizes(torus({12}, 1, "torus:kernel=ar")), ElementsAre(3, 5, 3, 1, 4, 2));
  EXPECT_THAT(sizes(torus({16}, 1, "torus:kernel=ar")), ElementsAre(4, 7, 5, 3, 1, 6, 4, 2));
  EXPECT_THAT(sizes(torus({8}, 2)), ElementsAre(7, 5, 3, 1));
}

// The blocks that the ring of 8 sends in each step, in the notation of the source: M[origin]{target, ..}.
TEST(Torus, SendsTheBlocksOfTheWorkedRing) {
  const Schedule schedule = torus({8}, 1, "torus:kernel=ar");
  // The slot of a block is its displacement, so the slot, the rank and the step determine the block's origin.
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

TEST(Torus, HasTheStartupsAndVolumeOfTheRingFormula) {
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
    if (p % 2 == 0) EXPECT_EQ(figures(torus({p}, 7)).c2, (p * p * 7 / 2 + p) / 4) << p;  // p/4 bytes more for odd block sizes
  }
}

TEST(Torus, HasTheStartupsAndVolumeOfTheTable) {
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

TEST(Torus, HasTheMessageSizesOfTheTable) {
  EXPECT_THAT(sizes(torus({4, 4}, 1)), ElementsAre(3, 1, 2, 2));
  EXPECT_THAT(sizes(torus({4, 8}, 1)), ElementsAre(6, 2, 10, 2, 10, 2));
  EXPECT_THAT(sizes(torus({8, 8}, 1)), ElementsAre(12, 4, 20, 4, 20, 4));
  EXPECT_THAT(sizes(torus({6, 6}, 4)), ElementsAre(27, 9, 36, 36));
  EXPECT_THAT(sizes(torus({6, 10}, 4)), ElementsAre(45, 15, 84, 36, 84, 36));
  EXPECT_THAT(sizes(torus({8, 8}, 1, "torus:kernel=ar")), ElementsAre(12, 4, 16, 8, 16, 8));
}

// Alternating kernels with two links per step. On lines of 4 (mod 8) links, blocks half way around are divided between
// both directions, so that the volume remains the least.
TEST(Torus, HasTheFiguresOfAlternatingKernelsOnSquares) {
  expect_figures({4, 4}, "torus:kernel=ar", 4, 8);
  expect_figures({8, 8}, "torus:kernel=ar", 6, 64);
  expect_figures({12, 12}, "torus:kernel=ar", 8, 216);
  expect_figures({4, 8}, "torus:kernel=ar", 6, 32);
  expect_right(torus({8, 12}, 2, "torus:kernel=ar"));
  expect_right(torus({4, 6}, 3, "torus:kernel=ar,order=dimension-split"));
}

// All links carry the same number of bytes in every round.
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

// If one side is longer, its links are busy all the time and carry the same number of bytes.
TEST(Torus, UsesAllLinksOfTheLongerSide) {
  for (const Sides& sides : {Sides{4, 8}, {8, 12}, {6, 10}, {3, 5}}) {
    const Schedule schedule = torus(sides, 8);
    const Topology topology = Topology::torus(sides);
    std::map<Count, std::map<Count, Bytes>> loads;  // of the links along the longer side, by round
    for (Rank rank = 0; rank < topology.ranks(); ++rank)
      for (const Round& round : schedule.program(rank).rounds)
        for (const Message& message : round.sends)
          topology.for_each_link(rank, message.peer, message.port, [&](const Link& link) {
            if (link.dimension == 1) loads[round.number][link.number] += bytes(message.regions);
          });
    EXPECT_EQ(static_cast<Count>(loads.size()), figures(schedule).c1) << topology.name();
    for (const auto& [round, links] : loads) {
      EXPECT_EQ(static_cast<Count>(links.size()), topology.link_count() / 2) << topology.name() << " round " << round;
      for (const auto& [link, load] : links) EXPECT_EQ(load, links.begin()->second) << topology.name() << " round " << round;
    }
  }
}

// Equations (1) and (2) of the source for the stages of algorithm AR, for any even ring; equations (3) and (4) for the
// phases of AT2.
TEST(Torus, HasTheStagesOfThePaper) {
  const auto volumes = [](const Schedule& schedule) {
    std::map<std::string, Bytes> list;
    for (const StageFigures& stage : stage_figures(schedule))
      for (const RoundFigures& round : stage.rounds) list[stage.name] += round.longest;
    return list;
  };
  for (Count p = 4; p <= 40; p += 2) {
    const Count low = p / 4, high = (p + 3) / 4;
    std::map<std::string, Bytes> expected{{"stage 1", high}, {"stage 2", low * high}};
    if (high > 1) expected["stage 3"] = low * (high - 1);
    EXPECT_EQ(volumes(torus({p}, 1, "torus:kernel=ar")), expected) << p;
  }
  for (const auto& [rows, columns] : {std::pair<Count, Count>{4, 4}, {4, 8}, {8, 8}, {8, 12}, {12, 12}, {12, 16}}) {
    const Count all = rows * columns, phase = all / 16 * (columns - 2);
    EXPECT_EQ(volumes(torus({rows, columns}, 1)),
              (std::map<std::string, Bytes>{{"phase 1", all / 4}, {"phase 2", phase}, {"phase 3", phase}}))
        << rows << 'x' << columns;
  }
}

// The first stage of at2: after it, every block has an even number of links to go in each dimension.
TEST(Torus, At2FirstMakesAllDistancesEven) {
  for (const Sides& sides : {Sides{4, 4}, {4, 8}, {6, 6}, {6, 10}, {2, 6}, {12, 8}}) {
    const Bytes b = 4;
    const Schedule schedule = torus(sides, b, "torus:order=at2");
    std::vector<Program> programs;
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs.push_back(schedule.program(rank));
    ASSERT_EQ(programs[0].stages.at(1).name, "phase 1");
    const Count last = programs[0].stages[1].first_round + programs[0].stages[1].round_count - 1;
    Bytes seen = 0;
    FindingList findings(1);
    replay(schedule, no_symmetry(schedule.problem.ranks), programs, {}, findings,
           [&](std::optional<Count> round, const std::vector<SymbolicMemory>& memories, const Terms&) {
             if (round != last) return;
             for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
               Strip strip;
               memories[static_cast<std::size_t>(rank)][static_cast<std::size_t>(Buffer::scratch)].read(
                   0, programs[0].scratch_bytes, strip);
               for (const SymbolRun& run : strip) {
                 ASSERT_NE(run.term, Terms::undefined);
                 for (Bytes i = run.index; i < run.index + run.length; ++i, ++seen) {
                   const Rank target = i / b;
                   EXPECT_EQ((target / sides[1] - rank / sides[1]) % 2, 0);
                   EXPECT_EQ((target % sides[1] - rank % sides[1]) % 2, 0);
                 }
               }
             }
           });
    EXPECT_EQ(seen, schedule.problem.ranks * schedule.problem.ranks * b);
  }
}

// The volume of each stage: rc/4 blocks, and twice (rc/16 - r/8) c.
TEST(Torus, HasTheVolumeOfEachStage) {
  for (const Sides& sides : {Sides{4, 4}, {4, 8}, {8, 8}, {8, 12}, {12, 12}, {16, 16}}) {
    const Schedule schedule = torus(sides, 16);
    const Count r = sides[0], c = sides[1];
    const auto stages = schedule.program(0).stages;
    const auto longest = sizes(schedule);
    const auto volume = [&](std::size_t stage) {  // the first and last rounds have no messages, so sizes() begins with round 1
      Bytes sum = 0;
      for (Count i = 0; i < stages.at(stage).round_count; ++i)
        sum += longest.at(static_cast<std::size_t>(stages[stage].first_round - 1 + i));
      return sum;
    };
    EXPECT_EQ(volume(1), r * c / 4 * 16) << r << 'x' << c;
    EXPECT_EQ(volume(2), (r * c - 2 * r) * c) << r << 'x' << c;
    EXPECT_EQ(volume(3), (r * c - 2 * r) * c) << r << 'x' << c;
  }
}

// Powers of two, compared with the other algorithms in the source's table, up to 128 x 128.
TEST(Torus, HasTheFiguresOfTheComparisonTable) {
  for (Count d = 2; d <= 7; ++d) {
    const Count side = Count{1} << d;
    const Figures counted = figures(torus({side, side}, 1));
    EXPECT_EQ(counted.c1, side / 2 + 2);
    EXPECT_EQ(counted.c2, Count{1} << (3 * d - 3));
  }
}

// The messages of an alternating kernel are not the longest in the same steps of rows and columns. So the columns take their steps
// in rounds with long messages. If r = 0 and c = 4 (mod 8), their first messages may still be the longest of their round.
TEST(Torus, AlternatingKernelsHaveTheLeastVolumeOnMostUnequalSides) {
  Count exact = 0;
  for (Count r = 4; r <= extent(12, 24, 40); r += 4)
    for (Count c = r; c <= 28; c += 4)
      for (const Sides& sides : {Sides{r, c}, Sides{c, r}}) {
        const Count volume = figures(torus(sides, 1, "torus:kernel=ar,order=at2")).c2, least = r * c * c / 8;
        EXPECT_GE(volume, least) << r << 'x' << c;
        EXPECT_LE(volume, least + (r % 8 == 0 && c % 8 == 4 ? r : 0)) << r << 'x' << c;
        exact += volume == least ? 1 : 0;
      }
  EXPECT_GT(exact, 12);
  EXPECT_EQ(figures(torus({8, 12}, 4, "torus:kernel=ar,order=at2")).c2, 152 * 4) << "the least is 144";
  EXPECT_EQ(figures(torus({12, 16}, 4, "torus:kernel=ar,order=at2")).c2, 384 * 4);
  for (const auto& [rows, columns] : {std::pair<Count, Count>{8, 12}, {12, 16}, {12, 20}})
    expect_right(torus({rows, columns}, 2, "torus:kernel=ar,order=at2"));
}

// With several sides, blocks half way around a side of 2 (mod 4) are divided between both directions.
TEST(Torus, AlternatingKernelsHaveTheLeastVolumeIfDimensionsAreSplit) {
  for (const Sides& sides : {Sides{2, 4, 6}, {6, 10}, {4, 4, 4}, {2, 2}, {6, 4, 2}, {4, 12}, {8, 8, 4}}) {
    const Bytes b = 4 * static_cast<Bytes>(sides.size());
    const Schedule schedule = torus(sides, b, "torus:kernel=ar,order=dimension-split");
    expect_right(schedule);
    EXPECT_EQ(figures(schedule).c2, lower_bounds(schedule.problem, Topology::torus(sides)).at(0).value)
        << Topology::torus(sides).name();
  }
}

// The bound is exceeded by at most a byte for each block and each cut of it in each message.
TEST(Torus, RoundsUpByAtMostAByteForEachBlockAndCut) {
  EXPECT_LE(figures(torus({4, 4, 4}, 8)).c2, 338);
  EXPECT_LE(figures(torus({4, 4, 4}, 12)).c2, 388);
  for (const Sides& sides : {Sides{4, 4, 4}, {3, 4, 5}, {6, 6}, {6, 10}, {3, 5}, {4, 8}, {7}, {10}})
    for (Bytes b = 1; b <= 13; ++b) {
      const Schedule schedule = torus(sides, b);
      const Count k = static_cast<Count>(sides.size());
      Count cuts = k, blocks = 0;  // blocks or parts of blocks in the longest message of each round
      for (const Count side : sides) cuts *= side % 2 == 0 ? 2 : 1;
      for (const Bytes size : sizes(torus(sides, cuts))) blocks += size;
      const Bytes bound = Topology::torus(sides).exchange_load(b);
      EXPECT_GE(figures(schedule).c2, bound);
      EXPECT_LE(figures(schedule).c2, bound + blocks) << fmt::format("{} b={}", fmt::join(sides, "x"), b);
      if (b % cuts == 0) EXPECT_EQ(figures(schedule).c2, bound) << fmt::format("{} b={}", fmt::join(sides, "x"), b);
    }
}

// The source's method for odd rings works, but has a larger volume and sends some blocks the longer way.
TEST(Torus, HasLessVolumeThanImaginaryNodeOnOddRings) {
  for (const auto& [p, volume] : std::vector<std::pair<Count, Count>>{{5, 5}, {7, 8}, {9, 13}, {15, 32}, {31, 128}}) {
    const Schedule imaginary = make_schedule(Problem::alltoall(p, 8), "imaginary-node");
    for (const Finding& finding : verify(imaginary, {.topology = Topology::ring(p), .strict_links = true}))
      ADD_FAILURE() << to_string(finding);
    EXPECT_EQ(figures(imaginary).c1, (p + 1) / 2);
    EXPECT_EQ(figures(imaginary).c2, volume * 8);
    EXPECT_EQ(figures(torus({p}, 8)).c1, (p - 1) / 2);
    EXPECT_EQ(figures(torus({p}, 8)).c2, (p * p - 1) / 8 * 8);
    Count detours = 0;
    for (Rank from = 0; from < p; ++from)
      for (Rank to = 0; to < p; ++to) {
        Count place = from, links = 0;
        for (const auto& [step, hop] : alternating_moves(from, to, p + 1))
          for (Count i = 0; i < std::abs(hop); ++i) {
            const Count next = (place + (hop > 0 ? 1 : p)) % (p + 1);
            links += next % p != place % p ? 1 : 0;
            place = next;
          }
        if (links > Topology::ring(p).distance(from, to)) ++detours;
      }
    EXPECT_EQ(detours, (p - 1) / 2);
  }
}

// Block sizes that cannot be cut into equal parts: a message has at most one byte more for each block and each cut of it.
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
      for (const Problem problem = problem_on(sides, Collective::alltoall, b);
           const Choice& choice : all_choices(*find_algorithm(Collective::alltoall, "torus"), problem)) {
        const Schedule schedule = make_schedule(problem, choice);
        expect_right(schedule);
        EXPECT_EQ(judge(schedule), "");
        if (b > 0) expect_shortest_paths_without_contention(schedule);
      }
}

TEST(Torus, RefusesUnsupportedProblemsWithAReason) {
  const auto reason = [](const Sides& sides, const char* specification) {
    const Problem problem = problem_on(sides, Collective::alltoall, 1);
    return why_not(applies(problem, parse_choice(problem, specification)));
  };
  EXPECT_THAT(reason({3, 4}, "torus:order=at2"), ::testing::HasSubstr("both even"));
  EXPECT_THAT(reason({4, 4, 4}, "torus:order=at2"), ::testing::HasSubstr("two sides"));
  EXPECT_THAT(reason({8}, "torus:order=at2"), ::testing::HasSubstr("two sides"));
  EXPECT_THAT(reason({4, 6}, "torus:order=at2,kernel=ar"), ::testing::HasSubstr("multiples of 4"));
  EXPECT_THAT(reason({3, 3}, "torus:kernel=ar"), ::testing::HasSubstr("even sides"));
  EXPECT_EQ(word(parse_choice(problem_on({4, 6}, Collective::alltoall, 1), "torus").parameters, "order"), "at2");
  EXPECT_EQ(word(parse_choice(problem_on({4, 6}, Collective::alltoall, 1), "torus:kernel=ar").parameters, "order"),
            "dimension-split");
}

// Programs repeat after two places in each dimension, and so do the link loads. In every round the representatives use
// each of the sixteen kinds of links once, so all ranks together use each link once.
TEST(Torus, UsesEachLinkOfLargeToriOnce) {
  for (const Count side : {16, 64, 128}) {
    const Schedule schedule = torus({side, side}, 4);
    const Topology topology = Topology::torus({side, side});
    // By round: the start position of the link, and which of the links there.
    std::map<Count, std::set<std::tuple<Count, Count, std::ptrdiff_t>>> used;
    for (const Rank rank : schedule.symmetry->representatives())
      for (const Round& round : schedule.program(rank).rounds)
        for (const Message& message : round.sends)
          topology.for_each_link(rank, message.peer, message.port, [&](const Link& link) {
            const auto around = topology.links_from(link.from);
            const auto which = std::find(around.begin(), around.end(), link) - around.begin();
            EXPECT_TRUE(used[round.number].emplace(link.from / side % 2, link.from % side % 2, which).second)
                << topology.text_of(link);
          });
    EXPECT_EQ(static_cast<Count>(used.size()), side / 2 + 2);
    for (const auto& [round, links] : used) EXPECT_EQ(links.size(), 16u) << "round " << round;
    EXPECT_EQ(check_symmetry(schedule, {side * side - 1}), std::nullopt);
  }
}

// Thousands of ranks: checks a sample of the symmetry, and that programs have few regions. bench/torus_bench.cpp
// measures how long that takes.
TEST(Torus, HasShortProgramsOnLargeTori) {
  for (const Count side : {64, 128}) {
    const Schedule schedule = torus({side, side}, 4);
    const Figures counted = figures(schedule);
    EXPECT_EQ(counted.c1, side / 2 + 2);
    EXPECT_EQ(counted.c2, side * side * side / 8 * 4);
    EXPECT_EQ(counted.ports, 4);
    const Rank last = schedule.problem.ranks - 1;
    std::size_t regions = 0;
    for (const Round& round : schedule.program(last).rounds)
      for (const Message& message : round.sends) regions += message.regions.size();
    EXPECT_LE(regions, static_cast<std::size_t>(8 * counted.c1));
  }
  const Schedule schedule = torus({64, 64}, 4);
  EXPECT_EQ(check_symmetry(schedule, {1, 64, 66, 2047, 4095}), std::nullopt);
  EXPECT_EQ(schedule.symmetry->representatives().size(), 4u);
  EXPECT_EQ(torus({8}, 1, "torus:kernel=ar").symmetry->representatives().size(), 2u);
  EXPECT_EQ(torus({3, 5}, 1).symmetry->representatives().size(), 1u);
}

}  // namespace
}  // namespace quadrille
