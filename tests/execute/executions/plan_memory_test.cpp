// SPDX-License-Identifier: BSD-3-Clause
// Tests plans that are evicted from memory and prepared again: the bound is respected, all ranks evict the same plans although each
// acts in its own order, and the data is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "execute/executions/plan_memory.hpp"
#include "quadrille/groups.hpp"
#include "support/apart.hpp"
#include "support/occasion.hpp"
#include "support/processes.hpp"

namespace quadrille::testing {
namespace {

using ::testing::HasSubstr;

// Sets the environment variable for the lifetime of this object.
class Bound {
 public:
  explicit Bound(const std::string& text) { ::setenv(PlanMemory::variable, text.c_str(), 1); }
  explicit Bound(Bytes bytes) : Bound(std::to_string(bytes)) {}
  ~Bound() { ::unsetenv(PlanMemory::variable); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
};

// A plan of an alltoall with its buffers.
class Exchange {
 public:
  Exchange(Communicator& communicator, Bytes block_bytes, const std::string& algorithm = "bruck:radix=2",
           Policy policy = Policy::blocking)
      : problem_(Problem::alltoall(communicator.size(), block_bytes)),
        data_(probe_data(problem_, communicator.rank())),
        input_(static_cast<std::size_t>(input_bytes(problem_, communicator.rank()))),
        output_(input_.size()),
        plan_(plan(communicator, problem_, {.algorithm = algorithm, .policy = policy})) {}

  Execution& execution() { return execution_of(plan_); }
  bool is_evicted() { return execution().is_evicted(); }
  Bytes memory_bytes() { return execution().memory_bytes(); }

  // Executes the plan. Returns what is wrong, or "".
  std::string run() {
    fill();
    plan_.execute(input_.data(), output_.data());
    return data_->compare_output(0, output_.data());
  }
  void begin() {
    fill();
    request_ = plan_.start(input_.data(), output_.data());
  }
  std::string end() {
    request_.wait();
    return data_->compare_output(0, output_.data());
  }

 private:
  void fill() {
    data_->fill_input(0, input_.data());
    data_->spoil_output(0, output_.data());
  }

  Problem problem_;
  std::unique_ptr<ProbeData> data_;
  ByteVector input_, output_;
  Plan plan_;
  Request request_;
};

std::string evicted_of(std::vector<Exchange*> exchanges) {
  std::string letters;
  for (Exchange* each : exchanges) letters += each->is_evicted() ? 'e' : 'r';
  return letters;
}

// Returns the text of this rank, if all ranks have the same text.
std::string same_at_all(Communicator& communicator, const std::string& text) {
  std::string all(text.size() * static_cast<std::size_t>(communicator.size()), ' ');
  communicator.all_gather(text.data(), all.data(), static_cast<Bytes>(text.size()));
  for (std::size_t first = 0; first < all.size(); first += text.size())
    if (all.substr(first, text.size()) != text) return "ranks differ: " + all;
  return text;
}

// Plans are made, executed and destroyed in the same order on all ranks, but each rank destroys some of them later.
TEST(PlanMemory, KeepsToTheBoundInRandomPrograms) {
  constexpr Bytes bound = 20'000;
  const Bound set(bound);
  for (Count p = 1; p <= 4; ++p)
    run_threads(p, [&](Communicator& communicator) {
      std::mt19937_64 common(static_cast<std::uint64_t>(p)), own(static_cast<std::uint64_t>(100 * p + communicator.rank()));
      std::vector<std::unique_ptr<Exchange>> exchanges, doomed;
      int evictions = 0, returns = 0;
      std::string before;
      for (int step = 0; step < extent(80, 400, 4000); ++step) {
        const auto deed = common() % 10;
        const std::size_t which = exchanges.empty() ? 0 : common() % exchanges.size();
        if (exchanges.empty() || (deed < 2 && exchanges.size() < 20)) {
          const Bytes sizes[] = {8, 1000, 6000, 30'000};
          const char* algorithms[] = {"direct", "bruck:radix=2", "shift"};
          const Policy policies[] = {Policy::blocking, Policy::nonblocking, Policy::dataflow};
          const Bytes size = sizes[common() % 4];
          const char* algorithm = algorithms[common() % 3];
          exchanges.push_back(std::make_unique<Exchange>(communicator, size, algorithm, policies[common() % 3]));
        } else if (deed == 2) {
          std::swap(exchanges[which], exchanges.back());
          doomed.push_back(std::move(exchanges.back()));
          exchanges.pop_back();
        } else {
          if (exchanges[which]->is_evicted()) ++returns;
          ASSERT_EQ(exchanges[which]->run(), "");
        }
        if (own() % 3 == 0) doomed.clear();
        Bytes sum = 0, largest = 0;
        std::string evicted;
        for (const auto& each : exchanges) {
          sum += each->memory_bytes();
          largest = std::max(largest, each->memory_bytes());
          evicted += each->is_evicted() ? 'e' : 'r';
        }
        ASSERT_LE(sum, bound + largest);
        ASSERT_EQ(same_at_all(communicator, evicted), evicted) << p << " ranks, step " << step;
        if (std::count(evicted.begin(), evicted.end(), 'e') > std::count(before.begin(), before.end(), 'e')) ++evictions;
        before = evicted;
      }
      if (p == 1) return;  // a plan of one rank needs no memory
      EXPECT_GT(evictions, 2);
      EXPECT_GT(returns, 2);
    });
}

// Covers all collectives and policies, requests that each rank completes in its own order, and plans that are made meanwhile.
TEST(PlanMemory, NeverEvictsPlansInFlight) {
  const Bound set(20'000);
  for (Count p = 2; p <= 4; ++p)
    run_threads(p, [&](Communicator& communicator) {
      std::mt19937_64 common(static_cast<std::uint64_t>(p));
      std::vector<Occasion> occasions;
      int evicted_in_all = 0;
      for (int mix = 0; mix < extent(10, 60, 600); ++mix) {
        if (occasions.size() < 8)
          occasions.emplace_back(communicator, common);
        else
          occasions[common() % occasions.size()] = Occasion(communicator, common);
        std::mt19937_64 own(static_cast<std::uint64_t>(1000 * mix + communicator.rank()));
        ASSERT_EQ(run_in_flight(communicator, occasions, 8, common, own), "") << p << " ranks, mix " << mix;
        std::string evicted;
        for (Occasion& each : occasions) evicted += each.execution().is_evicted() ? 'e' : 'r';
        ASSERT_EQ(same_at_all(communicator, evicted), evicted) << p << " ranks, mix " << mix;
        evicted_in_all += static_cast<int>(std::count(evicted.begin(), evicted.end(), 'e'));
      }
      EXPECT_GT(evicted_in_all, 10);
    });
}

// An execution is complete on one rank but not on the other, which began it before any message had arrived and has not tested
// since.
TEST(PlanMemory, EvictsNothingUsedSinceAnExecutionThatIsInFlightAnywhere) {
  const Bound set(1);
  std::atomic<bool> begun = false;
  run_threads(2, [&](Communicator& communicator) {
    Exchange before(communicator, 8), during(communicator, 8);
    while (communicator.rank() == 0 && !begun) std::this_thread::yield();
    during.begin();
    if (communicator.rank() == 0) EXPECT_EQ(during.end(), "");
    EXPECT_EQ(during.execution().first_open_call() == MemoryReport::none, communicator.rank() == 0);
    begun = true;
    Exchange next(communicator, 8);
    EXPECT_EQ(evicted_of({&before, &during, &next}), "err");
    if (communicator.rank() == 1) EXPECT_EQ(during.end(), "");
    Exchange last(communicator, 8);
    EXPECT_EQ(evicted_of({&before, &during, &next, &last}), "eeer");
  });
}

TEST(PlanMemory, DoesNotCountDestroyedPlans) {
  Bytes one = 0;
  run_threads(2, [&](Communicator& communicator) {
    const Bytes bytes = Exchange(communicator, 1000).memory_bytes();
    if (communicator.rank() == 0) one = bytes;
  });
  const Bound set(3 * one);
  run_threads(2, [](Communicator& communicator) {
    Exchange kept(communicator, 1000);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(Exchange(communicator, 1000).run(), "");
    EXPECT_FALSE(kept.is_evicted());
    std::vector<std::unique_ptr<Exchange>> others;
    for (int i = 0; i < 4; ++i) others.push_back(std::make_unique<Exchange>(communicator, 1000));
    EXPECT_TRUE(kept.is_evicted());
  });
}

TEST(PlanMemory, KeepsAPlanLargerThanTheBound) {
  const Bound set(1);
  run_threads(2, [](Communicator& communicator) {
    Exchange one(communicator, 1000);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(one.run(), "");
      EXPECT_FALSE(one.is_evicted());
    }
    Exchange other(communicator, 1000), timed(communicator, 1000);
    timed.execution().stay();
    EXPECT_EQ(one.run(), "");
    EXPECT_EQ(other.run(), "");
    EXPECT_EQ(evicted_of({&one, &other, &timed}), "err");
  });
}

// Each allocation that preparing the plan again needs fails once, on one rank.
TEST(PlanMemory, AFailureWhileAPlanIsMadeReadyAgainIsThrownOnAllRanks) {
  const Bound set(1);
  run_apart(3, {.poor = 1, .allocations = 1000}, [](SharedCommunicator& communicator) {
    auto& space = dynamic_cast<ApartSpace&>(*communicator.space());
    Exchange one(communicator, 1000);
    int failures = 0;
    for (bool failed = true; failed; ++failures) {
      Exchange other(communicator, 8);
      ASSERT_TRUE(one.is_evicted());
      failed = false;
      space.grant(failures);
      try {
        EXPECT_EQ(one.run(), "");
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("not enough memory"));
        EXPECT_TRUE(one.is_evicted());
        failed = true;
      }
      space.grant(1000);
      ASSERT_EQ(same_at_all(communicator, failed ? "failed" : "passed"), failed ? "failed" : "passed");
      EXPECT_EQ(one.run(), "");
    }
    EXPECT_GE(failures, 2);
  });
}

TEST(PlanMemory, IsReleasedByEviction) {
  run_apart(2, {}, [](SharedCommunicator& communicator) {
    constexpr Bytes bound = 200'000;
    const auto& space = dynamic_cast<ApartSpace&>(*communicator.space());
    communicator.barrier();
    if (communicator.rank() == 0) ::setenv(PlanMemory::variable, std::to_string(bound).c_str(), 1);
    communicator.barrier();
    const Bytes before = space.taken_bytes();
    std::vector<std::unique_ptr<Exchange>> exchanges;
    Bytes largest = 0, without_bound = 0;
    for (int i = 0; i < 50; ++i) {
      exchanges.push_back(std::make_unique<Exchange>(communicator, 10'000));
      largest = std::max(largest, exchanges.back()->memory_bytes());
      without_bound += exchanges.back()->memory_bytes();
      for (auto& each : exchanges)
        if (i % 10 == 9) EXPECT_EQ(each->run(), "");
      // The first rank's memory holds the areas of both ranks. It releases the areas of the last evicted plan at its next
      // allocation.
      EXPECT_LE(space.taken_bytes() - before, 2 * (bound + 2 * largest));
    }
    EXPECT_GT(without_bound, 4 * (bound + 2 * largest));
    communicator.barrier();
    if (communicator.rank() == 0) ::unsetenv(PlanMemory::variable);
  });
}

TEST(PlanMemory, APlanIsMadeReadyAgainAfterItsCommunicatorIsDestroyed) {
  const Bound set(1);
  run_threads(2, [](Communicator& threads) {
    std::unique_ptr<Communicator> ranks = shared_by_processes(threads);
    Exchange one(*ranks, 1000), other(*ranks, 1000);
    ranks.reset();
    EXPECT_TRUE(one.is_evicted());
    EXPECT_EQ(one.run(), "");
    EXPECT_EQ(evicted_of({&one, &other}), "re");
    EXPECT_EQ(other.run(), "");
  });
}

// Uses several communicators of the same ranks. On one rank `elsewhere` bytes already count as taken, so it has the least memory
// left.
TEST(PlanMemory, KeepsToTheBoundOfARankOverAllItsCommunicators) {
  constexpr Bytes bound = 64'000, elsewhere = 20'000;
  constexpr std::size_t communicators = 5, most_exchanges = 60;
  const Bound set(bound);
  PlanAccount accounts[] = {0, elsewhere};
  run_threads(2, [&](Communicator& threads) {
    PlanAccount& account = accounts[threads.rank()];
    const Bytes before = account;
    std::vector<std::unique_ptr<Communicator>> groups;
    for (std::size_t i = 0; i < communicators; ++i) {
      groups.push_back(shared_by_processes(threads));
      dynamic_cast<SharedCommunicator&>(*groups.back())
          .space()
          ->set_progress({.in_flight = std::make_shared<InFlight>(std::make_shared<FlightList>(), account)});
    }
    std::mt19937_64 common(1);
    std::vector<std::unique_ptr<Exchange>> exchanges;
    Bytes largest = 0, largest_sum = 0;
    for (int step = 0; step < extent(200, 1000, 10'000); ++step) {
      const auto deed = common() % 10;
      const std::size_t which = exchanges.empty() ? 0 : common() % exchanges.size();
      if (exchanges.empty() || (deed < 3 && exchanges.size() < most_exchanges)) {
        const Bytes sizes[] = {8, 300, 1000};
        exchanges.push_back(std::make_unique<Exchange>(*groups[common() % communicators], sizes[common() % 3]));
      } else if (deed == 3) {
        exchanges.erase(exchanges.begin() + static_cast<std::ptrdiff_t>(which));
      } else {
        ASSERT_EQ(exchanges[which]->run(), "");
      }
      Bytes sum = 0;
      std::string evicted;
      for (const auto& each : exchanges) {
        sum += each->memory_bytes();
        largest = std::max(largest, each->memory_bytes());
        evicted += each->is_evicted() ? 'e' : 'r';
      }
      largest_sum = std::max(largest_sum, sum);
      ASSERT_EQ(account, before + sum);
      ASSERT_LE(sum, bound - elsewhere + static_cast<Bytes>(communicators) * (largest + bound / PlanMemory::communicators_share));
      ASSERT_EQ(same_at_all(threads, evicted), evicted) << "step " << step;
    }
    EXPECT_GT(largest_sum, bound - elsewhere);
    exchanges.clear();
    EXPECT_EQ(account, before);
  });
}

// However much other communicators take, each keeps a small share, so that it need not prepare its small plans again and again.
TEST(PlanMemory, LeavesACommunicatorAShareOfTheBound) {
  const Bound set(64'000);
  PlanAccount account{1'000'000};
  EXPECT_EQ(PlanMemory(&account).report().bound, 1000);
  account = 10'000;
  EXPECT_EQ(PlanMemory(&account).report().bound, 54'000);
}

TEST(PlanMemory, ReadsTheBoundFromTheEnvironment) {
  EXPECT_EQ(PlanMemory().report().bound, Bytes{64} << 20);
  EXPECT_EQ((Bound("16MiB"), PlanMemory().report().bound), Bytes{16} << 20);
  MemoryReport least{.bound = 5};
  least.add({.bound = 3});
  least.add({.bound = 4});
  EXPECT_EQ(least.bound, 3);
  const Bound set("16 MiB");
  run_threads(2, [](Communicator& communicator) {
    for (int i = 0; i < 2; ++i) try {
        Exchange one(communicator, 8);
        FAIL() << "a plan was made";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::environment);
        EXPECT_STREQ(error.what(),
                     "QUADRILLE_PLAN_MEMORY: the size '16 MiB' has an unknown unit ' MiB'; units are B, KiB or K, MiB or M, GiB or "
                     "G, TiB or T, kB or KB, MB, GB and TB");
      }
  });
}

}  // namespace
}  // namespace quadrille::testing
