// SPDX-License-Identifier: BSD-3-Clause
// What the engine of shared memory does when a rank fails, leaves, dies or withdraws its execution.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "execute/script/run.hpp"
#include "execute/transport.hpp"
#include "quadrille/interpreter.hpp"
#include "quadrille/program_builder.hpp"
#include "support/apart.hpp"
#include "support/cases.hpp"
#include "support/simulated_time.hpp"

namespace quadrille::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::HasSubstr;

// By rank: the text of its exception, or "" if it threw none.
using Sentences = std::array<std::string, 3>;

Sentences sentences(const Apart& way, const std::function<void(SharedCommunicator&)>& body) {
  Sentences said;
  try {
    run_apart(3, way, [&](SharedCommunicator& communicator) {
      try {
        body(communicator);
      } catch (const std::exception& error) {
        said[static_cast<std::size_t>(communicator.rank())] = error.what();
        throw;
      }
    });
  } catch (const std::exception&) {}
  return said;
}

void wait_for(const std::atomic<bool>& event) {
  while (!event) std::this_thread::yield();
}

// Rank 0 sends a long message to rank 1, while rank 2 does something that the others do not expect.
struct OneLongMessage {
  static constexpr Bytes length = 100'000;
  SharedCommunicator& communicator;
  ByteVector input{static_cast<std::size_t>(length), std::byte{1}}, output{static_cast<std::size_t>(length)};
  std::unique_ptr<Executable> executable;

  explicit OneLongMessage(SharedCommunicator& of) : communicator(of) {
    ProgramBuilder program{communicator.rank()};
    program.begin_round();
    if (communicator.rank() == 0) program.send(1, {{Buffer::input, 0, length}});
    if (communicator.rank() == 1) program.receive(0, {{Buffer::output, 0, length}});
    executable = communicator.transport().prepare(std::make_shared<const Script>(make_script(std::move(program).finish(), 3, {})));
  }

  // When this has thrown, no other rank may still read the sender's memory. So it is overwritten, and the sanitizer reports a race
  // if one does.
  void execute() {
    try {
      executable->execute({input.data(), output.data()});
    } catch (...) {
      std::fill(input.begin(), input.end(), std::byte{2});
      throw;
    }
  }

  [[noreturn]] void fail() const { communicator.space()->fail(Error(ErrorCode::misuse, "rank 2 has had enough")); }
};

const std::vector<std::pair<bool, bool>> both_waits{{true, true}, {false, false}};

TEST(EngineFailures, AFailedReaderReleasesItsSender) {
  for (const auto& [core, yields] : both_waits) {
    Apart way{.core_for_every_rank = core, .yields_hand_over = yields, .costs = costs_of_copying_once(0)};
    way.reads = [](Rank) { throw Error(ErrorCode::transport, "it cannot be read"); };
    const Sentences said = sentences(way, [](SharedCommunicator& communicator) { OneLongMessage(communicator).execute(); });
    EXPECT_EQ(said[1], "it cannot be read");
    EXPECT_THAT(said[0], HasSubstr("rank 1: it cannot be read"));
  }
}

TEST(EngineFailures, ASenderWaitsForACopyThatIsUnderWay) {
  const SimulatedTime time;
  for (const auto& [core, yields] : both_waits) {
    std::atomic<bool> reading = false;
    SharedSpace* readers_space = nullptr;
    Apart way{.core_for_every_rank = core, .yields_hand_over = yields, .costs = costs_of_copying_once(0)};
    way.reads = [&](Rank) {
      reading = true;
      while (!readers_space->has_failed()) std::this_thread::yield();
      std::this_thread::sleep_for(150ms);  // longer than the interval at which the sender checks that its reader still runs
    };
    const Sentences said = sentences(way, [&](SharedCommunicator& communicator) {
      if (communicator.rank() == 1) readers_space = communicator.space().get();
      OneLongMessage message(communicator);
      if (communicator.rank() < 2) message.execute();
      if (communicator.rank() == 1)
        EXPECT_EQ(std::count(message.output.begin(), message.output.end(), std::byte{1}), message.length);
      if (communicator.rank() < 2) return;
      wait_for(reading);
      message.fail();
    });
    EXPECT_EQ(said[0], "rank 2 has had enough");
    EXPECT_EQ(said[1], "") << "rank 1 has received its message";
    EXPECT_EQ(said[2], "rank 2 has had enough");
  }
}

TEST(EngineFailures, ASenderDoesNotWaitForADeadReader) {
  const SimulatedTime time;
  for (const auto& [core, yields] : both_waits) {
    std::atomic<bool> reading = false, over = false;
    Apart way{.core_for_every_rank = core, .yields_hand_over = yields, .costs = costs_of_copying_once(0)};
    way.reads = [&](Rank) {
      reading = true;
      wait_for(over);
      throw Error(ErrorCode::transport, "the dead read nothing");
    };
    way.is_there = [&](Rank rank) { return rank != 1 || !reading; };
    const Sentences said = sentences(way, [&](SharedCommunicator& communicator) {
      OneLongMessage message(communicator);
      if (communicator.rank() == 2) return;
      if (communicator.rank() == 1) return message.execute();
      try {
        message.executable->execute({message.input.data(), message.output.data()});
      } catch (...) {
        over = true;
        throw;
      }
    });
    EXPECT_EQ(said[0], "rank 1 of the group is gone");
  }
}

TEST(EngineFailures, AWithdrawnMessageIsNotRead) {
  for (const auto& [core, yields] : both_waits) {
    std::atomic<bool> withdrawn = false;
    const Apart way{.core_for_every_rank = core, .yields_hand_over = yields, .costs = costs_of_copying_once(0)};
    const Sentences said = sentences(way, [&](SharedCommunicator& communicator) {
      OneLongMessage message(communicator);
      if (communicator.rank() == 2) message.fail();
      if (communicator.rank() == 1) {
        wait_for(withdrawn);
        return message.execute();
      }
      try {
        message.execute();
      } catch (...) {
        withdrawn = true;
        throw;
      }
    });
    EXPECT_THAT(said, Each("rank 2 has had enough"));
  }
}

// If a rank that others wait for has left, all of them throw, spinning or sleeping, in an exchange and in a barrier.
TEST(EngineFailures, WaitingForARankThatHasLeftThrows) {
  const SimulatedTime time;
  for (const auto& [core, yields] : both_waits)
    for (const bool barrier : {true, false}) {
      const Apart way{.core_for_every_rank = core, .yields_hand_over = yields};
      const Sentences said = sentences(way, [&](SharedCommunicator& communicator) {
        ByteVector input(24), output(24);
        Plan exchange = plan(communicator, Problem::alltoall(3, 8));
        exchange.execute(input.data(), output.data());
        if (communicator.rank() == 1) return;
        if (barrier)
          communicator.barrier();
        else
          exchange.execute(input.data(), output.data());
      });
      EXPECT_NE(said[0], "");
      EXPECT_EQ(said[1], "");
      EXPECT_NE(said[2], "");
    }
}

// The ranks of a node wait for each other's steps without a time limit, but not if one of them has failed.
TEST(EngineFailures, AFailureEndsWaitsForNodeSteps) {
  const SimulatedTime time;
  Problem problem = Problem::alltoall(3, 64);
  problem.nodes = {0, 0, 1};
  for (const bool fails : {false, true}) {
    const Sentences said = sentences({}, [&](SharedCommunicator& communicator) {
      ByteVector input(192), output(192);
      Plan exchange = plan(communicator, problem, {.algorithm = "clustered", .keep_step = true});
      exchange.execute(input.data(), output.data());
      if (communicator.rank() == 0) {
        std::this_thread::sleep_for(250ms);
        if (fails) communicator.space()->fail(Error(ErrorCode::misuse, "rank 0 has had enough"));
      }
      exchange.execute(input.data(), output.data());
    });
    EXPECT_THAT(said, Each(std::string(fails ? "rank 0 has had enough" : "")));
  }
}

// Each allocation of the first or of the last rank fails once: a plan is made on all ranks or on none.
TEST(EngineFailures, AFailedAllocationIsReportedOnAllRanks) {
  Problem in_nodes = Problem::alltoall(3, 2000);
  in_nodes.nodes = {0, 0, 1};
  const Problem irregular = problem_of(Collective::alltoallv, 3, 500);
  const std::vector<std::pair<Problem, PlanOptions>> plans{
      {Problem::alltoall(3, 2000), {.algorithm = "bruck"}},
      {in_nodes, {.algorithm = "clustered", .keep_step = true}},
      {irregular, {.algorithm = "two-phase:counts=headers"}},
  };
  for (const auto& entry : plans)
    for (const Rank poor : {0, 2}) {
      const Problem& problem = entry.first;
      const PlanOptions& options = entry.second;
      bool made = false;
      for (Count allocations = 0; !made; ++allocations) {
        ASSERT_LT(allocations, 30);
        std::array<bool, 3> good{};
        const Sentences said = sentences({.poor = poor, .allocations = allocations}, [&](SharedCommunicator& communicator) {
          const auto me = static_cast<std::size_t>(communicator.rank());
          Plan each = plan(communicator, problem, options);
          good[me] = true;
          ByteVector input(static_cast<std::size_t>(input_bytes(problem, communicator.rank())));
          ByteVector output(static_cast<std::size_t>(output_bytes(problem, communicator.rank())));
          each.execute(input.data(), output.data());
        });
        EXPECT_EQ(good[0], good[1]);
        EXPECT_EQ(good[0], good[2]);
        made = said == Sentences{};
        for (const std::string& sentence : said) EXPECT_EQ(sentence.empty(), made) << allocations;
        if (good[0]) continue;
        const std::string own = "there is not enough memory for this plan (std::bad_alloc)";
        for (Rank rank = 0; rank < 3; ++rank)
          EXPECT_EQ(said[index(rank)], rank == poor ? own : fmt::format("rank {}: {}", poor, own)) << allocations;
      }
    }
  const Sentences said = sentences({.poor = 1, .allocations = 0}, [](SharedCommunicator& communicator) {
    const Bytes more_than_rank_areas_take = 17 * RankArea::size;
    std::vector<char> mine(static_cast<std::size_t>(more_than_rank_areas_take)), all(3 * mine.size());
    communicator.all_gather(mine.data(), all.data(), more_than_rank_areas_take);
  });
  for (const std::string& sentence : said) EXPECT_NE(sentence, "");
  EXPECT_THAT(said[1], HasSubstr("not enough memory for what all ranks gather"));
}

}  // namespace
}  // namespace quadrille::testing
