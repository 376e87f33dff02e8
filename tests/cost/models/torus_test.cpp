// SPDX-License-Identifier: BSD-3-Clause
// The torus model: the total costs of the exchanges on a torus, and messages on each link.
#include <gtest/gtest.h>

#include <cmath>

#include "support/priced.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// [liu2005], table II and the figures for the Paragon, which are computed from it.
TEST(TorusModel, IsTheTotalCostOfTheTorusExchange) {
  const Coefficients paragon = find_machine("paragon").models.at("torus");
  const auto total = [&](Count side, Bytes bytes) {
    const Topology torus = Topology::torus({side, side});
    Problem problem = Problem::alltoall(side * side, bytes);
    problem.grid = {side, side};
    return priced(problem, "torus:kernel=sr,order=at2", "torus", paragon, &torus);
  };
  for (int d = 2; d <= 4; ++d)
    for (const Bytes m : {8, 64, 1024}) {
      const double startups = std::exp2(d - 1) + 2, c2 = std::exp2(3 * d - 3), rearranged = 3 * std::exp2(2 * d);
      EXPECT_NEAR(total(Count{1} << d, m), startups * 75 + static_cast<double>(m) * (c2 * 0.011 + rearranged * 0.014), 1e-6)
          << d << ' ' << m;
    }
  EXPECT_NEAR(total(16, 64), 1799, 0.5);
  EXPECT_NEAR(total(16, 1024), 17527, 0.5);
  EXPECT_NEAR(total(64, 64), 36629, 0.5);
}

// The split exchange on any torus works dimension by dimension, with a different route for each part of a block. It
// takes k floor(N / 2) start-ups, the lower bound on the links, and a pass over all blocks before each of its k
// phases.
TEST(TorusModel, IsTheTotalCostOfTheSplitExchange) {
  const Coefficients costs{{"startup_us", 1e6}, {"wire_us_per_byte", 1}, {"rearrange_us_per_byte", 1e3}};
  const std::tuple<std::vector<Count>, double, double> table[] = {{{3, 3}, 2, 3},     {{5, 5}, 4, 15},    {{7, 9}, 8, 70},
                                                                  {{4, 4, 4}, 6, 32}, {{3, 4, 5}, 6, 36}, {{8}, 4, 8}};
  for (const auto& [sides, startups, blocks] : table) {
    const Topology torus = Topology::torus(sides);
    Problem problem = Problem::alltoall(torus.ranks(), 48);
    problem.grid = sides;
    EXPECT_NEAR(priced(problem, "torus:order=dimension-split", "torus", costs, &torus),
                startups * 1e6 + blocks * 48 + static_cast<double>(sides.size()) * static_cast<double>(torus.ranks()) * 48 * 1e3,
                1e-3)
        << torus.name();
  }
}

TEST(TorusModel, NeedsLinksAndCountsTheMessagesOnEach) {
  const Model& torus = *find_model("torus");
  EXPECT_NE(applies(torus, workload(make_schedule(Problem::alltoall(4, 1), "shift"))).error().find("--topology"),
            std::string::npos);
  const Coefficients costs{{"startup_us", 1e6}, {"wire_us_per_byte", 0}, {"rearrange_us_per_byte", 0}};
  const Topology ring = Topology::ring(8), full = Topology::full(8);
  EXPECT_NEAR(priced(Problem::alltoall(8, 1), "direct", "torus", costs, &ring), 10e6, 1e-3)
      << "messages of distances 1 to 4 share a link: 1 + 2 + 3 + 4";
  EXPECT_NEAR(priced(Problem::alltoall(8, 1), "direct", "torus", costs, &full), 1e6, 1e-3) << "seven messages on seven links";
}

}  // namespace
}  // namespace quadrille
