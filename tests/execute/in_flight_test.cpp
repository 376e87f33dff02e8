// SPDX-License-Identifier: BSD-3-Clause
// Several executions in flight at a time, in parts that each rank takes in an order of its own. Under MPI and `quadrille run` the
// same is done by tests/mpi/soak_mpi.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "quadrille/program_builder.hpp"
#include "support/apart.hpp"
#include "support/occasion.hpp"

namespace quadrille::testing {
namespace {

using ::testing::HasSubstr;

std::uint64_t seed_of(std::uint64_t mix, Rank rank) { return 1000 * mix + static_cast<std::uint64_t>(rank) + 1; }

// Mixes of plans that come and go, on `ranks` threads; `at_each` is called once a rank, and what it returns is kept until the end.
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

TEST(InFlight, SeveralGiveTheResultsOfOneAtATime) {
  for (Count p = 2; p <= 8; ++p)
    run_threads(p, [&](Communicator& threads) {
      run_mixes(dynamic_cast<SharedCommunicator&>(threads), extent(5, 40, 400), [](auto&) { return 0; });
    });
}

// Memory that is copied once by load, or read, or not readable at all; ranks that spin and ranks that sleep.
TEST(InFlight, SeveralGoByEachPathOfTheEngine) {
  for (const bool reads : {true, false})
    for (const bool core : {true, false})
      run_apart(3, {.reads_private_memory = reads, .core_for_every_rank = core, .costs = costs_of_copying_once(core ? 0 : 1)},
                [&](SharedCommunicator& communicator) { run_mixes(communicator, extent(3, 20, 200), [](auto&) { return 0; }); });
}

// Another thread of each rank advances all that is in flight, too.
TEST(InFlight, AProgressThreadMayAdvanceThem) {
  for (const Count p : {2, 3})
    run_threads(p, [&](Communicator& threads) {
      run_mixes(dynamic_cast<SharedCommunicator&>(threads), extent(5, 30, 300), [](SharedCommunicator& communicator) {
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
          while (!occasion.execution().advance()) std::this_thread::yield();
        };
        const std::jthread one(advance), other(advance);
      }
      EXPECT_EQ(occasion.end(), "");
    }
  });
}

// With one window all messages are posted by `begin`, so that nobody needs this rank any more. With two somebody may have to wait
// for its next call.
TEST(InFlight, OnlyOneWindowCompletesWithoutFurtherCalls) {
  for (const bool one_window : {true, false}) {
    std::atomic<bool> begun = false;
    std::atomic<int> through = 0;  // other ranks that need rank 0 no more, or have looked in vain
    run_threads(4, [&](Communicator& threads) {
      const Rank me = threads.rank();
      const Problem problem = Problem::alltoall(4, 8);
      Plan made = plan(threads, problem, {.algorithm = one_window ? "direct" : "bruck:radix=2", .policy = Policy::nonblocking});
      ByteVector input(32), output(32);
      const auto data = probe_data(problem, me);
      data->fill_input(0, input.data());
      while (me != 0 && !begun) std::this_thread::yield();  // so that rank 0 finds no message when it begins
      Execution& execution = execution_of(made);
      execution.begin(input.data(), output.data());
      if (me == 0) {
        begun = true;
        while (through < (one_window ? 3 : 1)) std::this_thread::yield();
      } else if (one_window) {
        while (!execution.advance()) std::this_thread::yield();
        ++through;
      } else if (me == 2) {  // to which rank 0 sends in the second window
        for (int look = 0; look < 1000; ++look) EXPECT_FALSE(execution.advance());
        ++through;
      }
      execution.end();
      EXPECT_EQ(data->compare_output(0, output.data()), "");
    });
  }
}

std::string sentence_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(InFlight, APlanHasOneAtATime) {
  run_threads(2, [](Communicator& threads) {
    Plan made = plan(threads, Problem::alltoall(2, 8));
    ByteVector input(16), output(16);
    Execution& execution = execution_of(made);
    execution.begin(input.data(), output.data());
    EXPECT_THAT(sentence_of([&] { execution.begin(input.data(), output.data()); }), HasSubstr("one at a time"));
    EXPECT_THAT(sentence_of([&] { made.execute(input.data(), output.data()); }), HasSubstr("one at a time"));
    execution.end();
    made.execute(input.data(), output.data());
  });
}

// A rank fails: the others' executions end with its reason, by whichever call, and nobody reads their memory any more.
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
        Execution &one = execution_of(first), &other = execution_of(second);
        one.begin(input.data(), output.data());
        other.begin(small.data(), small_output.data());
        if (looks)
          while (!one.advance() || !other.advance()) std::this_thread::yield();
        for (Execution* each : {&one, &other}) said[me] += sentence_of([&] { each->end(); }) + ";";
        std::fill(input.begin(), input.end(), std::byte{2});
        first.execute(input.data(), output.data());
      };
      EXPECT_THROW(run_apart(3, way, body), Error);
      EXPECT_EQ(said[0], "rank 2 has had enough;rank 2 has had enough;");
      EXPECT_EQ(said[1], said[0]);
    }
}

// A rank that is gone, or has left, is found by looks alone.
TEST(InFlight, LooksFindThatNobodyIsThere) {
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
      Execution& execution = execution_of(made);
      execution.begin(input.data(), output.data());
      while (!execution.advance()) std::this_thread::yield();
      found = true;
      execution.end();
    };
    EXPECT_THAT(sentence_of([&] { run_apart(2, way, body); }), HasSubstr(leaves ? "failed" : "rank 1 of the group is gone"));
  }
}

TEST(InFlight, APlanMayBeDestroyedWithOne) {
  run_threads(2, [](Communicator& threads) {
    ByteVector input(100'000), output(100'000);
    {
      Plan made = plan(threads, problem_of(Collective::broadcast, 2, 100'000), {.algorithm = "linear"});
      execution_of(made).begin(input.data(), output.data());
    }
    Plan after = plan(threads, Problem::alltoall(2, 8));
    after.execute(input.data(), output.data());
  });
}

}  // namespace
}  // namespace quadrille::testing
