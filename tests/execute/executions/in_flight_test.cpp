// SPDX-License-Identifier: BSD-3-Clause
// Tests several executions in flight at a time, which each rank advances in its own order. tests/mpi/soak_mpi.cpp does the same
// with MPI and `quadrille run`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

std::uint64_t seed_of(std::uint64_t mix, Rank rank) { return 1000 * mix + static_cast<std::uint64_t>(rank) + 1; }

// Runs random mixes of plans on `ranks` threads. `at_each` is called once per rank; its result is destroyed at the end.
template <class AtEach>
void run_mixes(SharedCommunicator& communicator, std::uint64_t mixes, AtEach&& at_each) {
  std::mt19937_64 common(static_cast<std::uint64_t>(communicator.size()));
  std::vector<Occasion> occasions;
  for (int i = 0; i < 6; ++i) occasions.emplace_back(communicator, common);
  [[maybe_unused]] const auto kept = at_each(communicator);
  for (std::uint64_t mix = 0; mix < mixes; ++mix) {
    std::mt19937_64 own(seed_of(mix, communicator.rank()));
    EXPECT_EQ(run_in_flight(communicator, occasions, 8, common, own), "") << communicator.size() << " ranks, mix " << mix;
    if (mix % 4 == 3) occasions[common() % occasions.size()] = Occasion(communicator, common);
  }
}

TEST(InFlight, SeveralGiveTheRightResults) {
  for (Count p = 2; p <= 8; ++p)
    run_threads(p, [&](Communicator& threads) {
      run_mixes(dynamic_cast<SharedCommunicator&>(threads), static_cast<std::uint64_t>(extent(5, 40, 400)),
                [](auto&) { return 0; });
    });
}

// Covers senders' memory that receivers load from, that they read by process_vm_readv, and that they cannot read; and ranks that
// spin and ranks that sleep.
TEST(InFlight, SeveralUseEachPathOfTheEngine) {
  for (const bool reads : {true, false})
    for (const bool core : {true, false})
      run_apart(3, {.reads_private_memory = reads, .core_for_every_rank = core, .costs = costs_of_copying_once(core ? 0 : 1)},
                [&](SharedCommunicator& communicator) {
                  run_mixes(communicator, static_cast<std::uint64_t>(extent(3, 20, 200)), [](auto&) { return 0; });
                });
}

// A second thread of each rank also advances all executions in flight.
TEST(InFlight, AProgressThreadMayAdvanceThem) {
  for (const Count p : {2, 3})
    run_threads(p, [&](Communicator& threads) {
      run_mixes(dynamic_cast<SharedCommunicator&>(threads), static_cast<std::uint64_t>(extent(5, 30, 300)),
                [](SharedCommunicator& communicator) {
                  return std::make_unique<std::jthread>([list = communicator.space()->starts().in_flight()](std::stop_token stop) {
                    for (; !stop.stop_requested(); std::this_thread::yield()) list->advance();
                  });
                });
    });
}

TEST(InFlight, TwoThreadsMayAdvanceOne) {
  run_threads(3, [](Communicator& threads) {
    std::mt19937_64 random(5);
    for (int turn = 0; turn < extent(10, 60, 600); ++turn) {
      Occasion occasion(threads, random);
      occasion.begin(random);
      {
        const auto advance = [&] {
          const auto starts = threads.transport().starts(Executor::shared);
          while (!occasion.request().is_over()) starts->in_flight()->advance();
        };
        const std::jthread one(advance), other(advance);
      }
      EXPECT_EQ(occasion.end(), "");
    }
  });
}

// If a plan has one window, `begin` posts all messages, so no other rank has to wait for further calls of this rank. If it has two,
// other ranks may have to wait for its next call.
TEST(InFlight, OnlyOneWindowCompletesWithoutFurtherCalls) {
  for (const bool one_window : {true, false}) {
    std::atomic<bool> begun = false;
    std::atomic<int> through = 0;  // other ranks that have completed without rank 0, or have given up testing
    run_threads(4, [&](Communicator& threads) {
      const Rank me = threads.rank();
      const Problem problem = Problem::alltoall(4, 8);
      Plan made = plan(threads, problem, {.algorithm = one_window ? "direct" : "bruck:radix=2", .policy = Policy::nonblocking});
      ByteVector input(32), output(32);
      const auto data = probe_data(problem, me);
      data->fill_input(0, input.data());
      while (me != 0 && !begun) std::this_thread::yield();  // so that no message has arrived when rank 0 begins
      Request request = made.start(input.data(), output.data());
      if (me == 0) {
        begun = true;
        while (through < (one_window ? 3 : 1)) std::this_thread::yield();
      } else if (one_window) {
        while (!request.test()) std::this_thread::yield();
        ++through;
      } else if (me == 2) {  // rank 0 sends to rank 2 in its second window
        for (int look = 0; look < 1000; ++look) EXPECT_FALSE(request.test());
        ++through;
      }
      request.wait();
      EXPECT_EQ(data->compare_output(0, output.data()), "");
    });
  }
}

// In half of the cases a progress thread advances them, too. Executions may then be complete before any wait.
TEST(InFlight, SixtyFourAreCompletedInAnyOrder) {
  for (Count p = 2; p <= 5; ++p)
    run_threads(p, [](Communicator& threads) {
      std::jthread progress;
      if (threads.size() % 2 == 0)
        progress = std::jthread([list = threads.transport().starts(Executor::shared)->in_flight()->list()](std::stop_token stop) {
          for (; !stop.stop_requested(); std::this_thread::yield()) list->advance_in_background();
        });
      std::mt19937_64 common(static_cast<std::uint64_t>(threads.size())), own(static_cast<std::uint64_t>(100 + threads.rank()));
      for (int turn = 0; turn < extent(3, 20, 200); ++turn)
        EXPECT_EQ(first_fault_of_many(threads, 64, common, own, false), "") << threads.size() << " ranks, turn " << turn;
    });
}

// If a rank fails, the others' executions throw its reason, in whichever call they make, and no rank reads their memory any more.
TEST(InFlight, AFailureEndsThemAll) {
  for (const bool looks : {true, false})
    for (const bool core : {true, false}) {
      const Apart way{.core_for_every_rank = core, .costs = costs_of_copying_once(0)};
      std::vector<std::string> said(3);
      const auto body = [&](SharedCommunicator& communicator) {
        const auto me = static_cast<std::size_t>(communicator.rank());
        Plan first = plan(communicator, Problem::alltoall(3, 50'000)),
             second = plan(communicator, Problem::alltoall(3, 8), {.algorithm = "bruck"});
        ByteVector input(150'000), output(150'000), small(24), small_output(24);
        if (me == 2) communicator.space()->fail(Error(ErrorCode::misuse, "rank 2 has had enough"));
        Request one = first.start(input.data(), output.data()), other = second.start(small.data(), small_output.data());
        for (Request* each : {&one, &other})
          said[me] += sentence_of([&] {
                        if (looks)
                          while (!each->test()) std::this_thread::yield();
                        each->wait();
                      }) +
                      ";";
        std::fill(input.begin(), input.end(), std::byte{2});
        first.execute(input.data(), output.data());
      };
      EXPECT_THROW(run_apart(3, way, body), Error);
      EXPECT_EQ(said[0], "rank 2 has had enough;rank 2 has had enough;");
      EXPECT_EQ(said[1], said[0]);
    }
}

// test() alone detects that a rank has ended or left; no wait is needed.
TEST(InFlight, TestDetectsThatARankHasEndedOrLeft) {
  for (const bool leaves : {true, false}) {
    std::atomic<bool> gone = false, found = false;
    Apart way;
    way.is_there = [&](Rank rank) { return rank != 1 || !gone; };
    const auto body = [&](SharedCommunicator& communicator) {
      Plan made = plan(communicator, Problem::alltoall(2, 8));
      ByteVector input(16), output(16);
      if (communicator.rank() == 1) {
        gone = !leaves;
        while (!leaves && !found) std::this_thread::yield();
        return;
      }
      Request request = made.start(input.data(), output.data());
      while (!request.is_over()) communicator.space()->starts().in_flight()->advance();
      found = true;
      request.wait();
    };
    EXPECT_THAT(sentence_of([&] { run_apart(2, way, body); }), HasSubstr(leaves ? "failed" : "rank 1 of the group is gone"));
  }
}

}  // namespace
}  // namespace quadrille::testing
