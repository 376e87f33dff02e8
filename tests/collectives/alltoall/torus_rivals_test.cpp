// SPDX-License-Identifier: BSD-3-Clause
// The algorithms with which the exchange on tori is compared: start-ups and volume by formulas, one port, no link used
// twice in a round. The ring with an imaginary node is compared message by message with the paths of the blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "quadrille/cost.hpp"
#include "quadrille/model.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/imaginary_ring.hpp"
#include "support/judge.hpp"
#include "support/why_not.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using Sides = std::vector<Count>;

// Verifies the schedule on the links of the torus.
void expect_right_on_links(const Schedule& schedule, const Sides& sides) {
  SCOPED_TRACE(specification(schedule) + fmt::format(" on {}", fmt::join(sides, "x")));
  for (const Finding& finding : verify(schedule, {.topology = Topology::torus(sides), .strict_links = true}))
    ADD_FAILURE() << to_string(finding);
  EXPECT_EQ(check_symmetry(schedule, every_rank(schedule.problem.ranks)), std::nullopt);
  EXPECT_EQ(figures(schedule), figures(schedule, /*every_rank=*/true));
}

std::string reason(const Sides& sides, const char* specification) {
  const Problem problem = problem_on(sides, Collective::alltoall, 1);
  return why_not(applies(problem, parse_choice(problem, specification)));
}

TEST(Submesh, HasTheStartupsAndVolumeOfTheFormulas) {
  for (const Sides& sides :
       {Sides{2, 2}, {2, 4}, {4, 2}, {4, 4}, {2, 6}, {6, 4}, {4, 8}, {6, 10}, {8, 8}, {12, 8}, {16, 16}, {1, 4, 6}}) {
    const Count r = sides[sides.size() - 2], c = sides.back();
    const Schedule schedule = make_schedule(problem_on(sides, Collective::alltoall, 3), "submesh");
    const Figures counted = figures(schedule);
    EXPECT_EQ(counted.c1, (r + c) / 2);
    // r c blocks within submeshes; then c/2 - 1 hops of a row's bundles, of 2 r blocks each, and r/2 - 1 hops of a
    // column's bundles.
    Count blocks = r * c;
    for (Count step = 1; step < c / 2; ++step) blocks += (c / 2 - step) * 2 * r;
    for (Count step = 1; step < r / 2; ++step) blocks += (r / 2 - step) * 2 * c;
    EXPECT_EQ(counted.c2, blocks * 3);
    EXPECT_EQ(blocks, r * c * (r + c) / 4);
    EXPECT_EQ(counted.ports, 1);
    if (r * c <= 144) expect_right_on_links(schedule, sides);
  }
  EXPECT_THAT(reason({4, 5}, "submesh"), ::testing::HasSubstr("both even"));
  EXPECT_THAT(reason({4, 4, 4}, "submesh"), ::testing::HasSubstr("two sides"));
}

// Table II, and its formula for unequal sides: c/2 + 2 start-ups, r c (c + 4) / 4 blocks for r <= c, also with the
// sides swapped.
TEST(Subtorus, HasTheFiguresOfTheTable) {
  for (const Sides& sides : {Sides{4, 4}, {4, 8}, {8, 4}, {8, 8}, {8, 12}, {12, 12}, {16, 4}, {16, 12}, {16, 16}}) {
    const Count longer = std::max(sides[0], sides[1]), p = sides[0] * sides[1];
    const Schedule schedule = make_schedule(problem_on(sides, Collective::alltoall, 3), "subtorus");
    const Figures counted = figures(schedule);
    EXPECT_EQ(counted.c1, longer / 2 + 2);
    EXPECT_EQ(counted.c2, p * (longer + 4) / 4 * 3);
    EXPECT_EQ(counted.ports, 1);
    if (p <= 144) expect_right_on_links(schedule, sides);
  }
  for (Count d = 2; d <= 6; ++d) {
    const Count side = Count{1} << d;
    const Topology torus = Topology::torus({side, side});
    const Schedule schedule = make_schedule(problem_on({side, side}, Collective::alltoall, 1), "subtorus");
    EXPECT_EQ(figures(schedule).c1, side / 2 + 2);
    EXPECT_EQ(figures(schedule).c2, (Count{1} << (3 * d - 2)) + (Count{1} << (2 * d)));
    Count passes = 0;  // copies of all blocks, before stages whose messages are not contiguous
    for (const StageFigures& stage : workload(schedule, {.topology = &torus}).stages) passes += stage.in_pieces ? 1 : 0;
    EXPECT_EQ(passes, d == 2 ? 2 : 3);  // on 4x4 each group is a single rank
  }
  EXPECT_THAT(reason({4, 6}, "subtorus"), ::testing::HasSubstr("multiples of 4"));
  EXPECT_THAT(reason({16}, "subtorus"), ::testing::HasSubstr("two sides"));
}

TEST(Submesh, GivesTheRightResult) {
  for (const Sides& sides : {Sides{2, 2}, {2, 6}, {4, 4}, {8, 4}, {4, 12}})
    for (const Bytes b : {0, 1, 5})
      for (const char* algorithm : {"submesh", "subtorus"})
        if (reason(sides, algorithm).empty())
          EXPECT_EQ(judge(make_schedule(problem_on(sides, Collective::alltoall, b), algorithm)), "");
}

using MessageBytes = std::map<std::tuple<Count, Rank, Rank, int>, Bytes>;  // by round, from, to, direction

MessageBytes messages(const Schedule& schedule) {
  MessageBytes all;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        all[{round.number, rank, message.peer, message.port.value().direction}] += bytes(message.regions);
  return all;
}

TEST(ImaginaryNode, SendsEachBlockAlongItsPath) {
  for (Count p = 1; p <= 33; p += 2) {
    const Schedule schedule = make_schedule(Problem::alltoall(p, 3), "imaginary-node");
    EXPECT_EQ(messages(schedule), messages(imaginary_ring(p, 3))) << p;
    expect_right_on_links(schedule, {p});
    const Figures counted = figures(schedule);
    EXPECT_EQ(counted.c1, p == 1 ? 0 : (p + 1) / 2);
    EXPECT_EQ(counted.c2, p == 1 ? 0 : ceil_divide((p + 1) * (p + 1), 8) * 3);
  }
  EXPECT_THAT(reason({8}, "imaginary-node"), ::testing::HasSubstr("even number"));
  EXPECT_THAT(reason({3, 5}, "imaginary-node"), ::testing::HasSubstr("do not form a ring"));
  EXPECT_EQ(reason({1, 5, 1}, "imaginary-node"), "");
}

}  // namespace
}  // namespace quadrille
