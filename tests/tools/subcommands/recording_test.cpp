// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille recording, with files as the drop-in writes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording/call_log.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t tick_us = 1000;  // ticks of a microsecond

class RecordingTest : public CommandTest {
 protected:
  // 100 allreduces of 20 us after 60 us of computing, an alltoallv, and a message of `message_us`.
  void record(Rank rank, std::uint64_t message_us, bool ends = true) const {
    const std::string_view functions[] = {"Recv"};
    const recording::RankFacts facts{
        .program = "./app", .mpi = "Some MPI 1", .version = "1", .host = "node", .rank = rank, .world_size = 2, .run = 1};
    recording::CallLog log(place_.string(), facts, functions, 1);
    log.header().ticks_per_second = 1e9;
    log.define(RecordedCommunicator{"MPI_COMM_WORLD", {0, 1}, 0, false});
    log.define(RecordedCommunicator{"", {0, 1}, 1, false});
    log.define(RecordedSite{.kind = RecordedKind::point_to_point});
    log.define(RecordedSite{.function = "Allreduce", .type = "f64", .operation = "sum", .type_bytes = 8, .block_bytes = 8});
    log.define(RecordedSite{.function = "Alltoallv", .communicator = 1, .block_bytes = 3 + rank, .counts = {3, rank}});
    log.mark_sampled(2);
    for (int i = 0; i < 100; ++i) log.add({1, 60 * tick_us, 0, 20 * tick_us});
    log.add({2, tick_us, 0, 1500 * tick_us});
    log.add({0, tick_us, 0, message_us * tick_us});
    log.header().functions[0] = {1, message_us * tick_us};
    if (ends) log.header().end_ticks = 1 + (9502 + message_us) * tick_us;
  }
};

TEST_F(RecordingTest, PrintsPartsTimeLineSitesAndCalls) {
  record(0, 10);
  record(1, 10);
  const std::string text = prints({"recording", place_.string()});
  EXPECT_THAT(text,
              AllOf(HasSubstr("A recording of ./app: 2 ranks on 1 host, Some MPI 1\nIt ran 9.51 ms. 204 calls are recorded"),
                    HasSubstr("63 % computing, 37 % in collectives, 0.1 % in point-to-point calls"), Not(HasSubstr("no verdict"))));
  EXPECT_THAT(text, AllOf(HasSubstr("Allreduce (sum f64)"), HasSubstr("60.0 µs"), HasSubstr("3 B to 4 B *"),
                          HasSubstr("2 ranks of rank 0, #2"), HasSubstr("* more than 1,000 different vectors of counts")));
  EXPECT_THAT(text, HasSubstr("Dearest collectives\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("Recv 10.0 µs (2 calls)"), Not(HasSubstr("did not end"))));
}

TEST_F(RecordingTest, SaysThatMessagesPreventAVerdict) {
  record(0, 3000);
  EXPECT_THAT(prints({"recording", place_.string()}),
              AllOf(HasSubstr("More than 20 % is in point-to-point calls, so a projection will give no verdict."),
                    HasSubstr("The recordings of 1 rank are missing.")));
}

TEST_F(RecordingTest, SaysThatRanksWereKilled) {
  record(0, 10, false);
  record(1, 10);
  EXPECT_THAT(prints({"recording", place_.string()}), HasSubstr("1 rank did not end normally, or still runs."));
}

TEST_F(RecordingTest, PrintsJson) {
  record(0, 10);
  record(1, 10);
  const Json json = Json::parse(prints({"recording", place_.string(), "--json"}));
  EXPECT_EQ(json["format"], "quadrille-recording");
  EXPECT_EQ(json["sites"].size(), 4u);  // each rank has its own alltoallv
  EXPECT_EQ(json["ranks"].size(), 2u);
  EXPECT_EQ(json["calls"][1].size(), 102u);
  EXPECT_EQ(json["calls"][0][0].size(), 4u);
}

TEST_F(RecordingTest, RefusesOtherFolders) {
  for (const std::string& folder : {place_.string(), std::string("/no/such/folder")}) {
    const Outcome outcome = run({"recording", folder});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
  }
}

}  // namespace
}  // namespace quadrille
