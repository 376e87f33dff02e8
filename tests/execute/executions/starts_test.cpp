// SPDX-License-Identifier: BSD-3-Clause
// Tests plans that ranks start in different orders: each rank gets an error that names the calls, instead of waiting for ever.
// Ranks that only run ahead, or come late, get no error.
#include "execute/executions/in_flight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "execute/shared/communicator.hpp"
#include "quadrille/groups.hpp"
#include "support/agreement.hpp"
#include "support/processes.hpp"
#include "support/simulated_time.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

StartRecord& add(StartRecord& record, std::initializer_list<std::uint32_t> plans) {
  for (const std::uint32_t plan : plans) record.add(plan);
  return record;
}

TEST(StartRecord, FindsTheFirstStartThatDiffers) {
  StartRecord mine, theirs;
  EXPECT_FALSE(first_difference(mine, theirs));
  add(mine, {1, 2, 3, 4});
  EXPECT_FALSE(first_difference(mine, theirs)) << "the other rank has started nothing";
  add(theirs, {1, 2, 4});
  const auto difference = first_difference(mine, theirs);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->number, 2u);
  EXPECT_EQ(difference->mine, 3u);
  EXPECT_EQ(difference->theirs, 4u);
}

TEST(StartRecord, ComparesOnlyStartsInBothRecords) {
  StartRecord mine, theirs;
  add(mine, {1, 2});
  add(theirs, {2, 1});
  for (std::uint64_t i = 0; i < StartRecord::kept; ++i) mine.add(7), theirs.add(7);
  EXPECT_FALSE(first_difference(mine, theirs)) << "the first two are overwritten";
  for (std::uint64_t i = 0; i < StartRecord::kept; ++i) mine.add(8);
  EXPECT_FALSE(first_difference(mine, theirs)) << "no start is in both records";
}

// StartRecord::add stores a start before it increases the count. The new start overwrites the one that came `kept` starts before.
// A reader that looks in between leaves out the overwritten start. It leaves out only one, so it must not see a second new start
// before the count that includes the first. The releases in StartRecord::add ensure this.
TEST(StartRecord, LeavesOutTheStartThatIsBeingOverwritten) {
  StartRecord mine, theirs;
  for (std::uint32_t i = 0; i < StartRecord::kept + 36; ++i) mine.add(i), theirs.add(i);
  theirs.plans[theirs.count % StartRecord::kept] = 1000;
  EXPECT_FALSE(first_difference(mine, theirs));
  theirs.plans[(theirs.count + 1) % StartRecord::kept] = 1001;
  EXPECT_TRUE(first_difference(mine, theirs)) << "a second overwritten start looks like a difference";
}

// Returns the error text of each rank when it runs plans in the order given for it. Plans 0 and 1 are alltoalls, 2 is a broadcast
// from rank 0, and 3 moves no data.
std::vector<std::string> sentences(const std::vector<std::vector<std::size_t>>& orders) {
  const auto p = static_cast<Count>(orders.size());
  std::vector<std::string> said(orders.size());
  try {
    run_threads(p, [&](Communicator& threads) {
      const auto me = static_cast<std::size_t>(threads.rank());
      Problem broadcast;
      broadcast.collective = Collective::broadcast;
      broadcast.ranks = p;
      broadcast.block_bytes = 8;
      std::vector<Plan> plans;
      plans.push_back(plan(threads, Problem::alltoall(p, 8)));
      plans.push_back(plan(threads, Problem::alltoall(p, 8), {.algorithm = "bruck"}));
      plans.push_back(plan(threads, broadcast, {.algorithm = "linear"}));
      plans.push_back(plan(threads, Problem::alltoall(p, 0)));
      ByteVector input(static_cast<std::size_t>(8 * p)), output(input.size());
      try {
        for (const std::size_t each : orders[me]) plans[each].execute(input.data(), output.data());
      } catch (const Error& error) {
        said[me] = fmt::format("{}: {}", error.code() == ErrorCode::misuse ? "misuse" : "other", error.what());
        throw;
      }
    });
  } catch (const Error&) {}
  return said;
}

// Tested with a core for every rank and with more ranks than cores.
TEST(Starts, InDifferentOrdersAreReportedOnEachRank) {
  const SimulatedTime time;
  for (const Count p : {Count{2}, usable_core_count() + 1}) {
    std::vector<std::vector<std::size_t>> orders(static_cast<std::size_t>(p), {0, 1});
    orders.back() = {1, 0};
    for (const std::string& sentence : sentences(orders))
      EXPECT_THAT(sentence,
                  AllOf(HasSubstr("misuse: rank "), HasSubstr("plan 1 (alltoall/direct"), HasSubstr("plan 2 (alltoall/bruck"),
                        HasSubstr("waits for"), HasSubstr("start plans in the same order on all ranks")));
  }
}

TEST(Starts, ReportABarrierInTheWrongPlace) {
  const SimulatedTime time;
  std::vector<std::string> said(2);
  EXPECT_THROW(run_threads(2,
                           [&](Communicator& threads) {
                             Plan exchange = plan(threads, Problem::alltoall(2, 8));
                             ByteVector input(16), output(16);
                             const auto me = static_cast<std::size_t>(threads.rank());
                             try {
                               if (me == 0) threads.barrier();
                               exchange.execute(input.data(), output.data());
                               if (me == 1) threads.barrier();
                             } catch (const Error& error) {
                               said[me] = error.what();
                               throw;
                             }
                           }),
               Error);
  for (const std::string& sentence : said)
    EXPECT_THAT(sentence, AllOf(HasSubstr("a barrier"), HasSubstr("plan 1 (alltoall/direct")));
}

// A root that waits for no other rank may be further ahead than records go back.
TEST(Starts, FarApartAreReportedWithTheirDistance) {
  const SimulatedTime time;
  std::vector<std::size_t> ahead(100, 3), behind{1};
  ahead.push_back(0);
  for (const std::string& sentence : sentences({ahead, behind}))
    EXPECT_THAT(sentence, AllOf(HasSubstr("rank 0 is 1"), HasSubstr("starts ahead of rank 1, and they wait for each other")));
}

// The root of a broadcast waits for no other rank, so this order is wrong but blocks no rank.
TEST(Starts, AreNotReportedIfNoRankIsBlocked) {
  const SimulatedTime time;
  for (const std::string& sentence : sentences({{2, 0}, {0, 2}})) EXPECT_EQ(sentence, "");
}

// A rank may come later than the interval after which the others compare starts. That is no error.
TEST(Starts, AreNotReportedIfARankIsLate) {
  const SimulatedTime time;
  run_threads(3, [](Communicator& threads) {
    Plan first = plan(threads, Problem::alltoall(3, 8)), second = plan(threads, Problem::alltoall(3, 8), {.algorithm = "bruck"});
    std::int64_t input[3], output[3];
    const auto exchange = [&](Plan& plan, std::int64_t number) {
      for (Rank target = 0; target < 3; ++target) input[target] = 100 * number + 10 * threads.rank() + target;
      plan.execute(input, output);
      for (Rank source = 0; source < 3; ++source) EXPECT_EQ(output[source], 100 * number + 10 * source + threads.rank());
    };
    exchange(first, 1);
    if (threads.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(350));
    exchange(second, 2);
    exchange(first, 3);
  });
}

// Signals wake a sleeping rank. It must still compare starts in time.
TEST(Starts, AreComparedHoweverOftenSignalsWakeARank) {
  SimulatedTime time;
  time.signal_every(std::chrono::milliseconds(20));
  std::vector<std::vector<std::size_t>> orders(static_cast<std::size_t>(usable_core_count() + 1), {0, 1});
  orders.back() = {1, 0};
  for (const std::string& sentence : sentences(orders)) EXPECT_THAT(sentence, HasSubstr("same order on all ranks"));
}

// A plan may outlive its communicator and still works. It may even outlive the whole group: then executing it throws, and it can
// still be destroyed.
TEST(Starts, WorkAfterTheCommunicatorIsDestroyed) {
  std::vector<std::optional<Plan>> plans(2);
  std::vector<std::shared_ptr<std::byte>> memory(2);
  run_threads(2, [&](Communicator& threads) {
    const auto me = static_cast<std::size_t>(threads.rank());
    struct {
      std::vector<Plan> plans;  // destroyed after the communicator
      std::unique_ptr<Communicator> ranks;
    } user{{}, shared_by_processes(threads)};
    user.plans.push_back(plan(*user.ranks, Problem::alltoall(2, 100'000)));
    user.ranks.reset();
    const auto data = probe_data(Problem::alltoall(2, 100'000), threads.rank());
    ByteVector input(200'000), output(200'000);
    data->fill_input(0, input.data());
    user.plans[0].execute(input.data(), output.data());
    EXPECT_EQ(data->compare_output(0, output.data()), "");
    threads.barrier();
    plans[me].emplace(plan(threads, Problem::alltoall(2, 8)));
    memory[me] = threads.allocate(16);
  });
  ByteVector output(16);
  EXPECT_THROW(plans[0]->execute(memory[0].get(), output.data()), Error);
  plans.clear();
  memory.clear();
}

TEST(Plan, NamesANullBuffer) {
  run_threads(1, [](Communicator& threads) {
    Plan exchange = plan(threads, Problem::alltoall(1, 8)), nothing = plan(threads, Problem::alltoall(1, 0));
    Plan in_place = plan(threads, Problem::alltoall(1, 8), {.in_place = true});
    std::byte buffer[8]{};
    const auto sentence_of = [](auto&& call) -> std::string {
      try {
        call();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::misuse);
        return error.what();
      }
      return "";
    };
    EXPECT_THAT(sentence_of([&] { exchange.execute(nullptr, nullptr); }), HasSubstr("input is a null pointer"));
    EXPECT_THAT(sentence_of([&] { exchange.execute(buffer, nullptr); }), HasSubstr("output is a null pointer"));
    EXPECT_THAT(sentence_of([&] { exchange.execute_timed(nullptr, buffer); }), HasSubstr("input is a null pointer"));
    EXPECT_THAT(sentence_of([&] { in_place.execute_in_place(nullptr); }), HasSubstr("null pointer"));
    EXPECT_EQ(sentence_of([&] { nothing.execute(nullptr, nullptr); }), "");
  });
}

}  // namespace
}  // namespace quadrille
