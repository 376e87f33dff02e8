// SPDX-License-Identifier: BSD-3-Clause
// bench/smpi_replay.sh: recordings in SimGrid's SMPI beside projections. Skipped where SimGrid, jq or Python 3.11 are missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/made_recording.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

class SmpiReplay : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    const std::string needs = "command -v smpirun && command -v jq && python3 -c 'import tomllib'";
    if (run_program({"bash", "-c", needs}).exit_code != 0) GTEST_SKIP() << "SimGrid, jq or Python 3.11 are missing";
  }

  // By default, four ranks on two nodes whose links carry 100 Mbit/s.
  Json replayed(const MadeRecording& program, const Words& more = {}) {
    const std::string folder = place_ / "run";
    fs::remove_all(folder);
    fs::create_directory(folder);
    program.write(folder);
    Words words{"bash",
                QUADRILLE_SOURCE_DIR "/bench/smpi_replay.sh",
                folder,
                "--node-sizes",
                "2x2",
                "--rate",
                "100mbit",
                "--quadrille",
                QUADRILLE_COMMAND};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
    return Json::parse(outcome.out);
  }

  static void all(MadeRecording& program, std::uint32_t site, double gap_us = 0) {
    for (Rank rank = 0; rank < 4; ++rank) program.add(rank, site, {.gap_us = gap_us, .duration_us = 3});
  }
};

TEST_F(SmpiReplay, TakesTheTimeOfTheLinks) {
  MadeRecording program(4);
  all(program, program.site({.function = "Alltoall", .block_bytes = 1 << 20}), 100'000);
  const Json found = replayed(program);
  // A node sends four blocks through its link, at 12.5 MB/s with headers of 66 bytes in frames of 1,514.
  const double link_s = 4 * 1.048576e6 / 12.5e6 * 1514 / 1448;
  EXPECT_NEAR(found["smpi"]["collectives_s"], link_s, 0.05 * link_s);
  EXPECT_NEAR(found["smpi"]["total_s"], 0.1 + link_s, 0.05 * link_s);
  EXPECT_NEAR(found["project"]["total_s"], 0.1 + link_s, 0.2 * link_s);
  EXPECT_NEAR(replayed(program, {"--computing", "2"})["smpi"]["total_s"], 0.2 + link_s, 0.05 * link_s);
}

TEST_F(SmpiReplay, TakesCountsFromWhoSends) {
  MadeRecording program(4);
  // Rank 0 sends 3 MB to rank 3 on the other node, and nobody anything else.
  const auto first = program.site({.function = "Alltoallv", .block_bytes = 3'000'000, .counts = {0, 0, 0, 3'000'000}});
  const auto others = program.site({.function = "Alltoallv", .counts = {0, 0, 0, 0}});
  for (Rank rank = 0; rank < 4; ++rank) program.add(rank, rank == 0 ? first : others, {.duration_us = 3});
  const double link_s = 3e6 / 12.5e6 * 1514 / 1448;
  EXPECT_NEAR(replayed(program)["smpi"]["total_s"], link_s, 0.05 * link_s);
}

TEST_F(SmpiReplay, KnowsEveryBlockingCollective) {
  MadeRecording program(4);
  for (const char* const function : {"Barrier", "Bcast", "Reduce", "Allreduce", "Scan", "Exscan", "Gather", "Scatter", "Allgather",
                                     "Alltoall", "Reduce_scatter_block"})
    all(program, program.site({.function = function, .root = 1, .type_bytes = 8, .block_bytes = 64}));
  for (const char* const function : {"Reduce_scatter", "Allgatherv", "Gatherv", "Scatterv", "Alltoallv", "Alltoallw"})
    all(program, program.site({.function = function, .root = 1, .type_bytes = 8, .block_bytes = 64, .counts = {8, 16, 24, 16}}));
  const Json found = replayed(program);
  EXPECT_GT(found["smpi"]["total_s"], 17 * 50e-6);
  EXPECT_LT(found["smpi"]["total_s"], 17 * 1e-3);
}

TEST_F(SmpiReplay, SaysWhatItCannotReplay) {
  MadeRecording parts(4), nonblocking(4), neighbours(4);
  all(parts, parts.site({.function = "Alltoall", .communicator = parts.communicator({3, 2, 1, 0}), .block_bytes = 8}));
  EXPECT_THAT(replayed(parts)["reason"].get<std::string>(), HasSubstr("another communicator"));
  all(nonblocking, nonblocking.site({.kind = RecordedKind::start, .function = "Ibarrier"}));
  all(nonblocking, nonblocking.site({.kind = RecordedKind::completion, .function = "Ibarrier"}));
  EXPECT_THAT(replayed(nonblocking)["reason"].get<std::string>(), HasSubstr("nonblocking"));
  all(neighbours, neighbours.site({.function = "Neighbor_alltoall", .block_bytes = 8, .peers = {}}));
  const Json found = replayed(neighbours);
  EXPECT_THAT(found["reason"].get<std::string>(), HasSubstr("Neighbor_alltoall"));
  EXPECT_TRUE(found["smpi"].is_null());
  EXPECT_GE(found["project"]["total_s"], 0);
}

TEST_F(SmpiReplay, RefusesWrongUse) {
  const auto refused = [&](const Words& more) {
    Words words{"bash", QUADRILLE_SOURCE_DIR "/bench/smpi_replay.sh", "run", "--node-sizes", "2x2", "--rate", "100mbit"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.talk;
  };
  EXPECT_THAT(refused({"--selector", "openmpi"}), HasSubstr("--selector is ompi, mpich, mvapich2 or impi, not openmpi"));
  EXPECT_THAT(refused({"--placement", "nodes"}), HasSubstr("--placement is block or cyclic"));
  EXPECT_THAT(refused({"--overhead", "much"}), HasSubstr("--overhead is microseconds"));
  EXPECT_THAT(refused({"--machine"}), HasSubstr("--machine needs a value"));
}

}  // namespace
}  // namespace quadrille
