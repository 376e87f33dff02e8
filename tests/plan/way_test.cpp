// SPDX-License-Identifier: BSD-3-Clause
#include "plan/way.hpp"

#include <gtest/gtest.h>

#include "quadrille/candidate.hpp"
#include "quadrille/decision.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using testing::problem_of;

// Decisions take only such ways, so the drop-in can tell all of them.
TEST(PackedWay, HoldsEveryWayThatIsWorthTrying) {
  for (const Collective collective : all_collectives()) {
    Problem problem = problem_of(collective, 24, 1 << 20);
    for (const Count of_node : {24, 4}) {
      problem.nodes.clear();
      for (Rank rank = 0; rank < problem.ranks; ++rank) problem.nodes.push_back(rank / of_node);
      for (const Way& way : ways(problem, {.executors = {Executor::hybrid}, .with_vendor = true})) {
        const auto one = packed(way);
        ASSERT_TRUE(one) << to_string(way);
        EXPECT_EQ(unpacked(*one).value(), way);
      }
    }
  }
}

TEST(PackedWay, KeepsAllMembersAndExtremeValues) {
  Way way{.algorithm = Choice{find_algorithm(Collective::alltoall, "bruck"), {{"radix", Count{1} << 62}, {"ports", Count{0}}}},
          .policy = Policy::dataflow,
          .buffers = 1,
          .executor = Executor::shared,
          .keep_step = true};
  EXPECT_EQ(unpacked(packed(way).value()).value(), way);
  way.algorithm = Vendor{"linear_sync"};
  EXPECT_EQ(unpacked(packed(way).value()).value(), way);
  way.algorithm = Vendor{std::string(120, 'x')};
  EXPECT_EQ(unpacked(packed(way).value()).value(), way);
}

TEST(PackedWay, HoldsNoFamilyNoRecordOutsideOfTheTableAndNoLongText) {
  EXPECT_FALSE(packed({.algorithm = Vendor{std::string(121, 'x')}}));
  EXPECT_FALSE(packed({.algorithm = Vendor{std::string(1000, 'x')}}));
  EXPECT_FALSE(packed({.algorithm = family_of_schedules("own/x", {})}));
  const Algorithm copy = *find_algorithm(Collective::alltoall, "bruck");
  EXPECT_FALSE(packed({.algorithm = Choice{&copy, {}}}));
}

TEST(PackedWay, IsRefusedIfItIsDamaged) {
  const PackedWay good = packed({.algorithm = parse_choice(Problem::alltoall(8, 8), "bruck")}).value();
  const auto is_refused = [&](auto&& damage) {
    PackedWay bad = good;
    damage(bad);
    return !unpacked(bad);
  };
  EXPECT_TRUE(is_refused([](PackedWay& way) { way.algorithm = PackedWay::vendor - 1; }));
  EXPECT_TRUE(is_refused([](PackedWay& way) { --way.length; }));
  EXPECT_TRUE(is_refused([](PackedWay& way) { ++way.length; }));
  EXPECT_TRUE(is_refused([](PackedWay& way) { way.length = 255; }));
  EXPECT_TRUE(is_refused([](PackedWay& way) { way.values[0] = 255; }));
}

}  // namespace
}  // namespace quadrille
