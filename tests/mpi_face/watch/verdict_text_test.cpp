// SPDX-License-Identifier: BSD-3-Clause
// Verdicts on large runs are short, and made soon; and objects that are not freed are listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "mpi_face/watch/planted_run.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {
namespace {

using namespace testing;  // NOLINT

void expect_short(const std::string& text) {
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40) << text;
  EXPECT_LT(text.size(), 8000u) << text;
}

TEST(Large, ManyRanksGiveAShortText) {
  constexpr Rank size = 100'000;
  PlantedRun run(0);
  run.ranks.resize(size);
  for (Rank rank = 0; rank < size; ++rank) {
    SeenRank& seen = run.at(rank);
    seen.rank = rank, seen.since_s = 20, seen.state = State::in_call;
    seen.communicators.push_back({{1, 0}, "MPI_COMM_WORLD", {}, 4});
    for (std::uint64_t number = 1; number <= 4; ++number) {
      WatchedCall call = number == 4 && rank == 77'777 ? barrier("a.c:2") : allreduce(8, "a.c:1");
      call.communicator = 0, call.number = number, call.has_left = number < 4;
      seen.calls.push_back(call);
    }
  }
  std::string text = verdict_on(run);
  expect_short(text);
  EXPECT_NE(text.find("ranks 0..77776, 77778..99999 (99,999)   wait in Allreduce, their call 4 on it"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 77777"), std::string::npos) << text;
  // Each rank is in a place of its own.
  for (Rank rank = 0; rank < size; ++rank) run.at(rank).calls.back().place = "a.c:" + std::to_string(rank);
  text = verdict_on(run);
  expect_short(text);
  EXPECT_NE(text.find("rank 77777"), std::string::npos) << text;
  EXPECT_NE(text.find("and 99,972 more groups"), std::string::npos) << text;
  // A long chain of messages that closes.
  for (Rank rank = 0; rank < size; ++rank) {
    SeenRank& seen = run.at(rank);
    seen.calls.assign(1, message("Recv", (rank + 1) % size, 7, "a.c:3"));
    seen.calls[0].communicator = 0;
  }
  for (Rank rank = 0; rank < size; ++rank) run.at(0).communicators[0].world_ranks.push_back(rank);
  text = verdict_on(run);
  expect_short(text);
  EXPECT_NE(text.find("rank 0 waits in Recv from rank 1, tag 7"), std::string::npos) << text;
  EXPECT_NE(text.find("and 99,994 more"), std::string::npos) << text;
}

TEST(Large, TakesLittleTime) {
  for (const bool is_mismatch : {false, true}) {
    PlantedRun run(4096);
    for (int call = 0; call < 63; ++call) run.all_made(allreduce(8, "a.c:" + std::to_string(call % 7)));
    for (Rank rank = 0; rank < 4095; ++rank) run.in(rank, allreduce(8, "a.c:0"));
    if (is_mismatch) run.in(4095, barrier("a.c:9"));
    const auto begin = std::chrono::steady_clock::now();
    const std::string text = verdict_on(run);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::cout << "4,096 ranks with 64 calls: " << seconds << " s\n" << text;
    EXPECT_NE(text.find("rank 4095"), std::string::npos) << text;
  }
}

TEST(Large, GathersToOneRankAreCompared) {
  constexpr Rank size = 30'000;
  PlantedRun run(0);
  run.ranks.resize(size);
  for (Rank rank = 0; rank < size; ++rank) {
    SeenRank& seen = run.at(rank);
    seen.rank = rank, seen.since_s = 20, seen.state = State::in_call;
    seen.communicators.push_back({{1, 0}, "MPI_COMM_WORLD", {}, 1});
    seen.calls.push_back(rooted("Gatherv", 7, rank == 29'999 ? 8 : 4, "a.c:1"));
    seen.calls[0].number = 1, seen.calls[0].communicator = 0, seen.calls[0].sent = {rank == 29'999 ? 8 : 4};
  }
  for (Rank rank = 0; rank < size; ++rank) run.at(0).communicators[0].world_ranks.push_back(rank);
  run.at(7).calls[0].received.assign(size, 4);
  EXPECT_NE(verdict_on(run).find("rank 29999 sends 8 B to rank 7 (a.c:1), which expects 4 B"), std::string::npos);
}

TEST(Leaks, AreListedByPlace) {
  PlantedRun run(4);
  run.at(1).live = {{"communicators", "setup.c:40", 500}, {"types", "setup.c:50", 100}};
  run.at(3).live = {{"communicators", "setup.c:40", 12'000}, {"requests", "", 101}};
  EXPECT_EQ(leaks_text(run.ranks),
            "quadrille: 12,000 communicators from setup.c:40 are not freed (rank 3); some MPI libraries have 2,046 in all\n"
            "quadrille: 101 requests are neither complete nor freed (rank 3)\n");
}

}  // namespace
}  // namespace quadrille::mpi_face
