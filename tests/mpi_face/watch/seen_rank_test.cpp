// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a seen rank: they say the same when they are read, and damaged ones are refused or read as some other rank.
#include <gtest/gtest.h>

#include <random>

#include "mpi_face/watch/planted_run.hpp"
#include "mpi_face/watch/seen_rank.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {
namespace {

using namespace testing;  // NOLINT

SeenRank full_rank() {
  PlantedRun run(3);
  run.communicator({2, 0}, "row\n");
  run.made(2, allreduce(Bytes{1} << 40, "a.c:1 (f)"));
  run.made(2, message("Recv", -2, -2, ""));
  WatchedCall call = collective("Alltoallv", "b.c:2", -1);
  call.usual_s = 0.125;
  call.sent = {1, 2, Bytes{1} << 50}, call.received = {0, -1, 7};
  run.in(2, call, 1, 12.25);
  SeenRank& rank = run.at(2);
  rank.process = -7, rank.processor_s = 1e-300, rank.end = "ended", rank.waits_in = "pipe_read", rank.stack = {"f (a.c:1)", ""};
  rank.live = {{"communicators", "setup.c:40", 12000}}, rank.begun = UINT64_MAX;
  return rank;
}

TEST(SeenRank, IsReadAsItWasWritten) {
  const SeenRank rank = full_rank();
  SeenRank read;
  ASSERT_TRUE(from_bytes(to_bytes(rank), read));
  EXPECT_EQ(to_bytes(read), to_bytes(rank));
  EXPECT_EQ(read.rank, 2);
  EXPECT_EQ(read.process, -7);
  EXPECT_EQ(read.state, State::in_call);
  EXPECT_EQ(read.since_s, 12.25);
  EXPECT_EQ(read.processor_s, 1e-300);
  EXPECT_EQ(read.stack, rank.stack);
  EXPECT_EQ(read.begun, UINT64_MAX);
  ASSERT_EQ(read.communicators.size(), 2u);
  EXPECT_EQ(read.communicators[1].key, rank.communicators[1].key);
  EXPECT_EQ(read.communicators[1].world_ranks, (std::vector<Rank>{2, 0}));
  ASSERT_EQ(read.calls.size(), 3u);
  EXPECT_EQ(read.calls[0].operation, "sum");
  EXPECT_EQ(read.calls[0].bytes, Bytes{1} << 40);
  EXPECT_TRUE(read.calls[0].has_left);
  EXPECT_FALSE(read.calls[1].is_collective);
  EXPECT_EQ(read.calls[1].tag, -2);
  EXPECT_EQ(read.calls[2].usual_s, 0.125);
  EXPECT_EQ(read.calls[2].received, (std::vector<Bytes>{0, -1, 7}));
  EXPECT_EQ(read.live[0].live, 12000u);
}

TEST(SeenRank, RefusesDamagedBytes) {
  const std::string bytes = to_bytes(full_rank());
  SeenRank read;
  read.rank = 77;
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(from_bytes(std::string_view(bytes).substr(0, size), read));
  EXPECT_FALSE(from_bytes(bytes + '\0', read));
  EXPECT_FALSE(from_bytes("x" + bytes, read));
  SeenRank strange = full_rank();
  strange.calls[0].communicator = 2;
  EXPECT_FALSE(from_bytes(to_bytes(strange), read));
  strange = full_rank();
  strange.state = static_cast<State>(7);
  EXPECT_FALSE(from_bytes(to_bytes(strange), read));
  strange = full_rank();
  strange.since_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(from_bytes(to_bytes(strange), read));
  EXPECT_EQ(read.rank, 77) << "a refused text changes nothing";
}

TEST(SeenRank, SurvivesMutations) {
  const std::string bytes = to_bytes(full_rank());
  std::mt19937_64 random(63);
  int good = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string mutated = bytes;
    for (auto changes = random() % 4 + 1; changes > 0; --changes) {
      const std::size_t at = random() % mutated.size();
      switch (random() % 4) {
        case 0: mutated[at] = static_cast<char>(random()); break;
        case 1: mutated[at] = static_cast<char>(mutated[at] ^ (1 << random() % 8)); break;
        case 2: mutated.insert(at, 1, static_cast<char>(0xFF)); break;
        default: mutated.erase(at, random() % 8 + 1);
      }
      if (mutated.empty()) break;
    }
    SeenRank read;
    if (!from_bytes(mutated, read)) continue;
    ++good;
    // What was read can be written and read again, and a verdict can be asked for.
    SeenRank again;
    ASSERT_TRUE(from_bytes(to_bytes(read), again));
    EXPECT_EQ(to_bytes(again), to_bytes(read));
    if (read.rank > 1000) continue;
    const SeenRank ranks[] = {full_rank(), read};
    if (const auto verdict = find_hang(ranks, 3, {})) text_of(*verdict), json_text_of(*verdict);
    if (const auto verdict = find_mismatch(ranks, 3)) text_of(*verdict), json_text_of(*verdict);
  }
  EXPECT_GT(good, 100);
}

}  // namespace
}  // namespace quadrille::mpi_face
