// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/simulated_ranks.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/cases.hpp"

namespace quadrille::mpi_face::simulated {
namespace {

using quadrille::testing::extent;

TEST(SimulatedRanks, DecideTogetherInEveryOrder) {
  std::array<int, Simulation::reached_count> reached{};
  for (std::uint64_t seed = 1; seed <= extent<std::uint64_t>(500, 5'000, 100'000); ++seed) {
    Simulation simulation(seed, Fault::none, nullptr);
    if (!simulation.run().empty()) FAIL() << "seed " << seed << ": " << shortest_violation(seed, Fault::none);
    for (std::size_t i = 0; i < reached.size(); ++i) reached[i] += simulation.reached[i];
  }
  for (std::size_t i = 0; i < reached.size(); ++i) EXPECT_GT(reached[i], 0) << i;
}

class PlantedFault : public ::testing::TestWithParam<int> {};

TEST_P(PlantedFault, IsFoundWithinAThousandSeeds) {
  const auto fault = static_cast<Fault>(GetParam());
  std::uint64_t seed = 1;
  while (seed <= 1000 && first_violation(seed, fault).empty()) ++seed;
  EXPECT_LE(seed, 1000u);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFault, ::testing::Range(1, static_cast<int>(Fault::count)));

}  // namespace
}  // namespace quadrille::mpi_face::simulated
