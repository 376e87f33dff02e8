// SPDX-License-Identifier: BSD-3-Clause
// Tests every path of the shared-memory executor with threads, so that the thread sanitizer checks it: how messages are copied, how
// ranks wait, and what the other ranks do when one fails, or runs out of memory, at any point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "execute/script/run.hpp"
#include "execute/transport.hpp"
#include "quadrille/program_builder.hpp"
#include "support/apart.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;

enum class Memory { own, shared, mixed };  // mixed: every second rank has its buffers in shared memory

// Returns each way to copy combined with each way to wait.
std::vector<Apart> all_ways() {
  std::vector<Apart> ways;
  for (const bool reads : {true, false})
    for (const double once : {0.0, 1.0})
      for (const auto& [core, yields] : {std::pair(true, true), std::pair(false, true), std::pair(false, false)})
        ways.push_back({.reads_private_memory = reads,
                        .core_for_every_rank = core,
                        .yields_hand_over = yields,
                        .costs = costs_of_copying_once(once)});
  return ways;
}

// Executes a plan a few times with changing data, and checks the results.
void exercise(SharedCommunicator& communicator, const Problem& problem, const PlanOptions& options, Memory memory) {
  const Rank me = communicator.rank();
  const auto data = probe_data(problem, me);
  const Bytes input_length = input_bytes(problem, me), output_length = output_bytes(problem, me);
  const auto shared_input = communicator.allocate(input_length), shared_output = communicator.allocate(output_length);
  ByteVector own_input(static_cast<std::size_t>(input_length)), own_output(static_cast<std::size_t>(output_length));
  const bool shares = memory == Memory::shared || (memory == Memory::mixed && me % 2 == 0);
  std::byte *input = shares ? shared_input.get() : own_input.data(), *output = shares ? shared_output.get() : own_output.data();
  Plan made = plan(communicator, problem, options);
  for (int run = 0; run < 4; ++run) {
    const int pass = run % data->pass_count();
    data->fill_input(pass, input);
    data->spoil_output(pass, output);
    if (run == 2)
      made.execute_timed(input, output);
    else
      made.execute(input, output);
    EXPECT_EQ(data->compare_output(pass, output), "") << made.algorithm();
  }
}

// Each algorithm runs in some of the ways; policies and kinds of memory alternate.
TEST(EnginePaths, AllGiveTheSameResult) {
  std::size_t turn = 0, number = 0;
  for (const Apart& way : all_ways()) {
    ++number;
    for (const Algorithm* algorithm : all_algorithms()) {
      if (++number % (sanitized ? 8 : 2) != 0) continue;
      const Problem problem =
          with_elements_of(problem_of(algorithm->collective, 3, 700), is_reduction(algorithm->collective) ? 8 : 1);
      if (!applies(problem, standard_choice(*algorithm, problem))) continue;
      const Policy policy = std::array{Policy::blocking, Policy::nonblocking, Policy::dataflow}[turn % 3];
      const Memory memory = std::array{Memory::own, Memory::shared, Memory::mixed}[turn / 3 % 3];
      ++turn;
      run_apart(3, way, [&](SharedCommunicator& communicator) {
        exercise(communicator, problem,
                 {.algorithm = std::string(algorithm->id), .policy = policy, .operation = operation_for(problem)}, memory);
      });
    }
  }
}

// Long messages, in each of the ways. All ranks, or only some ranks, can load from their source.
TEST(EnginePaths, LongMessagesAreReadFromPrivateAndSharedMemory) {
  int turn = 0;
  for (const Apart& way : all_ways())
    for (const Memory memory : {Memory::own, Memory::shared, Memory::mixed}) {
      const Policy policy = ++turn % 2 == 0 ? Policy::blocking : Policy::dataflow;
      run_apart(3, way, [&](SharedCommunicator& communicator) {
        exercise(communicator, Problem::alltoall(3, 70'000), {.policy = policy}, memory);
        const Problem sum = with_elements_of(problem_of(Collective::allreduce, 3, 9'000), 8);
        exercise(communicator, sum, {.algorithm = "direct", .policy = policy, .operation = operation_for(sum)}, memory);
      });
    }
}

// No message of the window is long by itself, but together they save more than a wait. There are more of them than are prefetched.
TEST(EnginePaths, MessagesOfAWindowAreLongTogether) {
  Apart way{.costs = costs_of_copying_once(1e-12)};
  way.costs.wait = way.costs.in[2] + way.costs.out[2];  // a little more than a message of 16 KiB saves
  ASSERT_EQ(way.costs.eager_limit(), CopyCosts::sizes[2]);
  for (const Bytes block : {8, 16'000})
    run_apart(7, way, [&](SharedCommunicator& communicator) {
      exercise(communicator, Problem::alltoall(7, block), {.policy = Policy::nonblocking}, Memory::mixed);
    });
}

// Messages so long that the executor tries non-temporal stores, which takes the first ten executions.
TEST(EnginePaths, VeryLongMessagesTryStreamingStores) {
  const Apart way{.costs = costs_of_copying_once(0)};
  run_apart(2, way, [&](SharedCommunicator& communicator) {
    const Problem problem = Problem::alltoall(2, (Bytes{1} << 20) + 40);
    const auto data = probe_data(problem, communicator.rank());
    const auto input = communicator.allocate(2 * problem.block_bytes), output = communicator.allocate(2 * problem.block_bytes);
    Plan exchange = plan(communicator, problem);
    for (int run = 0; run < 12; ++run) {
      data->fill_input(run % data->pass_count(), input.get());
      data->spoil_output(run % data->pass_count(), output.get());
      exchange.execute(input.get(), output.get());
      EXPECT_EQ(data->compare_output(run % data->pass_count(), output.get()), "");
    }
  });
}

// A root that receives nothing runs ahead of its readers, and reuses only area blocks that they have read.
TEST(EnginePaths, ASenderRunsAheadOfItsReaders) {
  for (const bool core : {true, false})
    for (const Bytes block : {8, 3000, 40000}) {
      const Apart way{.core_for_every_rank = core, .costs = costs_of_copying_once(1)};
      run_apart(3, way, [&](SharedCommunicator& communicator) {
        Plan broadcast = plan(communicator, problem_of(Collective::broadcast, 3, block), {.algorithm = "linear"});
        ByteVector input(static_cast<std::size_t>(block)), output(input.size());
        for (int run = 0; run < 600; ++run) {
          if (communicator.rank() == 0) std::fill(input.begin(), input.end(), static_cast<std::byte>(run));
          if (communicator.rank() == 2 && run % 200 == 0) std::this_thread::sleep_for(1ms);
          broadcast.execute(input.data(), output.data());
          ASSERT_EQ(output.front(), static_cast<std::byte>(run));
          ASSERT_EQ(output.back(), static_cast<std::byte>(run));
        }
      });
    }
}

TEST(EnginePaths, ExecutionsMayBePolledInsteadOfWaitedFor) {
  for (const char* algorithm : {"direct", "bruck"})
    for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
      const Apart way{.costs = costs_of_copying_once(0)};
      run_apart(3, way, [&](SharedCommunicator& communicator) {
        const Problem problem = Problem::alltoall(3, 2000);
        const Rank me = communicator.rank();
        const auto data = probe_data(problem, me);
        SharedSpace& space = *communicator.space();
        const auto script = std::make_shared<const Script>(make_script(
            make_schedule(problem, algorithm).program(me), 3, {.policy = policy, .buffered_bytes = [&](Rank peer) {
                                                                 return communicator.transport().buffered_message_bytes(peer);
                                                               }}));
        SharedExecutable executable(space, communicator.costs(), script);
        ByteVector input(6000), output(6000);
        for (int run = 0; run < 5; ++run) {
          data->fill_input(run % data->pass_count(), input.data());
          executable.begin({input.data(), output.data()});
          space.poll_until([&] { return executable.advance(); }, SharedSpace::Driving::no);
          EXPECT_EQ(data->compare_output(run % data->pass_count(), output.data()), "");
        }
      });
    }
}

// If a message cuts elements, it cannot be combined directly from its source: its pieces are copied together first.
TEST(EnginePaths, MessagesThatCutElementsAreCopiedBeforeCombining) {
  constexpr Bytes length = 8000, cut = 4004, gap = 100;
  for (const double once : {0.0, 1.0})
    for (const bool reads : {true, false}) {
      const Apart way{.reads_private_memory = reads, .costs = costs_of_copying_once(once)};
      run_apart(2, way, [&](SharedCommunicator& communicator) {
        const Rank me = communicator.rank();
        ProgramBuilder program{me};
        program.scratch(length);
        program.begin_round();
        if (me == 0) program.send(1, {{Buffer::input, 0, cut}, {Buffer::input, cut + gap, length - cut}});
        if (me == 1) {
          program.copy({{Buffer::input, 0, length}}, {{Buffer::output, 0, length}});
          program.receive(0, {{Buffer::scratch, 0, length}});
        }
        program.begin_round();
        if (me == 1) program.reduce({{Buffer::scratch, 0, length}}, {{Buffer::output, 0, length}}, OperandOrder::source_first);
        const auto executable = communicator.transport().prepare(std::make_shared<const Script>(
            make_script(std::move(program).finish(), 2,
                        {.strided_messages = true,
                         .buffered_bytes = [&](Rank peer) { return communicator.transport().buffered_message_bytes(peer); },
                         .fuses = true,
                         .operation = built_in_operator("sum", "f64")})));
        const auto input = communicator.allocate(length + gap), output = communicator.allocate(length);
        for (Bytes i = 0; i < length; i += 8) {
          const double number = static_cast<double>(i * (me + 1));
          const auto* bytes = reinterpret_cast<const std::byte*>(&number);
          for (Bytes byte = i; byte < i + 8; ++byte) input.get()[byte + (me == 0 && byte >= cut ? gap : 0)] = bytes[byte - i];
        }
        executable->execute({input.get(), output.get()});
        for (Bytes i = 0; me == 1 && i < length; i += 8) {
          double number = 0;
          std::memcpy(&number, output.get() + i, 8);
          ASSERT_EQ(number, static_cast<double>(3 * i));
        }
        communicator.barrier();
      });
    }
}

TEST(EnginePaths, CostsAreTheSameAtAllRanks) {
  for (const Apart& way : all_ways()) {
    if (way.costs.once[0] == 0)
      continue;  // this test measures the costs itself, so skip ways that differ from another only in given costs
    std::array<CopyCosts, 3> costs;
    run_apart(3, way, [&](SharedCommunicator& communicator) {
      costs[static_cast<std::size_t>(communicator.rank())] = measure_costs(*communicator.space()).copies;
    });
    for (const CopyCosts& each : costs) {
      EXPECT_GT(each.wait, 0);
      EXPECT_EQ(each.once, costs[0].once);
      EXPECT_EQ(each.in, costs[0].in);
      EXPECT_NE(each.in, CopyCosts{}.in) << "not measured";
      EXPECT_NE(each.once, CopyCosts{}.once) << "not measured";
    }
  }
}

// Before a rank sleeps it names the rank that it waits for, and only that rank wakes it. Its last check before sleeping may change
// which rank that is.
TEST(Waiting, ARankDoesNotSleepForAPeerThatIsReady) {
  const Apart way{.core_for_every_rank = false, .yields_hand_over = false};
  run_apart(3, way, [&](SharedCommunicator& communicator) {
    if (communicator.rank() > 0) return;
    bool asked = false, heard_first = false, over = false;
    int looks_at_second = 0;
    communicator.space()->wait_until(
        [&] {
          if (heard_first) ++looks_at_second;  // this rank is not asleep
          if (asked) heard_first = true;       // in the last check, after the rank has announced that it sleeps for rank 1
          return over;
        },
        [&]() -> Rank {
          asked = true;
          if (!heard_first) return 1;
          over = looks_at_second == 0 ||
                 looks_at_second > 5;  // called again before the rank has slept; the limit makes the test end if not
          return 2;
        });
    EXPECT_EQ(looks_at_second, 1) << "before it slept, it asked again for whom it waits and checked once more";
  });
}

}  // namespace
}  // namespace quadrille::testing
