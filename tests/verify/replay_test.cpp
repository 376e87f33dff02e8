// SPDX-License-Identifier: BSD-3-Clause
#include "verify/replay.hpp"

#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

// By its symmetry a schedule is replayed with the programs of the representatives, of which a translation has one.
TEST(Replay, NeedsTheProgramsOfTheRepresentatives) {
  const Schedule schedule = make_schedule(Problem::alltoall(4, 8), "shift");
  std::vector<Program> programs;
  for (Rank rank = 0; rank < 4; ++rank) programs.push_back(schedule.program(rank));
  FindingList findings(10);
  replay(schedule, no_symmetry(4), programs, {}, findings);
  replay(schedule, *schedule.symmetry, {programs[0]}, {}, findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_DEATH(replay(schedule, *schedule.symmetry, programs, {}, findings), "broken contract.*representatives\\(\\)\\.size\\(\\)");
}

}  // namespace
}  // namespace quadrille
