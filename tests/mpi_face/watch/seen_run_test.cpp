// SPDX-License-Identifier: BSD-3-Clause
// Runs that do not hang give no verdict.
#include <gtest/gtest.h>

#include "mpi_face/watch/planted_run.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {
namespace {

using namespace testing;  // NOLINT

PlantedRun barrier_without(Rank absent, double since_s = 12) {
  PlantedRun run(4);
  for (Rank rank = 0; rank < 4; ++rank)
    if (rank != absent) run.in(rank, barrier("a.c:1"), 0, since_s);
  return run;
}

TEST(Quiet, NobodyWaits) {
  EXPECT_EQ(verdict_on(PlantedRun(4)), "");
  EXPECT_EQ(verdict_on(PlantedRun(1)), "");
  EXPECT_FALSE(find_hang({}, 4, {}));
  EXPECT_FALSE(find_hang({}, 0, {}));
  EXPECT_FALSE(find_mismatch({}, 4));
}

TEST(Quiet, ShortWaits) {
  EXPECT_EQ(verdict_on(barrier_without(2, 9)), "");
  EXPECT_NE(verdict_on(barrier_without(2, 9), 5), "");
}

TEST(Quiet, ALateRankMadeProgress) {
  for (const State state : {State::computes, State::sleeps, State::stopped}) {
    PlantedRun run = barrier_without(2);
    run.is(2, state, 9);
    EXPECT_EQ(verdict_on(run), "");
  }
}

TEST(Quiet, AMemberJustEntered) {
  PlantedRun run = barrier_without(2);
  run.in(2, bcast(0, 8, "a.c:2"), 0, 0.1);
  EXPECT_EQ(verdict_on(run), "");
}

TEST(Quiet, AMemberWaitsForARankThatMakesProgress) {
  PlantedRun run(4);
  const int three = run.communicator({0, 1, 2}, "three"), half = run.communicator({2, 3}, "half");
  for (const Rank rank : {0, 1}) run.in(rank, barrier("a.c:1"), three);
  run.in(2, barrier("a.c:2"), half);
  run.is(3, State::computes, 1);
  EXPECT_EQ(verdict_on(run), "");
}

TEST(Quiet, TheSenderMakesProgress) {
  PlantedRun run(3);
  run.in(0, message("Recv", 2, 7, "a.c:1"));
  run.is(2, State::computes, 3);
  EXPECT_EQ(verdict_on(run), "");
  run.in(0, message("Recv", -2, 7, "a.c:1"));
  EXPECT_EQ(verdict_on(run), "");
}

TEST(Quiet, OneOfSeveralSendersMakesProgress) {
  PlantedRun run(3);
  for (const Rank peer : {1, 2}) run.made(0, nonblocking(message("Recv", peer, 7, "a.c:1")));
  run.in(0, wait("a.c:2", "Waitany"));
  run.is(2, State::computes, 3);
  EXPECT_EQ(verdict_on(run), "");
  run.is(2, State::computes, 30);
  EXPECT_NE(verdict_on(run), "");
}

TEST(Quiet, AServerWaitsLongButItsClientsCompute) {
  PlantedRun run(8);
  run.in(0, message("Recv", -2, -2, "server.c:1"), 0, 600);
  for (Rank rank = 1; rank < 8; ++rank) run.is(rank, State::computes, 2.0 * static_cast<double>(rank));
  EXPECT_EQ(verdict_on(run), "");
}

TEST(Quiet, UnknownRequests) {
  PlantedRun run(2);
  run.in(0, wait("a.c:1"));
  EXPECT_EQ(verdict_on(run), "");
}

TEST(Quiet, AllHaveFinalised) {
  PlantedRun run(3);
  for (Rank rank = 0; rank < 3; ++rank) run.is(rank, State::finalised, 100);
  EXPECT_EQ(verdict_on(run), "");
  run.is(1, State::computes, 2);  // writes its results
  EXPECT_EQ(verdict_on(run), "");
}

TEST(Quiet, AlikeCallsMatch) {
  PlantedRun run(3);
  run.all_made(barrier("a.c:1"));
  for (Rank rank = 0; rank < 3; ++rank) run.made(rank, allreduce(8, rank == 0 ? "a.c:2" : "a.c:5", "sum", rank == 1 ? "" : "f64"));
  for (Rank rank = 0; rank < 3; ++rank) run.made(rank, rooted("Gather", 0, rank == 1 ? -1 : 8, "a.c:3"));
  for (Rank rank = 0; rank < 3; ++rank) run.made(rank, collective("Neighbor_alltoall", "a.c:3", rank));
  for (Rank rank = 0; rank < 3; ++rank) run.made(rank, collective("Alltoallv", "a.c:3", -1));
  run.made(0, barrier("a.c:4"));  // the others have not come yet
  EXPECT_FALSE(find_mismatch(run.ranks, 3));
}

}  // namespace
}  // namespace quadrille::mpi_face
