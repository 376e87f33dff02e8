// SPDX-License-Identifier: BSD-3-Clause
// Recordings of more ranks: they are replayed as a recording of the larger program would be.
#include "quadrille/projection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projection/replay.hpp"
#include "quadrille/indexed.hpp"
#include "support/made_recording.hpp"
#include "support/sentence_of.hpp"

namespace quadrille::projection {
namespace {

using ::testing::HasSubstr;
using testing::MadeRecording;
using testing::sentence_of;

MachineCosts made_up_machine() {
  MachineCosts machine{.name = "one port", .description = "made up", .source = "none"};
  machine.models["linear"] = {{"startup_us", 5}, {"transfer_us_per_byte", 0.01}, {"ports", 1}};
  return machine;
}

Replayed replay_of(const Recording& recording, const std::map<Collective, std::string>& chosen = {}) {
  const ProjectionOptions options{.machine = made_up_machine(), .vendor = "openmpi", .chosen = chosen};
  CallPrices prices(recording, options);
  return replay(recording, options, prices);
}

// A program on a grid of 2 x 2 ranks, or on a larger one whose ranks do what those of 2 x 2 did: exchanges in rows, broadcasts in
// columns from their last row, exchanges with counts in rows, and nonblocking sums of all.
MadeRecording grid_program(Count rows, Count columns, Bytes exchanged) {
  MadeRecording program(rows * columns);
  const RecordedSite start{.kind = RecordedKind::start, .function = "Iallreduce", .type_bytes = 8, .block_bytes = 80};
  RecordedSite completion = start;
  completion.kind = RecordedKind::completion;
  const auto sum = program.site(start), summed = program.site(completion);
  std::vector<std::uint32_t> exchanges, broadcasts, sparse;
  for (Rank row = 0; row < rows; ++row) {
    std::vector<Rank> members;
    for (Rank column = 0; column < columns; ++column) members.push_back(row * columns + column);
    const auto on = program.communicator(members, "row");
    exchanges.push_back(program.site({.function = "Alltoall", .communicator = on, .block_bytes = exchanged}));
    std::vector<Bytes> counts;
    for (Rank column = 0; column < columns; ++column) counts.push_back(2 * column < columns ? exchanged : 0);
    sparse.push_back(program.site({.function = "Alltoallv", .communicator = on, .counts = counts}));
  }
  for (Rank column = 0; column < columns; ++column) {
    std::vector<Rank> members;
    for (Rank row = 0; row < rows; ++row) members.push_back(row * columns + column);
    const auto on = program.communicator(members, "column");
    broadcasts.push_back(program.site({.function = "Bcast", .communicator = on, .root = rows / 2, .block_bytes = 1000}));
  }
  for (Rank row = 0; row < rows; ++row)
    for (Rank column = 0; column < columns; ++column) {
      const Rank rank = row * columns + column;
      const double gap_us = 100 + 10 * static_cast<double>(2 * row / rows) + 20 * static_cast<double>(2 * column / columns);
      program.add(rank, sum, {.gap_us = gap_us});
      program.add(rank, exchanges[index(row)], {.gap_us = gap_us});
      program.add(rank, broadcasts[index(column)], {.gap_us = gap_us});
      program.add(rank, sparse[index(row)], {.gap_us = gap_us});
      program.add(rank, summed, {.gap_us = gap_us});
    }
  return program;
}

void expect_same(const Replayed& a, const Replayed& b) {
  EXPECT_EQ(a.calls, b.calls);
  EXPECT_TRUE(a.stuck.empty());
  for (std::size_t side = 0; side < sides; ++side) {
    ASSERT_EQ(a.ranks[side].size(), b.ranks[side].size());
    for (std::size_t rank = 0; rank < a.ranks[side].size(); ++rank) {
      EXPECT_EQ(a.ranks[side][rank].now_s, b.ranks[side][rank].now_s) << rank;
      EXPECT_EQ(a.ranks[side][rank].parts, b.ranks[side][rank].parts) << rank;
    }
  }
}

// A row of 2 ranks becomes one of 6, and the run grows by 6: blocks of 120 B stay (same), become 120 / 3 B (weak), or 120 / 3 / 6 B
// (strong).
TEST(ScaledRecording, TakesWhatTheLargerProgramTakes) {
  const Recording small = grid_program(2, 2, 120).made();
  expect_same(replay_of(scaled(small, {.from = {2, 2}, .to = {4, 6}, .blocks = BlockScale::same})),
              replay_of(grid_program(4, 6, 120).made()));
  expect_same(replay_of(scaled(small, {.from = {2, 2}, .to = {4, 6}, .blocks = BlockScale::weak})),
              replay_of(grid_program(4, 6, 40).made()));
  expect_same(replay_of(scaled(small, {.from = {2, 2}, .to = {4, 6}, .blocks = BlockScale::strong})),
              replay_of(grid_program(4, 6, 7).made()));  // 120 / 3 / 6, rounded up
  expect_same(replay_of(scaled(small, {.from = {2, 2}, .to = {8, 2}, .blocks = BlockScale::weak})),
              replay_of(grid_program(8, 2, 120).made()));
}

// A barrier of 8 ranks that enter together, in place of 4: its price is known.
TEST(ScaledRecording, CostsTheCallsOfMoreRanks) {
  MadeRecording program(4);
  const auto site = program.site({.function = "Barrier"});
  for (Rank rank = 0; rank < 4; ++rank) program.add(rank, site);
  // Three rounds by dissemination, of 5 us each, where 4 ranks took two.
  const std::map<Collective, std::string> chosen{{Collective::barrier, "dissemination"}};
  EXPECT_NEAR(replay_of(program.made(), chosen).ranks[1][0].now_s, 10e-6, 1e-12);
  const Replayed more = replay_of(scaled(program.made(), {.from = {4}, .to = {8}, .blocks = BlockScale::weak}), chosen);
  ASSERT_EQ(more.ranks[1].size(), 8u);
  for (const RankTimes& times : more.ranks[1]) EXPECT_NEAR(times.now_s, 15e-6, 1e-12);
}

// The block of the only site after scaling 2 ranks by 4.
Bytes scaled_block(const RecordedSite& site, BlockScale blocks) {
  MadeRecording program(2);
  program.site(site);
  return scaled(program.made(), {.from = {2}, .to = {8}, .blocks = blocks}).sites.front().block_bytes;
}

TEST(ScaledRecording, ShrinksBlocks) {
  struct Row {
    const char* function;
    Bytes same, weak, strong;
  };
  for (const Row& row : {Row{"Alltoall", 160, 40, 10}, Row{"Ialltoall", 160, 40, 10}, Row{"Allgather", 160, 160, 40},
                         Row{"Gather", 160, 160, 40}, Row{"Scatter", 160, 160, 40}, Row{"Reduce_scatter_block", 160, 40, 40},
                         Row{"Bcast", 160, 160, 160}, Row{"Allreduce", 160, 160, 160}, Row{"Exscan", 160, 160, 160}}) {
    const RecordedSite site{.function = row.function, .root = 0, .type_bytes = 8, .block_bytes = 160};
    EXPECT_EQ(scaled_block(site, BlockScale::same), row.same) << row.function;
    EXPECT_EQ(scaled_block(site, BlockScale::weak), row.weak) << row.function;
    EXPECT_EQ(scaled_block(site, BlockScale::strong), row.strong) << row.function;
  }
  EXPECT_EQ(scaled_block({.function = "Alltoall", .block_bytes = 1}, BlockScale::strong), 1);
  EXPECT_EQ(scaled_block({.function = "Alltoall", .block_bytes = 0}, BlockScale::strong), 0);
  EXPECT_EQ(scaled_block({.function = "Reduce_scatter_block", .type_bytes = 8, .block_bytes = 40}, BlockScale::weak), 16);
}

TEST(ScaledRecording, RepeatsCountsAndKeepsRoots) {
  MadeRecording program(4);
  const auto column = program.communicator({1, 3}, "column");
  program.site({.function = "Allgatherv", .block_bytes = 60, .counts = {0, 10, 20, 30}});
  program.site({.function = "Gatherv", .communicator = column, .root = 1, .block_bytes = 12, .counts = {5, 7}});
  const Recording more = scaled(program.made(), {.from = {2, 2}, .to = {4, 2}, .blocks = BlockScale::weak});
  EXPECT_EQ(more.world_size, 8);
  ASSERT_EQ(more.sites.size(), 2u);
  EXPECT_EQ(more.sites[0].counts, (std::vector<Bytes>{0, 10, 0, 10, 20, 30, 20, 30}));
  EXPECT_EQ(more.sites[0].block_bytes, 120);
  EXPECT_EQ(more.sites[1].counts, (std::vector<Bytes>{5, 5, 7, 7}));
  EXPECT_EQ(more.sites[1].root, 2);
  EXPECT_EQ(more.communicators[more.sites[1].communicator].members, (std::vector<Rank>{1, 3, 5, 7}));
}

TEST(ScaledRecording, HasARanksSitesOnItsCommunicatorsOnly) {
  MadeRecording program(4);
  program.site({.function = "Bcast", .communicator = program.communicator({2, 3}, "row"), .root = 0, .block_bytes = 8});
  program.site({.kind = RecordedKind::point_to_point});
  program.site({.kind = RecordedKind::making, .function = "Finalize"});
  check(scaled(program.made(), {.from = {2, 2}, .to = {2, 4}}));
}

TEST(ScaledRecording, RefusesWhatDoesNotFollow) {
  const auto refused = [](const MadeRecording& program, const RankScale& scale) {
    return sentence_of([&] { scaled(program.made(), scale); });
  };
  MadeRecording program(4);
  program.site({.function = "Barrier"});
  EXPECT_EQ(refused(program, {.from = {4}, .to = {8}}), "");
  EXPECT_THAT(refused(program, {.from = {2, 4}, .to = {4, 4}}), HasSubstr("does not have the 4 recorded ranks"));
  EXPECT_THAT(refused(program, {.from = {4}, .to = {6}}), HasSubstr("sides grow by whole factors"));
  EXPECT_THAT(refused(program, {.from = {2, 2}, .to = {4}}), HasSubstr("the same number of sides"));
  EXPECT_THAT(refused(program, {.from = {}, .to = {}}), HasSubstr("the same number of sides"));
  EXPECT_THAT(refused(program, {.from = {4}, .to = {4}}), HasSubstr("no more ranks"));
  EXPECT_THAT(refused(program, {.from = {1, 4}, .to = {2, 4}}), HasSubstr("a side of 1 cannot grow"));
  EXPECT_THAT(refused(program, {.from = {4}, .to = {8192}}), HasSubstr("4096 ranks at most"));
  EXPECT_THAT(refused(program, {.from = {4, Count{1} << 40, Count{1} << 40}, .to = {4, Count{1} << 40, Count{1} << 40}}),
              HasSubstr("4096 ranks at most"));
  program.communicator({0, 1, 2}, "three");
  EXPECT_EQ(refused(program, {.from = {4}, .to = {8}}), "") << "nobody calls on it";
  program.site({.function = "Barrier", .communicator = 1});
  EXPECT_THAT(refused(program, {.from = {4}, .to = {8}}), HasSubstr("three of 3 ranks is no part of the grid"));
  MadeRecording reordered(4);
  reordered.site({.function = "Barrier", .communicator = reordered.communicator({3, 2, 1, 0}, "reordered")});
  EXPECT_THAT(refused(reordered, {.from = {4}, .to = {8}}), HasSubstr("reordered of 4 ranks is no part of the grid"));
  MadeRecording neighbours(4);
  neighbours.site({.function = "Neighbor_alltoall", .block_bytes = 8, .peers = {3}});
  EXPECT_THAT(refused(neighbours, {.from = {4}, .to = {8}}), HasSubstr("Neighbor_alltoall cannot be scaled"));
  MadeRecording unknown(4);
  unknown.site({.function = "Alltoallv", .block_bytes = 8, .counts = {8}});
  EXPECT_THAT(refused(unknown, {.from = {4}, .to = {8}}), HasSubstr("the counts of Alltoallv were not all recorded"));
  MadeRecording large(2);
  constexpr Bytes most = (Bytes{1} << 62) - 1;
  large.site({.function = "Allgatherv", .block_bytes = 2 * most, .counts = {most, most}});
  EXPECT_THAT(refused(large, {.from = {2}, .to = {4}}), HasSubstr("the blocks of Allgatherv have 2^63 bytes or more together"));
}

}  // namespace
}  // namespace quadrille::projection
