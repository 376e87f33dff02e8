// SPDX-License-Identifier: BSD-3-Clause
// What a watcher learns from the counters of a rank.
#include "mpi_face/watch/seen_record.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "foundation/system/proc.hpp"
#include "support/watched_record.hpp"

namespace quadrille::mpi_face {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using State = SeenRank::State;

class SeenRecordTest : public WatchedRecordTest {};

TEST_F(SeenRecordTest, ARankWithoutCallsComputes) {
  const SeenRank rank = seen(record_->header().start_ticks + seconds(5));
  EXPECT_EQ(rank.rank, 2);
  EXPECT_EQ(rank.host, host_name());
  EXPECT_EQ(rank.process, ::getpid());
  EXPECT_EQ(rank.state, State::computes);
  EXPECT_NEAR(rank.since_s, 5, 0.1);
  EXPECT_EQ(rank.begun, 0u);
  EXPECT_THAT(rank.calls, IsEmpty());
  EXPECT_THAT(rank.communicators, IsEmpty());
}

TEST_F(SeenRecordTest, ARankIsInACall) {
  begin_and_leave(call("Barrier", 4710));
  const RingEntry entry = call("Reduce", 4711, {.site = 99, .bytes = 64, .root = 3, .operation = 4, .element = 9});
  begin(entry);
  const SeenRank rank = seen(entry.begin_ticks + seconds(12));
  EXPECT_EQ(rank.state, State::in_call);
  EXPECT_NEAR(rank.since_s, 12, 0.3);
  EXPECT_EQ(rank.begun, 2u);
  ASSERT_EQ(rank.calls.size(), 2u);
  EXPECT_EQ(rank.calls[0].function, "Barrier");
  EXPECT_TRUE(rank.calls[0].has_left);
  const WatchedCall& last = rank.calls[1];
  EXPECT_EQ(last.function, "Reduce");
  EXPECT_TRUE(last.is_collective);
  EXPECT_TRUE(last.is_blocking);
  EXPECT_FALSE(last.has_left);
  EXPECT_EQ(last.communicator, 0);
  EXPECT_EQ(last.number, 4711u);
  EXPECT_EQ(last.bytes, 64);
  EXPECT_EQ(last.root, 3);
  EXPECT_EQ(last.peer, -1);
  EXPECT_EQ(last.operation, "sum");
  EXPECT_EQ(last.element, "f64");
  EXPECT_EQ(last.place, "at 99");
  ASSERT_EQ(rank.communicators.size(), 1u);
  EXPECT_EQ(rank.communicators[0].name, "MPI_COMM_WORLD");
  EXPECT_EQ(rank.communicators[0].calls, 4711u);
  EXPECT_THAT(rank.communicators[0].world_ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(rank.communicators[0].key.members, record_->members_hash(0));
  EXPECT_EQ(rank.communicators[0].key.made, 0u);
}

TEST_F(SeenRecordTest, ARankComputesSinceItHasLeft) {
  RingEntry& entry = begin(call("Barrier", 1));
  const std::uint64_t left = ticks() + seconds(1);
  record_->ring().leave(entry, left);
  const SeenRank rank = seen(left + seconds(3));
  EXPECT_EQ(rank.state, State::computes);
  EXPECT_NEAR(rank.since_s, 3, 0.1);
  EXPECT_EQ(seen(left - 1).since_s, 0) << "the clocks of processors differ a little";
}

TEST_F(SeenRecordTest, ACallUsuallyTakesTheMeanOfThoseBefore) {
  const auto counted = [&](std::string_view function, int communicator, Bytes bytes, double took_s) {
    count_ours(record_->counters(number_of(function), communicator, bytes), bytes, seconds(took_s));
  };
  counted("Barrier", 0, 0, 0.25);
  counted("Barrier", 1, 0, 0.5);
  counted("Bcast", 0, 8, 1);
  Counters& passed = record_->counters(number_of("Bcast"), 0, 64);
  count_passed(passed, record_->reason(passed, "because"), 64, seconds(3));
  counted("Ibcast", 0, 8, 1);
  for (const char* function : {"Barrier", "Bcast", "Allreduce", "Ibcast"}) begin_and_leave(call(function, 1));
  record_->ring().begin_message(call("Send", 0));
  const SeenRank rank = seen();
  ASSERT_EQ(rank.calls.size(), 5u);
  EXPECT_NEAR(rank.calls[0].usual_s, 0.25, 0.01) << "on its own communicator";
  EXPECT_NEAR(rank.calls[1].usual_s, 2, 0.05) << "of all sizes, whoever ran them";
  EXPECT_EQ(rank.calls[2].usual_s, 0) << "there was none";
  EXPECT_EQ(rank.calls[3].usual_s, 0) << "it does not wait";
  EXPECT_EQ(rank.calls[4].usual_s, 0) << "a message";
}

TEST_F(SeenRecordTest, NonblockingAndPersistentCollectivesDoNotBlock) {
  for (const auto* name : {"Ibcast", "Allreduce_init", "Ineighbor_alltoall", "Neighbor_allgather"}) begin_and_leave(call(name, 1));
  const SeenRank rank = seen();
  ASSERT_EQ(rank.calls.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(rank.calls[i].is_collective);
    EXPECT_EQ(rank.calls[i].is_blocking, i == 3) << rank.calls[i].function;
  }
}

TEST_F(SeenRecordTest, MessagesHavePeersAndTags) {
  const auto message = [&](std::string_view function, std::int32_t peer, std::int32_t tag) {
    return record_->ring().begin_message(call(function, 0, {.bytes = 8, .root = peer, .operation = tag, .element = -1}));
  };
  for (const std::uint64_t number : {1, 2, 3}) begin_and_leave(call("Barrier", number));
  message("Send_init", 1, 5);
  message("Irecv", 3, 6);
  message("Recv", RingEntry::any, RingEntry::any);
  const SeenRank rank = seen();
  EXPECT_EQ(rank.begun, 6u);
  ASSERT_EQ(rank.calls.size(), 6u);
  for (const std::size_t i : {3, 4, 5}) {
    EXPECT_FALSE(rank.calls[i].is_collective);
    EXPECT_EQ(rank.calls[i].is_blocking, i == 5);
    EXPECT_EQ(rank.calls[i].number, 0u);
    EXPECT_EQ(rank.calls[i].root, -1);
    EXPECT_EQ(rank.calls[i].operation, "");
    EXPECT_EQ(rank.calls[i].bytes, 8);
  }
  EXPECT_EQ(rank.calls[3].peer, 1);
  EXPECT_EQ(rank.calls[3].tag, 5);
  EXPECT_EQ(rank.calls[5].peer, -2);
  EXPECT_EQ(rank.calls[5].tag, -2);
}

TEST_F(SeenRecordTest, OperatorsAndElementsHaveNames) {
  for (std::int32_t i = 0; i < 16; ++i) begin(call("Allreduce", static_cast<std::uint64_t>(i), {.operation = i, .element = i}));
  begin(call("Allreduce", 16, {.operation = -5, .element = RingEntry::none}));
  const SeenRank rank = seen();
  ASSERT_EQ(rank.calls.size(), 17u);
  EXPECT_EQ(rank.calls[0].operation, "");
  EXPECT_EQ(rank.calls[1].operation, "user");
  EXPECT_EQ(rank.calls[13].operation, "minloc");
  EXPECT_EQ(rank.calls[15].operation, "") << "there is no operator with this code";
  EXPECT_EQ(rank.calls[16].operation, "");
  EXPECT_EQ(rank.calls[0].element, "i8");
  EXPECT_EQ(rank.calls[11].element, "c128");
  EXPECT_EQ(rank.calls[12].element, "type c");
  EXPECT_EQ(rank.calls[16].element, "");
}

TEST_F(SeenRecordTest, KeepsTheLastCallsOfManyInOrder) {
  for (std::uint64_t number = 1; number <= 300; ++number) begin_and_leave(call("Barrier", number));
  const SeenRank rank = seen();
  EXPECT_EQ(rank.begun, 300u);
  ASSERT_EQ(rank.calls.size(), 64u);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(rank.calls[i].number, 237 + i);
}

TEST_F(SeenRecordTest, AHalfWrittenEntryIsLeftOut) {
  begin_and_leave(call("Barrier", 1));
  begin(call("Bcast", 2)).sequence = 3;
  const SeenRank rank = seen();
  ASSERT_EQ(rank.calls.size(), 1u);
  EXPECT_EQ(rank.calls[0].function, "Barrier");
}

TEST_F(SeenRecordTest, ARankHasFinalised) {
  begin(call("Barrier", 1));
  page().is_finalising = 1;
  EXPECT_EQ(seen().state, State::finalised);
  page().is_finalising = 0;
  EXPECT_EQ(seen().state, State::in_call);
  record_->end();
  EXPECT_EQ(seen().state, State::finalised);
  page().end = 1;
  EXPECT_EQ(seen().state, State::finalised);
}

TEST_F(SeenRecordTest, ARankHasDied) {
  begin(call("Barrier", 1));
  page().end = 1 + SIGKILL;
  EXPECT_EQ(seen().state, State::died);
  EXPECT_EQ(seen().end, "was ended by signal 9 (SIGKILL)");
  page().end = 1 + W_EXITCODE(3, 0);
  EXPECT_EQ(seen().end, "ended with exit code 3");
  EXPECT_EQ(words_of_end(SIGRTMIN + 2), fmt::format("was ended by signal {}", SIGRTMIN + 2));
}

TEST_F(SeenRecordTest, SaysWhatTheProcessDoes) {
  const auto state_of = [&](pid_t process) {
    SeenRank rank = seen();
    rank.process = process;
    add_process(rank);
    return rank;
  };
  EXPECT_EQ(state_of(::getpid()).state, State::computes);
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  const auto becomes = [&](State state) {
    for (int i = 0; i < 2000 && state_of(child).state != state; ++i) ::usleep(1000);
    return state_of(child).state == state;
  };
  EXPECT_TRUE(becomes(State::sleeps));
  ::kill(child, SIGSTOP);
  EXPECT_TRUE(becomes(State::stopped));
  begin(call("Barrier", 1));
  EXPECT_EQ(state_of(child).state, State::stopped) << "also in a call";
  ::kill(child, SIGCONT);
  EXPECT_TRUE(becomes(State::in_call)) << "a rank may sleep in a call";
  ::kill(child, SIGKILL);
  EXPECT_TRUE(becomes(State::died)) << "nobody has waited for it yet";
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(state_of(child).end, "ended without MPI_Finalize");
  SeenRank elsewhere = seen();
  elsewhere.process = child, elsewhere.host = "elsewhere";
  add_process(elsewhere);
  EXPECT_EQ(elsewhere.state, State::in_call);
  page().is_finalising = 1;
  EXPECT_EQ(state_of(child).state, State::finalised);
}

TEST_F(SeenRecordTest, ReadsTheCountsOfACall) {
  const std::uint64_t sent = put<std::int32_t>({1, 2, 0, 4});
  const std::uint64_t received = put<std::int64_t>({0, 0, 3'000'000'000, 1});
  WatchedCall seen = seen_with(call("Alltoallv", 1, {.bytes = -1}), {.sent = sent, .sent_bytes = 8, .number_bytes = 4, .ranks = 4});
  EXPECT_EQ(seen.bytes, -1);
  EXPECT_THAT(seen.sent, ElementsAre(8, 16, 0, 32));
  EXPECT_THAT(seen.received, IsEmpty());
  seen = seen_with(call("Alltoallv", 2, {.bytes = -1}), {.received = received, .received_bytes = 4, .number_bytes = 8, .ranks = 4});
  EXPECT_THAT(seen.sent, IsEmpty());
  EXPECT_THAT(seen.received, ElementsAre(0, 0, 12'000'000'000, 4));
  const CallLists both{.sent = sent, .received = sent, .sent_bytes = 8, .received_bytes = 8, .number_bytes = 4, .ranks = 4};
  seen = seen_with(call("Allgatherv", 3, {.bytes = 24}), both);
  EXPECT_EQ(seen.bytes, -1);
  EXPECT_THAT(seen.sent, ElementsAre(24)) << "what it sends goes to all";
  EXPECT_THAT(seen.received, ElementsAre(8, 16, 0, 32));
  seen = seen_with(call("Gatherv", 4, {.bytes = 24, .root = 1}), both);
  EXPECT_THAT(seen.sent, ElementsAre(24)) << "what it sends goes to the root";
  seen = seen_with(call("Scatterv", 5, {.bytes = 24, .root = 3}), both);
  EXPECT_THAT(seen.received, ElementsAre(24)) << "what it gets comes from the root";
}

TEST_F(SeenRecordTest, KnowsNoCountsThatItCannotRead) {
  const CallLists good{.number = 7, .sent = put<std::int32_t>({1, 2, 3, 4}), .sent_bytes = 8, .number_bytes = 4, .ranks = 4};
  begin(call("Alltoallv", 7, {.bytes = -1}));
  const auto has_counts = [&](const CallLists& lists) {
    page().lists = lists;
    return !seen().calls.back().sent.empty();
  };
  EXPECT_TRUE(has_counts(good));
  CallLists lists = good;
  lists.number = 6;
  EXPECT_FALSE(has_counts(lists)) << "of another call";
  lists = good, lists.sent = 64;
  EXPECT_FALSE(has_counts(lists)) << "no memory there";
  lists = good, lists.sent_bytes = 0;
  EXPECT_FALSE(has_counts(lists)) << "the types differ";
  lists = good, lists.number_bytes = 3;
  EXPECT_FALSE(has_counts(lists));
  lists = good, lists.ranks = 1 << 30;
  EXPECT_FALSE(has_counts(lists));
  page().lists = good;
  EXPECT_THAT(seen_rank(read_watched_record(path()), ticks(), nullptr, nullptr).calls.back().sent, IsEmpty());
  record_->ring().leave(page().last_collectives[0], ticks());
  EXPECT_FALSE(has_counts(good)) << "it has left the call, so the array may be gone";
}

TEST_F(SeenRecordTest, CountsThatAreTooLargeDoNotOverflow) {
  const WatchedCall seen = seen_with(
      call("Alltoallv", 1, {.bytes = -1}),
      {.sent = put<std::int64_t>({INT64_MAX, INT64_MIN, -1, 1}), .sent_bytes = 0xFFFFFFFF, .number_bytes = 8, .ranks = 4});
  ASSERT_EQ(seen.sent.size(), 4u);
  EXPECT_EQ(seen.sent[3], 0xFFFFFFFF);
}

// The second communicator gets the number of the first, which was freed.
TEST_F(SeenRecordTest, ACommunicatorIsNotTheFreedOneWithItsNumber) {
  const std::vector<Rank> pair{2, 0};
  const int number = record_->add_communicator("", pair);
  const auto on = [&](std::uint32_t made) { return RingEntry{.communicator = static_cast<std::uint32_t>(number) | made << 16}; };
  begin_and_leave(call("Bcast", 1, on(0)));
  begin_and_leave(call("Bcast", 2, on(0)));
  record_->free_communicator(number);
  ASSERT_EQ(record_->add_communicator("", pair), number);
  begin_and_leave(call("Barrier", 1, on(1)));
  const SeenRank rank = seen();
  ASSERT_EQ(rank.communicators.size(), 2u);
  EXPECT_EQ(rank.communicators[0].key.made, 0u);
  EXPECT_EQ(rank.communicators[0].calls, 2u);
  EXPECT_EQ(rank.communicators[1].key.made, 1u);
  EXPECT_EQ(rank.communicators[1].calls, 1u);
  EXPECT_EQ(rank.communicators[0].key.members, rank.communicators[1].key.members);
  EXPECT_THAT(rank.communicators[1].world_ranks, ElementsAre(2, 0));
  EXPECT_EQ(rank.calls[1].communicator, 0);
  EXPECT_EQ(rank.calls[2].communicator, 1);
}

TEST_F(SeenRecordTest, TheMembersOfACommunicatorMayBeUnknown) {
  const std::vector<Rank> remote{-1, -1};
  const auto inter = static_cast<std::uint32_t>(record_->add_communicator("inter", remote));
  int shared = 0;
  for (std::uint32_t i = 0; i < Record::own_communicators + 2; ++i) shared = record_->add_communicator("", first_ranks(4));
  begin_and_leave(call("Barrier", 1, {.communicator = RingEntry::no_communicator}));
  begin_and_leave(call("Barrier", 1, {.communicator = inter}));
  begin_and_leave(call("Barrier", 1, {.communicator = static_cast<std::uint32_t>(shared) | 3 << 16}));
  begin_and_leave(call("Barrier", 1, {.communicator = 4000}));
  const SeenRank rank = seen();
  ASSERT_EQ(rank.calls.size(), 4u);
  EXPECT_EQ(rank.calls[0].communicator, -1);
  EXPECT_EQ(rank.calls[3].communicator, -1) << "it is not in the record";
  EXPECT_EQ(rank.calls[1].communicator, -1) << "an intercommunicator";
  EXPECT_EQ(rank.calls[2].communicator, -1) << "one of those that share a number";
  EXPECT_THAT(rank.communicators, IsEmpty());
}

TEST_F(SeenRecordTest, NothingIsKnownOfARankWithoutAPage) {
  record_ = make(false);
  EXPECT_FALSE(record_->ring());
  record_->add_communicator("MPI_COMM_WORLD", first_ranks(4));
  const SeenRank rank = seen();
  EXPECT_EQ(rank.rank, 2);
  EXPECT_EQ(rank.state, State::unknown);
}

TEST_F(SeenRecordTest, FindsTheCallInProgress) {
  EXPECT_FALSE(call_in_progress(page()).is_inside);
  RingEntry& barrier = begin(call("Barrier", 1, {.begin_ticks = 10, .site = 1}));
  EXPECT_TRUE(call_in_progress(page()).is_inside);
  EXPECT_EQ(call_in_progress(page()).begin_ticks, 10u);
  record_->ring().leave(record_->ring().begin_message(call("Send", 0, {.begin_ticks = 20, .site = 2})), 21);
  EXPECT_EQ(call_in_progress(page()).site, 1u) << "another thread has sent";
  EXPECT_EQ(call_in_progress(page()).begun, 2u);
  record_->ring().leave(barrier, 30);
  EXPECT_FALSE(call_in_progress(page()).is_inside);
  EXPECT_EQ(call_in_progress(page()).site, 2u) << "the last one";
}

}  // namespace
}  // namespace quadrille::mpi_face
