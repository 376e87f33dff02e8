// SPDX-License-Identifier: BSD-3-Clause
// Verdicts on planted hangs: each names the ranks, the call, the place and the cause.
#include "mpi_face/watch/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <source_location>

#include "mpi_face/watch/planted_run.hpp"

namespace quadrille::mpi_face {
namespace {

using namespace testing;  // NOLINT
using Words = std::initializer_list<std::string_view>;

bool has(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

// The JSON has the facts of the text.
void expect_same_facts(const HangVerdict& verdict, const std::string& text) {
  const auto json = nlohmann::json::parse(json_text_of(verdict));
  EXPECT_EQ(json["format"], "quadrille-hang/1");
  EXPECT_EQ(json["cause"], word_of(verdict.cause));
  EXPECT_FALSE(verdict.sentences.empty());
  for (const std::string sentence : json["sentences"]) EXPECT_TRUE(has(text, sentence)) << sentence;
  ASSERT_EQ(json["findings"].size(), verdict.findings.size());
  for (const auto& finding : json["findings"]) {
    EXPECT_GE(finding["ranks"].size(), 1u);
    if (finding["call"].is_null()) continue;
    EXPECT_TRUE(has(text, finding["call"]["function"].get<std::string>())) << finding;
    if (!finding["call"]["place"].is_null()) {
      EXPECT_TRUE(has(text, finding["call"]["place"].get<std::string>())) << finding;
    }
  }
}

void expect_words(const std::optional<HangVerdict>& verdict, Words words, Words others) {
  ASSERT_TRUE(verdict) << "no verdict";
  const std::string text = text_of(*verdict);
  for (const std::string_view each : words) EXPECT_TRUE(has(text, each)) << "it does not say: " << each << '\n' << text;
  for (const std::string_view each : others) EXPECT_FALSE(has(text, each)) << "it says: " << each << '\n' << text;
  expect_same_facts(*verdict, text);
}

void expect_hang(const PlantedRun& run, HangVerdict::Cause cause, Words words, Words others = {},
                 std::source_location where = std::source_location::current()) {
  const ::testing::ScopedTrace trace(__FILE__, static_cast<int>(where.line()), "");
  const auto verdict = find_hang(run.ranks, static_cast<Count>(run.ranks.size()), {});
  expect_words(verdict, words, others);
  EXPECT_TRUE(verdict && verdict->cause == cause) << (verdict ? word_of(verdict->cause) : "none");
}

void expect_mismatch(const PlantedRun& run, HangVerdict::Cause cause, Words words, Words others = {},
                     std::source_location where = std::source_location::current()) {
  const ::testing::ScopedTrace trace(__FILE__, static_cast<int>(where.line()), "");
  const auto verdict = find_mismatch(run.ranks, static_cast<Count>(run.ranks.size()));
  expect_words(verdict, words, others);
  EXPECT_TRUE(verdict && verdict->cause == cause) << (verdict ? word_of(verdict->cause) : "none");
}

using enum HangVerdict::Cause;

// Four ranks that have made a barrier; all but `odd` are in an Allreduce.
PlantedRun others_wait(Rank odd, Count size = 4) {
  PlantedRun run(size);
  run.all_made(barrier("solver.c:80"));
  for (Rank rank = 0; rank < size; ++rank)
    if (rank != odd) run.in(rank, allreduce(8, "solver.c:88 (residual)"));
  return run;
}

TEST(HangVerdict, IsWrittenAsPromised) {
  PlantedRun run = others_wait(1);
  run.in(1, bcast(0, 65536, "solver.c:91 (exchange_halo)"));
  run.shift_numbers(4709);
  const auto verdict = find_hang(run.ranks, 4, {});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(text_of(*verdict),
            "quadrille: no collective on MPI_COMM_WORLD has ended for 12 s\n"
            "  ranks 0, 2, 3   wait in Allreduce, their call 4,711 on it: 8 B, sum of f64   solver.c:88 (residual)\n"
            "  rank 1          is in Bcast, its call 4,711 on it: 64 KiB, root 0            solver.c:91 (exchange_halo)\n"
            "the order of collectives differs: rank 1 took another branch before solver.c:91 (exchange_halo)\n"
            "the last call that all ranks share is Barrier, call 4,710, solver.c:80\n");
  for (SeenRank& rank : run.ranks) rank.calls.back().usual_s = 0.002 * static_cast<double>(rank.rank + 1);
  expect_hang(run, order, {"has ended for 12 s; Allreduce usually takes 2.00 ms\n", "ranks 0, 2, 3"});
}

TEST(HangVerdict, NamesRanksThatHaveNotCome) {
  PlantedRun run = others_wait(3);
  run.at(3).processor_s = 12, run.at(3).stack = {"loop (work.c:12)", "main (work.c:40)"};
  expect_hang(run, late,
              {"rank 3       computes for 12 s (12 s of processor time) in loop (work.c:12), after Barrier, call 1 (solver.c:80)",
               "rank 3 is late: it has not entered Allreduce, call 2", "ranks 0..2", "solver.c:88"},
              {"differs"});
  run.at(3).stack = {"its stack was not read, because that is not allowed here"};
  expect_hang(run, late, {"; its stack was not read"}, {"in its stack"});

  run.is(3, State::sleeps).waits_in = "pipe_read";
  expect_hang(run, late, {"rank 3", "sleeps for 12 s (pipe_read)", "rank 3 is late"}, {"differs"});
  run.is(3, State::stopped);
  expect_hang(run, stopped, {"rank 3 is stopped, by a signal or by a debugger"}, {"late", "differs"});
  run.is(3, State::died, 0).end = "was ended by signal 9 (SIGKILL)";
  expect_hang(run, died, {"rank 3 was ended by signal 9 (SIGKILL): the others wait for it in Allreduce, call 2"}, {"late"});
  run.is(3, State::died, 0).end = "ended with exit code 3";
  expect_hang(run, died, {"rank 3 ended with exit code 3"});
  run.is(3, State::finalised, 0);
  expect_hang(run, finalised,
              {"rank 3 left early: it has called MPI_Finalize and not entered Allreduce, call 2",
               "its last one on MPI_COMM_WORLD was Barrier, call 1 (solver.c:80)"});
  run.is(3, State::unknown, 0);
  expect_hang(run, unknown, {"nothing is known of rank 3, because its node has not answered"});
  run.ranks.pop_back();  // the same if there is no report of it at all
  run.ranks.emplace_back().rank = 9, run.ranks.pop_back();
  expect_words(find_hang(run.ranks, 4, {}), {"nothing is known of rank 3", "the others wait in Allreduce, call 2"}, {});
}

TEST(HangVerdict, NamesRanksThatEndedInsideTheCall) {
  PlantedRun run = others_wait(-1);
  run.is(2, State::died, 1).end = "was ended by signal 11 (SIGSEGV)";
  expect_hang(run, died, {"rank 2", "was ended by signal 11 (SIGSEGV) in Allreduce, its call 2 on it", "the others wait for it"});
  run.is(2, State::stopped);
  expect_hang(run, stopped, {"is stopped for 12 s in Allreduce, its call 2", "rank 2 is stopped"});
}

TEST(HangVerdict, NamesSeveralCausesAtOnce) {
  PlantedRun run(6);
  run.all_made(barrier("a.c:1"));
  for (const Rank rank : {0, 1}) run.in(rank, barrier("a.c:2"));
  run.is(2, State::died).end = "ended with exit code 1";
  run.is(3, State::stopped);
  expect_hang(run, died, {"rank 2 ended with exit code 1", "rank 3 is stopped", "ranks 4, 5 are late: they have not entered"});
}

TEST(HangVerdict, ComparesTheOrderOfCollectives) {
  // Rank 2 has skipped a broadcast that it does not wait for, and waits in what comes next.
  PlantedRun run(4);
  run.all_made(barrier("a.c:1"));
  for (Rank rank = 0; rank < 4; ++rank) {
    if (rank != 2) run.made(rank, bcast(0, 8, "a.c:2"));
    if (rank != 2) run.made(rank, rooted("Reduce", 2, 8, "a.c:3"));
    if (rank == 2) run.made(rank, rooted("Reduce", 2, 8, "a.c:3"));
    run.in(rank, barrier("a.c:4"));
  }
  expect_hang(run, order,
              {"rank 2 skipped Bcast (call 2, a.c:2) before a.c:3", "the last call that all ranks share is Barrier, call 1, a.c:1",
               "call 2 is Reduce (a.c:3) on rank 2, and Bcast (a.c:2) on ranks 0, 1, 3"});
  // Rank 2 has made one more.
  run = PlantedRun(4);
  run.all_made(barrier("a.c:1"));
  for (Rank rank = 0; rank < 4; ++rank) {
    if (rank == 2) run.made(rank, bcast(2, 8, "a.c:2"));
    run.made(rank, rooted("Reduce", 2, 8, "a.c:3"));
    run.in(rank, barrier("a.c:4"));
  }
  expect_hang(run, order, {"rank 2 made one more Bcast (call 2, a.c:2)"}, {"skipped"});
}

TEST(HangVerdict, NamesTheLastCallThatAllShare) {
  PlantedRun run(3);
  for (int round = 0; round < 5; ++round)
    for (const char* place : {"a.c:1", "a.c:2", "a.c:3"}) run.all_made(allreduce(8, place));
  for (const Rank rank : {0, 2}) run.in(rank, allreduce(8, "a.c:1"));
  run.in(1, collective("Alltoall", "a.c:9", 4));
  expect_hang(run, order, {"rank 1 took another branch before a.c:9", "share is Allreduce, call 15, a.c:3"}, {"skipped"});
}

TEST(HangVerdict, FindsSkippedCallsOfOneFunctionByTheirPlaces) {
  PlantedRun run(4);
  run.all_made(barrier("a.c:1"));
  for (Rank rank = 0; rank < 4; ++rank) {
    if (rank != 1) run.made(rank, bcast(0, 8, "a.c:2"));
    run.made(rank, bcast(0, 4000, "a.c:3"));
    run.in(rank, bcast(3, 16, "a.c:4"));
  }
  expect_hang(run, order, {"rank 1 skipped Bcast (call 2, a.c:2) before a.c:3"});
}

TEST(HangVerdict, NamesTheRankWithAnotherRootOperatorTypeOrSize) {
  PlantedRun run(4);
  for (Rank rank = 0; rank < 4; ++rank) run.in(rank, bcast(rank == 1 ? 2 : 0, 8, rank == 1 ? "a.c:7" : "a.c:9"));
  expect_hang(run, root, {"the roots of Bcast, call 1, differ: rank 1 gives root 2 (a.c:7), the others root 0", "root 0", "a.c:9"});
  run = PlantedRun(4);
  for (Rank rank = 0; rank < 4; ++rank) run.in(rank, allreduce(8, "a.c:9", rank == 3 ? "max" : "sum"));
  expect_hang(run, operation, {"the operators of Allreduce, call 1, differ: rank 3 gives max (a.c:9), the others sum"});
  run = PlantedRun(4);
  for (Rank rank = 0; rank < 4; ++rank) run.in(rank, allreduce(8, "a.c:9", "sum", rank == 0 ? "i64" : "f64"));
  expect_hang(run, element, {"the element types of Allreduce, call 1, differ: rank 0 gives i64 (a.c:9), the others f64"});
  for (const char* function : {"Bcast", "Allgather", "Alltoall", "Scan", "Gather", "Scatter", "Reduce_scatter_block", "Ibcast"}) {
    run = PlantedRun(4);
    for (Rank rank = 0; rank < 4; ++rank) run.in(rank, collective(function, "a.c:9", rank == 2 ? 1000 : 1024));
    expect_hang(run, bytes, {"differ: rank 2 gives 1,000 B (a.c:9), the others 1 KiB", function});
  }
}

TEST(HangVerdict, NamesBothSidesIfNoneIsTheMajority) {
  PlantedRun run(2);
  for (Rank rank = 0; rank < 2; ++rank) run.in(rank, bcast(rank, 8, rank == 0 ? "a.c:7" : "a.c:9"));
  expect_hang(run, root, {"rank 1 gives root 1 (a.c:9), rank 0 root 0 (a.c:7)"}, {"the others"});
  run = PlantedRun(2);
  run.in(0, barrier("a.c:7"));
  run.in(1, bcast(0, 8, "a.c:9"));
  expect_hang(run, order, {"rank 1 took another branch than rank 0 before a.c:9"});
}

TEST(HangVerdict, LetsUnknownValuesMatch) {
  PlantedRun run = others_wait(2);
  run.in(2, allreduce(-1, "a.c:9", "", ""));
  run.at(0).communicators[0].calls = 2;
  expect_hang(run, library, {"all ranks are in the same call: the MPI library, or the network, does not complete it"}, {"differ"});
}

TEST(HangVerdict, CountsRanksThatWereNotSeen) {
  PlantedRun run = others_wait(3);
  run.ranks.pop_back();
  for (SeenRank& rank : run.ranks) rank.communicators[0].world_ranks.clear();
  expect_words(find_hang(run.ranks, 4, {}), {"nothing is known of rank 3"}, {"library"});
  for (SeenRank& rank : run.ranks) rank.communicators[0].name = "";
  expect_words(find_hang(run.ranks, 4, {}), {"all ranks that are known to be members are in the same call"}, {});
}

TEST(HangVerdict, NamesThePairOfAnIrregularCollective) {
  PlantedRun run(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    WatchedCall call = collective("Alltoallv", "a.c:5", -1);
    call.sent = {800, 800, 800}, call.received = {800, 800, 800};
    if (rank == 2) call.sent[0] = 400;
    run.in(rank, call);
  }
  expect_hang(run, blocks, {"the sizes of Alltoallv, call 1, differ: rank 2 sends 400 B to rank 0 (a.c:5), which expects 800 B"});
  run.at(1).calls[0].received[2] = 4, run.at(1).calls[0].received[1] = 4;
  expect_hang(run, blocks, {"2 other pairs differ"});
  run = PlantedRun(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    WatchedCall call = rooted("Gatherv", 1, -1, "a.c:6");
    call.sent = {rank == 2 ? 12 : 8};
    if (rank == 1) call.received = {8, 8, 8};
    run.in(rank, call);
  }
  expect_hang(run, blocks, {"rank 2 sends 12 B to rank 1 (a.c:6), which expects 8 B"});
  run = PlantedRun(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    WatchedCall call = rooted("Scatterv", 1, -1, "a.c:6");
    call.received = {8};
    if (rank == 1) call.sent = {8, 8, 16};
    run.in(rank, call);
  }
  expect_hang(run, blocks, {"rank 1 sends 16 B to rank 2 (a.c:6), which expects 8 B"});
  run = PlantedRun(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    WatchedCall call = collective("Allgatherv", "a.c:6", -1);
    call.sent = {rank == 0 ? 4 : 8};
    call.received = {rank == 2 ? 6 : 4, 8, 8};
    run.in(rank, call);
  }
  expect_hang(run, blocks, {"rank 0 sends 4 B to rank 2 (a.c:6), which expects 6 B"});
}

TEST(HangVerdict, WaitsForTheRootOnly) {
  PlantedRun run(4);
  run.all_made(barrier("a.c:1"));
  for (const Rank rank : {1, 2}) run.in(rank, bcast(0, 8, "a.c:2"));
  expect_hang(run, late, {"rank 0 is late: it has not entered Bcast, call 2", "ranks 1, 2"}, {"rank 3"});
  // The others have left the reduction, and wait in what comes next.
  run = PlantedRun(4);
  for (const Rank rank : {1, 2, 3}) run.made(rank, rooted("Reduce", 0, 8, "a.c:2"));
  for (const Rank rank : {1, 2, 3}) run.in(rank, barrier("a.c:3"));
  expect_hang(run, late, {"ranks 1..3", "wait in Barrier, their call 2", "rank 0 is late: it has not entered Reduce, call 1"},
              {"differs"});
  // A root waits for all.
  run = PlantedRun(4);
  run.in(0, rooted("Gather", 0, 8, "a.c:2"));
  for (const Rank rank : {1, 3}) run.made(rank, rooted("Gather", 0, 8, "a.c:2"));
  expect_hang(run, late, {"rank 2 is late: it has not entered Gather, call 1"}, {"rank 1 ", "rank 3 "});
  // A root that has left is not ahead.
  run = PlantedRun(3);
  run.made(0, bcast(0, 8, "a.c:2"));
  run.made(0, bcast(0, 8, "a.c:2"));
  run.in(1, bcast(0, 8, "a.c:2"));
  expect_hang(run, late, {"rank 2 is late"}, {"rank 0  ", "differs", "ahead"});
}

TEST(HangVerdict, NamesRanksThatAreBehind) {
  PlantedRun run(4);
  run.all_made(barrier("a.c:1"));
  run.in(3, barrier("a.c:1"));
  for (const Rank rank : {0, 1, 2}) run.made(rank, barrier("a.c:1"));
  for (const Rank rank : {0, 1, 2}) run.in(rank, barrier("a.c:1"));
  expect_hang(run, order, {"rank 3 is one call or more behind, in Barrier, call 2, which the others have left", "call 3"});
}

TEST(HangVerdict, AnOperatorOfTheProgramMayNotReturn) {
  PlantedRun run(3);
  run.in(1, allreduce(8, "a.c:1", "user"));
  for (const Rank rank : {0, 2}) run.made(rank, allreduce(8, "a.c:1", "user"));
  for (const Rank rank : {0, 2}) run.in(rank, barrier("a.c:2"));
  expect_hang(run, library, {"have entered Allreduce, call 1: the program's operator, the MPI library,", "on rank 1"}, {"differs"});
}

TEST(HangVerdict, ComparesNonblockingCollectives) {
  PlantedRun run(3);
  for (const Rank rank : {0, 2}) run.made(rank, nonblocking(barrier("a.c:4")));
  for (const Rank rank : {0, 2}) run.in(rank, wait("a.c:6", "Wait", 1));
  expect_hang(run, late,
              {"ranks 0, 2", "wait in Wait for Ibarrier, their call 1 on it", "a.c:6",
               "rank 1 is late: it has not entered Ibarrier, call 1"});
  run.in(1, barrier("a.c:5"));
  expect_hang(run, order, {"rank 1 took another branch before a.c:5", "is in Barrier, its call 1"});
}

TEST(HangVerdict, GuessesWhichMessageIsWaitedFor) {
  PlantedRun run(3);
  for (const Rank peer : {1, 2}) run.made(0, nonblocking(message("Recv", peer, 5, "a.c:2")));
  run.made(0, wait("a.c:3"));  // the first message is complete
  run.in(0, wait("a.c:4"));
  expect_hang(run, late, {"rank 0 waits in Wait for Irecv from rank 2", "rank 2 is late"});
  run.at(0).calls[2].function = "Waitall";
  EXPECT_FALSE(find_hang(run.ranks, 3, {})) << "it is not known what the rank waits for";
}

TEST(HangVerdict, AWaitForAMessageIsNoWaitForACollective) {
  PlantedRun run(3);
  run.all_made(nonblocking(barrier("a.c:1")));
  run.made(0, nonblocking(message("Recv", 1, 5, "a.c:2")));
  run.in(0, wait("a.c:3"));
  expect_hang(run, late, {"rank 0 waits in Wait for Irecv from rank 1, tag 5 (a.c:3): rank 1 is late"}, {"library"});
}

TEST(HangVerdict, ARankThatHasBegunANonblockingCollectiveMayBeLate) {
  PlantedRun run(3);
  run.all_made(nonblocking(allreduce(64, "a.c:1")));
  for (const Rank rank : {0, 2}) run.in(rank, wait("a.c:2", "Wait", 1));
  expect_hang(run, late, {"rank 1 is late: it has begun Iallreduce, call 1, but does not call MPI"}, {"differs", "library"});
  // Rank 2 waits for a later one already.
  run = PlantedRun(3);
  run.all_made(nonblocking(allreduce(64, "a.c:1")));
  run.all_made(nonblocking(barrier("a.c:2")));
  run.in(0, wait("a.c:3", "Wait", 1));
  run.made(2, wait("a.c:3", "Wait", 1));
  run.in(2, wait("a.c:4", "Wait", 2));
  expect_hang(run, late, {"rank 1 is late: it has begun Iallreduce, call 1, but does not call MPI"}, {"differs", "behind"});
}

TEST(HangVerdict, NamesCallsThatItDoesNotUnderstand) {
  PlantedRun run = others_wait(1);
  run.in(1, message("Comm_accept", -1, -1, "a.c:3"));
  expect_hang(run, elsewhere,
              {"rank 1          is in Comm_accept", "a.c:3", "rank 1 is in another call: it has not entered Allreduce, call 2"});
}

TEST(HangVerdict, NamesADeadlockOfCommunicators) {
  PlantedRun run(3);
  const int row = run.communicator({0, 1}, "row"), column = run.communicator({0, 1});
  run.in(0, barrier("a.c:1"), row);
  run.in(1, bcast(1, 8, "a.c:2"), column);
  run.at(1).calls[0].root = 0;
  run.is(2, State::computes, 1);  // is no member
  expect_hang(run, communicators,
              {"a deadlock", "rank 0 waits in Barrier, call 1 on row for rank 1",
               "rank 1 waits in Bcast, call 1 on a communicator of ranks 0, 1 (the second one) for rank 0", "a.c:1", "a.c:2"});
}

TEST(HangVerdict, FollowsOneCommunicatorToTheNext) {
  PlantedRun run(4);
  const int three = run.communicator({0, 1, 2}, "three"), half = run.communicator({2, 3}, "half");
  for (const Rank rank : {0, 1}) run.in(rank, barrier("a.c:1"), three);
  run.in(2, barrier("a.c:2"), half);
  expect_hang(run, late,
              {"no collective on half", "rank 3 is late: it has not entered Barrier, call 1", "rank 2", "ranks 0, 1", "on three"});
}

TEST(HangVerdict, NamesMessagesThatNobodySends) {
  PlantedRun run(4);
  run.in(0, message("Recv", 3, 7, "a.c:1"));
  run.at(3).stack = {"loop (a.c:9)"};
  expect_hang(run, late,
              {"rank 0 waits in Recv from rank 3, tag 7 (a.c:1): rank 3 is late: it is in no call to rank 0", "loop (a.c:9)"});
  run.is(3, State::died).end = "ended with exit code 1";
  expect_hang(run, died, {"rank 3 ended with exit code 1"});
  run.is(3, State::finalised);
  expect_hang(run, finalised, {"rank 3 left early: it has called MPI_Finalize"});
  run.is(3, State::computes);
  run.made(3, message("Send", 0, 8, "a.c:4"));
  expect_hang(run, messages, {"rank 3 has sent tag 8, not 7"});
  run.made(0, message("Recv", 3, 8, "a.c:0"));  // it has received that one
  std::swap(run.at(0).calls[0], run.at(0).calls[1]);
  expect_hang(run, late, {"rank 3 is late"}, {"tag 8"});
  run.in(3, message("Ssend", 0, 9, "a.c:5"));
  expect_hang(run, messages, {"the tags differ: rank 3 sends tag 9 (a.c:5), not 7 as rank 0 expects"});
}

TEST(HangVerdict, NamesCyclesOfMessages) {
  PlantedRun run(3);
  run.in(0, message("Recv", 1, 7, "a.c:1"));
  run.in(1, message("Recv", 0, 7, "a.c:1"));
  expect_hang(run, messages,
              {"a deadlock", "rank 0 waits in Recv from rank 1, tag 7 (a.c:1), and rank 1 waits in Recv from rank 0, tag 7"});
  run = PlantedRun(3);
  for (Rank rank = 0; rank < 3; ++rank) run.in(rank, message("Send", (rank + 1) % 3, 7, "a.c:1"));
  expect_hang(run, messages, {"rank 2 waits in Send to rank 0, tag 7", "ranks 0..2 have made no progress for 12 s"});
  run = PlantedRun(3);
  for (Rank rank = 0; rank < 3; ++rank) run.in(rank, message("Sendrecv", (rank + 1) % 3, 7, "a.c:1"));
  expect_hang(run, library, {"ranks 0..2", "waits in Sendrecv with rank 1, tag 7", "calls of one exchange"}, {"deadlock"});
  // A message that is to come after a barrier, which waits for the receiver.
  run = PlantedRun(3);
  run.in(0, message("Recv", 1, 7, "a.c:1"));
  for (const Rank rank : {1, 2}) run.in(rank, barrier("a.c:2"));
  expect_hang(
      run, messages,
      {"rank 0 waits in Recv from rank 1, tag 7 (a.c:1)", "ranks 1, 2 wait in Barrier, call 1 on MPI_COMM_WORLD for rank 0"});
  // Requests.
  run = PlantedRun(2);
  run.made(0, nonblocking(message("Recv", 1, 5, "a.c:1")));
  run.in(0, wait("a.c:2", "Waitall"));
  run.in(1, message("Recv", 0, 5, "a.c:3"));
  expect_hang(run, messages,
              {"rank 0 waits in Waitall for Irecv from rank 1, tag 5 (a.c:2)", "rank 1 waits in Recv from rank 0, tag 5"});
}

TEST(HangVerdict, UnderstandsMessagesFromAnyRank) {
  PlantedRun run(3);
  run.in(0, message("Recv", -2, -2, "a.c:1"));
  for (const Rank rank : {1, 2}) run.is(rank, State::finalised);
  expect_hang(run, finalised,
              {"rank 0 waits in Recv from any rank, any tag (a.c:1): ranks 1, 2 left early: they have called MPI_Finalize"});
  run.is(2, State::sleeps);
  expect_hang(run, late, {"rank 2 is late: it is in no call to rank 0"}, {"left early"});
  run.in(2, barrier("a.c:2"));
  expect_hang(run, finalised, {"rank 1 left early: it has called MPI_Finalize and not entered Barrier", "rank 0"});
}

TEST(HangVerdict, BlamesTheLibraryIfMessagesMatch) {
  PlantedRun run(2);
  run.in(0, message("Recv", 1, 7, "a.c:1"));
  run.in(1, message("Ssend", 0, 7, "a.c:2"));
  expect_hang(run, library, {"both ranks are in calls that match: the MPI library, or the network"});
  run = PlantedRun(2);
  const int other = run.communicator({0, 1}, "other");
  run.in(0, message("Recv", 1, 7, "a.c:1"));
  run.in(1, message("Ssend", 0, 7, "a.c:2"), other);
  expect_hang(run, messages,
              {"the communicators differ: rank 0 is in Recv on MPI_COMM_WORLD (a.c:1), and rank 1 in Ssend on other (a.c:2)"});
}

TEST(HangVerdict, NamesRanksThatDoNotFinalise) {
  PlantedRun run(3);
  for (const Rank rank : {0, 2}) run.is(rank, State::finalised);
  expect_hang(run, late, {"ranks 0, 2 have made no progress", "rank 1 is late: it has not entered MPI_Finalize"});
  run.in(1, barrier("a.c:9"));
  expect_hang(run, finalised, {"ranks 0, 2 left early", "waits in Barrier, its call 1 on it", "a.c:9"});
  run = PlantedRun(3);
  for (const Rank rank : {0, 2}) run.is(rank, State::finalised);
  run.in(1, wait("a.c:9"));
  expect_hang(run, elsewhere, {"rank 1 is in another call: it has not entered MPI_Finalize", "Wait", "a.c:9"});
}

TEST(HangVerdict, NamesACallInsideOfAnother) {
  PlantedRun run = others_wait(1);
  run.in(1, barrier("a.c:5"));
  run.in(1, message("Recv", 0, 7, "a.c:9"));
  expect_hang(run, order, {"rank 1"}, {"handler"});
  run.at(1).calls.back().is_nested = true;
  expect_hang(run, order, {"rank 1 has called Recv (a.c:9) inside of Barrier (a.c:5), in a signal handler or a callback"});
}

TEST(HangVerdict, TakesTheFirstOfCallsWithOneNumber) {
  PlantedRun run = others_wait(1);
  run.in(1, bcast(0, 8, "a.c:9"));
  run.at(1).calls.push_back(allreduce(8, "a.c:9"));  // its file is damaged
  run.at(1).calls.back().number = 2, run.at(1).calls.back().communicator = 0;
  expect_hang(run, order, {"rank 1 took another branch before a.c:9"});
  std::swap(run.at(1).calls[1], run.at(1).calls[2]);
  expect_hang(run, library, {"all ranks"}, {"differs"});
}

TEST(HangVerdict, FindsMismatchesOfRanksThatDoNotHang) {
  PlantedRun run(4);
  run.all_made(barrier("a.c:1"));
  for (Rank rank = 0; rank < 4; ++rank) run.made(rank, allreduce(8, "a.c:2", rank == 3 ? "max" : "sum"));
  run.all_made(barrier("a.c:3"));
  for (Rank rank = 0; rank < 4; ++rank) run.is(rank, State::computes, 0);
  expect_mismatch(run, operation,
                  {"call 2 on MPI_COMM_WORLD does not match", "rank 3 gives max (a.c:2), the others sum",
                   "call Allreduce, their call 2 on it: 8 B, sum of f64"});
  run.at(1).calls[0] = run.at(1).calls[1];
  run.at(1).calls[0].number = 1, run.at(1).calls[0].operation = "";
  expect_mismatch(run, order, {"rank 1", "call 1 on MPI_COMM_WORLD"}, {"max"});
  EXPECT_FALSE(find_hang(run.ranks, 4, {}));
}

}  // namespace
}  // namespace quadrille::mpi_face
