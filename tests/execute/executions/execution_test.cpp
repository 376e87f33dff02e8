// SPDX-License-Identifier: BSD-3-Clause
// The life of an execution: it queues behind others of its plan, outlives the plan, fails on all ranks, and is withdrawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <thread>

#include "execute/transport.hpp"
#include "quadrille/collectives.hpp"
#include "quadrille/groups.hpp"
#include "support/apart.hpp"
#include "support/many_in_flight.hpp"
#include "support/sentence_of.hpp"

namespace quadrille::testing {
namespace {

using ::testing::HasSubstr;

// Several executions of one plan run one after the other, each with its own buffers.
TEST(Execution, SeveralOfOnePlanQueue) {
  for (const char* algorithm : {"direct", "bruck:radix=2"})
    run_threads(3, [&](Communicator& threads) {
      Plan made = plan(threads, Problem::alltoall(3, 40'000), {.algorithm = algorithm, .policy = Policy::nonblocking});
      constexpr std::size_t count = 9;
      std::vector<ByteVector> inputs, outputs;
      for (std::size_t i = 0; i < count; ++i) {
        inputs.emplace_back(120'000, static_cast<std::byte>(16 * threads.rank() + static_cast<Rank>(i)));
        outputs.emplace_back(120'000);
      }
      std::vector<Request> requests;
      for (std::size_t i = 0; i + 1 < count; ++i) requests.push_back(made.start(inputs[i].data(), outputs[i].data()));
      made.execute(inputs[count - 1].data(), outputs[count - 1].data());  // a blocking execution is also queued
      std::mt19937_64 own(static_cast<std::uint64_t>(threads.rank()));
      std::shuffle(requests.begin(), requests.end(), own);
      for (Request& each : requests) {
        EXPECT_TRUE(each.is_over());  // because the last one is over
        each.wait();
      }
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t from = 0; from < 3; ++from)
          EXPECT_EQ(outputs[i][40'000 * from + 39'999], static_cast<std::byte>(16 * from + i));
    });
}

// A request owns what it needs of its plan, and its destructor waits.
TEST(Execution, APlanMayBeDestroyedBeforeItsRequests) {
  run_threads(3, [](Communicator& threads) {
    ByteVector input(300'000, static_cast<std::byte>(threads.rank())), output(300'000);
    {
      Request request;
      {
        Plan made = plan(threads, Problem::alltoall(3, 100'000), {.algorithm = "bruck:radix=2"});
        request = made.start(input.data(), output.data());
      }
    }
    for (std::size_t from = 0; from < 3; ++from) EXPECT_EQ(output[100'000 * from + 99'999], static_cast<std::byte>(from));
  });
}

// If an execution fails on one rank, here in an operator, it fails on all ranks that share memory, in whichever call they make, and
// also if the failing rank never waits for the request.
TEST(Execution, AFailedExecutionFailsOnAllRanks) {
  for (const bool blocking : {true, false}) {
    std::vector<std::string> said(3);
    run_threads(3, [&](Communicator& threads) {
      const auto me = static_cast<std::size_t>(threads.rank());
      const auto add = [&](double a, double b) {
        if (me == 1) throw std::runtime_error("no more");
        return a + b;
      };
      const std::vector<double> input(100, 1);
      std::vector<double> output(100);
      auto made = plan_allreduce<double>(threads, 100, commutative(add), {.algorithm = "recursive-doubling"});
      threads.barrier();
      if (me == 1 && !blocking) {
        made.start(input, output);  // its destructor does not throw
        return;
      }
      try {
        for (int turn = 0; turn < 2; ++turn) made.execute(input, output);
      } catch (const std::runtime_error& error) {
        said[me] = error.what();
      }
    });
    EXPECT_THAT(said[0], HasSubstr("rank 1: no more"));
    EXPECT_THAT(said[2], HasSubstr("rank 1: no more"));
  }
}

// During stack unwinding a request does not wait for other ranks, which may never come. Ranks that share memory are told of it.
TEST(Execution, UnwindingWithdrawsTheExecution) {
  std::vector<std::string> said(3);
  const auto body = [&](Communicator& threads) {
    const auto me = static_cast<std::size_t>(threads.rank());
    ByteVector input(300'000), output(300'000);
    Plan made = plan(threads, Problem::alltoall(3, 100'000), {.algorithm = "direct"});
    threads.barrier();
    if (me == 1) {
      try {
        Request first = made.start(input.data(), output.data()), second = made.start(input.data(), output.data());
        throw std::runtime_error("the program's own");
      } catch (const std::runtime_error& error) {
        said[me] = error.what();
      }
      std::fill(output.begin(), output.end(), std::byte{1});  // no rank reads or writes the buffers any more
      EXPECT_THAT(sentence_of([&] { made.execute(input.data(), output.data()); }), HasSubstr("another communicator"));
    } else {
      said[me] = sentence_of([&] {
        for (int turn = 0; turn < 3; ++turn) made.execute(input.data(), output.data());
      });
    }
  };
  run_threads(3, body);
  EXPECT_EQ(said[1], "the program's own");
  for (const std::size_t other : {0u, 2u})
    EXPECT_THAT(said[other],
                HasSubstr("rank 1: an execution of plan 1 (alltoall/direct:segments=1 of 100000 B a block) was withdrawn"));
}

// A rank that tests would otherwise use up its time slice, thousands of tests, before another rank on its core can go on.
TEST(Execution, TestsGiveTheCoreAwayIfRanksShareIt) {
  constexpr Count p = 4, executions = 50;
  std::atomic<Count> tests = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);  // the threads of the ranks inherit it
    run_threads(p, [&](Communicator& threads) {
      std::array<std::byte, p> input{}, output{};
      Plan made = plan(threads, Problem::alltoall(p, 1), {.algorithm = "direct"});
      threads.barrier();
      for (Count i = 0; i < executions; ++i)
        for (Request request = made.start(input.data(), output.data()); !request.test();) ++tests;
    });
  }).join();
  EXPECT_LT(tests / (p * executions), 200);
}

}  // namespace
}  // namespace quadrille::testing
