// SPDX-License-Identifier: BSD-3-Clause
// Traces of executions: each message of the schedule once, in an order that its dependences allow.
#include "quadrille/traced_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "quadrille/groups.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"
#include "support/sentence_of.hpp"
#include "support/trace_order.hpp"

namespace quadrille {
namespace {

// Runs the schedule on threads with probe data, checks the outputs, and returns the trace.
Trace traced_on_threads(const Schedule& schedule, PlanOptions options) {
  const Problem& problem = schedule.problem;
  options.operation = testing::operation_for(problem);
  Trace trace;
  std::mutex mutex;
  run_threads(problem.ranks, [&](Communicator& threads) {
    const auto data = testing::probe_data(problem, threads.rank());
    ByteVector input(index(input_bytes(problem, threads.rank()))), output(index(output_bytes(problem, threads.rank())));
    data->fill_input(0, input.data());
    Trace own = traced_run(threads, schedule, options, input.data(), output.data(), 2);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(data->compare_output(0, output.data()), "") << schedule.algorithm;
    EXPECT_EQ(own.times.empty(), threads.rank() != 0);
    if (threads.rank() == 0) trace = std::move(own);
  });
  return trace;
}

TEST(TracedRun, HasEachMessageOnceInAnOrderThatDependencesAllow) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : testing::extent<std::vector<Count>>({3}, {1, 3, 4}, {1, 2, 3, 4, 5, 8}))
      for (const Problem& problem : testing::problems_of(*algorithm, p, 40, 1)) {
        const Choice choice = testing::standard_choice(*algorithm, problem);
        if (!applies(problem, choice) || (problem.root != 0 && problem.root != p - 1)) continue;
        const Schedule schedule = make_schedule(problem, choice);
        for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
          const Trace trace = traced_on_threads(schedule, {.policy = policy});
          SCOPED_TRACE(testing::description(problem) + ' ' + std::string(algorithm->id) + " policy " +
                       std::to_string(static_cast<int>(policy)));
          ASSERT_EQ(trace.times.size(), 2u);
          const TracedTime& time = trace.times[1];
          EXPECT_EQ(time.kind, TimeKind::executed);
          EXPECT_EQ(time.executor, "shared");
          EXPECT_EQ(time.rank_ends.size(), static_cast<std::size_t>(p));
          EXPECT_EQ(testing::first_disorder(trace, time, schedule), "");
        }
      }
}

// 100 KiB go by rendezvous, and strided messages are packed on the way.
TEST(TracedRun, KnowsLongAndPackedMessages) {
  for (const char* algorithm : {"direct", "bruck", "bruck:form=classical"}) {
    const Schedule schedule = make_schedule(Problem::alltoall(4, 100 << 10), algorithm);
    const Trace trace = traced_on_threads(schedule, {});
    EXPECT_EQ(testing::first_disorder(trace, trace.times.at(1), schedule), "") << algorithm;
    EXPECT_FALSE(trace.times[1].waits.empty());
    for (const TracedActivity& wait : trace.times[1].waits) EXPECT_LE(wait.time.begin, wait.time.end);
  }
}

TEST(TracedPlan, TracesTheLastExecutionOnly) {
  run_threads(3, [](Communicator& threads) {
    const Schedule schedule = make_schedule(Problem::alltoall(3, 8), "bruck");
    TracedPlan plan(threads, schedule);
    ByteVector input(24), output(24);
    const auto refusal = [&] { return testing::sentence_of([&] { plan.trace(); }); };
    EXPECT_NE(refusal().find("call execute first"), std::string::npos);
    for (const int executions : {1, 3}) {
      for (int i = 0; i < executions; ++i) {
        std::fill(input.begin(), input.end(), static_cast<std::byte>(16 * executions + i));
        plan.execute(input.data(), output.data());
        EXPECT_EQ(input, output);
      }
      const Trace trace = plan.trace();
      EXPECT_NE(refusal().find("call execute first"), std::string::npos);
      EXPECT_EQ(trace.times.size(), threads.rank() == 0 ? 2u : 0u);
      if (threads.rank() == 0) {
        EXPECT_EQ(testing::first_disorder(trace, trace.times.at(1), schedule), "");
      }
    }
  });
}

TEST(TracedRun, RefusesRunsInPlaceAndWrongSchedules) {
  run_threads(2, [](Communicator& threads) {
    const Schedule schedule = make_schedule(Problem::alltoall(2, 8), "direct");
    std::byte buffer[32];
    EXPECT_NE(testing::sentence_of([&] {
                traced_run(threads, schedule, {.in_place = true}, buffer, buffer + 16);
              }).find("leave in_place out"),
              std::string::npos);
    Schedule wrong = schedule;
    wrong.program = [](Rank rank) { return Program{.rank = rank, .stages = {{"nothing", 0, 0}}}; };
    EXPECT_NE(testing::sentence_of([&] { traced_run(threads, wrong, {}, buffer, buffer + 16); }), "");
  });
}

}  // namespace
}  // namespace quadrille
