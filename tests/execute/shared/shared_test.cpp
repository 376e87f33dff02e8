// SPDX-License-Identifier: BSD-3-Clause
// Tests ranks that share the files of their processes. Compares plans with the interpreter, with all messages copied twice and with
// all copied once, and tests how ranks notice that another is gone. Most ranks are threads, each with files of its own, which the
// others map a second time. The thread sanitizer cannot see accesses through two mappings; engine_paths_test.cpp is for that.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "execute/executions/waiting.hpp"
#include "groups/chooser.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/program_builder.hpp"
#include "support/agreement.hpp"
#include "support/apart.hpp"
#include "support/processes.hpp"
#include "support/rank_processes.hpp"
#include "support/simulated_time.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(SharedMemory, AgreesWithTheInterpreterHoweverMessagesAreCopied) {
  for (const Count p : extent<std::vector<Count>>({3}, {3}, {1, 3, 4}))
    for (const double once : {0.0, 1.0})
      run_threads(p, [&](Communicator& threads) {
        const auto shared = shared_by_processes(threads, costs_of_copying_once(once));
        const std::string wrong =
            first_disagreement(*shared, extent<std::vector<Bytes>>({1500}, {8, 1500}, {8, 1500}), /*most_number=*/1);
        if (threads.rank() == 0) EXPECT_EQ(wrong, "");
      });
}

// Receivers read directly from buffers in shared memory; the kind of buffer may differ from rank to rank.
TEST(SharedMemory, AcceptsPrivateAndSharedBuffers) {
  constexpr Bytes block = 5000;
  run_threads(4, [&](Communicator& threads) {
    const auto shared = shared_by_processes(threads, costs_of_copying_once(0));
    const Problem problem = Problem::alltoall(4, block);
    const auto data = probe_data(problem, threads.rank());
    const auto allocated = shared->allocate(4 * block);
    ByteVector own(4 * block), output(4 * block);
    Plan exchange = plan(*shared, problem);
    for (const bool mixed : {false, true})
      for (int pass = 0; pass < data->pass_count(); ++pass) {
        std::byte* input = mixed && threads.rank() % 2 == 0 ? own.data() : allocated.get();
        data->fill_input(pass, input);
        exchange.execute(input, output.data());
        EXPECT_EQ(data->compare_output(pass, output.data()), "");
      }
    shared->barrier();
  });
}

// Messages so long that non-temporal stores are tried in the first executions. All executions must be right.
TEST(SharedMemory, CopiesLongMessagesFromSharedBuffers) {
  constexpr Bytes block = (Bytes{1} << 20) + 40;
  run_threads(2, [&](Communicator& threads) {
    const Problem problem = Problem::alltoall(2, block);
    const auto data = probe_data(problem, threads.rank());
    const auto input = threads.allocate(2 * block), output = threads.allocate(2 * block);
    Plan exchange = plan(threads, problem);
    for (int run = 0; run < 14; ++run) {
      data->fill_input(run % data->pass_count(), input.get());
      data->spoil_output(run % data->pass_count(), output.get());
      exchange.execute(input.get(), output.get());
      EXPECT_EQ(data->compare_output(run % data->pass_count(), output.get()), "");
    }
  });
}

// A root that receives nothing may run ahead of the others, but must not overwrite what they have not read.
TEST(SharedMemory, LetsASenderRunAheadOfItsReaders) {
  for (const Bytes block : {8, 3000, 40000})
    run_threads(3, [&](Communicator& threads) {
      Problem problem;
      problem.collective = Collective::broadcast;
      problem.ranks = 3;
      problem.block_bytes = block;
      Plan broadcast = plan(threads, problem, {.algorithm = "linear"});
      std::vector<std::uint8_t> input(static_cast<std::size_t>(block)), output(input.size());
      for (int run = 0; run < 2000; ++run) {
        if (threads.rank() == 0) std::fill(input.begin(), input.end(), static_cast<std::uint8_t>(run));
        if (threads.rank() == 2 && run % 300 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        broadcast.execute(input.data(), output.data());
        ASSERT_EQ(output.front(), static_cast<std::uint8_t>(run));
        ASSERT_EQ(output.back(), static_cast<std::uint8_t>(run));
      }
    });
}

// A rank that waits for long leaves its core to others, with more ranks than cores and with fewer: it polls once in a sleep. A rank
// that only yielded would poll at least ten times as often.
TEST(SharedMemory, SleepsInALongWait) {
  const SimulatedTime time;
  static std::atomic<Count> polls;  // of all ranks
  for (const Count p : {Count{2}, usable_core_count() + 2})
    for (const Bytes block : {8, 100000})
      run_threads(p, [&](Communicator& threads) {
        Progress progress;  // each rank has its own list of executions in flight
        progress.poll = [] { return ++polls, false; };
        const auto shared = shared_by_processes(threads, CopyCosts{}, progress);
        Plan exchange = plan(*shared, Problem::alltoall(p, block));
        ByteVector input(static_cast<std::size_t>(p * block)), output(input.size());
        exchange.execute(input.data(), output.data());
        threads.barrier();
        if (threads.rank() == 0) polls = 0;
        threads.barrier();
        for (int run = 0; run < 3; ++run) {
          if (threads.rank() == run % p) std::this_thread::sleep_for(std::chrono::milliseconds(200));
          exchange.execute(input.data(), output.data());
        }
        threads.barrier();
        EXPECT_LT(polls, 10'000 * p) << p << " ranks, " << block << " B";
      });
}

// If a program by mistake waits for a rank that has left the group, it gets an error.
TEST(SharedMemory, NoticesThatARankHasLeft) {
  const SimulatedTime time;
  for (const bool barrier : {true, false})
    EXPECT_THROW(run_threads(3,
                             [&](Communicator& threads) {
                               std::byte input[24]{}, output[24];
                               Plan exchange = plan(threads, Problem::alltoall(3, 8));
                               exchange.execute(input, output);
                               if (threads.rank() == 1) return;
                               if (barrier)
                                 threads.barrier();
                               else
                                 exchange.execute(input, output);
                             }),
                 Error)
        << barrier;
}

TEST(SharedMemory, GathersMoreThanARankAreaHolds) {
  run_threads(5, [](Communicator& threads) {
    for (const std::size_t count : {1u, 448u, 449u, 16u * 448u, 16u * 448u + 1, 100000u}) {
      const std::vector<char> mine(count, static_cast<char>('a' + threads.rank()));
      std::vector<char> all(5 * count);
      threads.all_gather(mine.data(), all.data(), static_cast<Bytes>(count));
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<char>('a' + i / count));
    }
  });
}

// A rank gets an error if another is killed during an execution.
TEST(SharedMemory, NoticesThatAProcessIsGone) {
  for (const Bytes block : {8, 100000}) {
    const auto codes = codes_of_processes(2, [&](SharedCommunicator& communicator) {
      Plan exchange = plan(communicator, Problem::alltoall(2, block));
      ByteVector input(static_cast<std::size_t>(2 * block)), output(input.size());
      for (int run = 0;; ++run) {
        if (communicator.rank() == 1 && run == 1000) ::kill(::getpid(), SIGKILL);
        exchange.execute(input.data(), output.data());
      }
    });
    EXPECT_EQ(codes, (std::vector{0, -SIGKILL})) << block;
  }
}

// A receiver that reduces directly from the sender's shared memory is killed while it reads.
TEST(SharedMemory, NoticesThatAReaderIsKilledInTheMiddleOfACopy) {
  const auto codes = codes_of_processes(
      2,
      [&](SharedCommunicator& communicator) {
        constexpr Bytes block = 80'000;
        Operator deadly = *built_in_operator("sum", "f64");
        deadly.combine = [](auto...) { ::kill(::getpid(), SIGKILL); };
        const Rank me = communicator.rank();
        ProgramBuilder program{me};
        program.scratch(block);
        program.begin_round();
        if (me == 0) program.send(1, {{Buffer::input, 0, block}});
        if (me == 1) program.receive(0, {{Buffer::scratch, 0, block}});
        program.begin_round();
        if (me == 1) program.reduce({{Buffer::scratch, 0, block}}, {{Buffer::output, 0, block}}, OperandOrder::source_first);
        const auto executable = communicator.transport().prepare(std::make_shared<const Script>(make_script(
            std::move(program).finish(), 2, {.fuses = true, .operation = std::make_shared<const Operator>(std::move(deadly))})));
        const auto input = communicator.allocate(block), output = communicator.allocate(block);
        executable->execute({input.get(), output.get()});
      },
      costs_of_copying_once(0));
  EXPECT_EQ(codes, (std::vector{0, -SIGKILL}));
}

// A sender's memory cannot be read, because it has been unmapped: the reader reports this, and the sender does not wait for ever.
TEST(SharedMemory, NoticesThatAReaderCannotRead) {
  const auto codes = codes_of_processes(
      2,
      [&](SharedCommunicator& communicator) {
        constexpr Bytes block = 100'000;
        Plan exchange = plan(communicator, Problem::alltoall(2, block));
        const std::size_t bytes = 2 * block;
        void* input = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ByteVector output(bytes);
        exchange.execute(static_cast<std::byte*>(input), output.data());
        communicator.barrier();
        try {
          // Rank 1 unmaps its input except for its own block, which it reads itself.
          if (communicator.rank() == 1) ::munmap(input, 96 * 1024);
          exchange.execute(static_cast<std::byte*>(input), output.data());
        } catch (const Error& error) {
          const bool expected = std::string(error.what()).find("the memory of rank 1 cannot be read") != std::string::npos;
          std::_Exit(expected ? 7 : 8);  // both ranks must get the same error
        }
      },
      costs_of_copying_once(0));
  EXPECT_EQ(codes, (std::vector{7, 7}));
}

// Bytes received into scratch memory for a single reduction need not be stored; bytes that are read twice must be.
TEST(Script, FusesAReceiveWithTheOneReductionThatReadsIt) {
  const auto fused_count = [](bool read_again) {
    ProgramBuilder program{0};
    program.scratch(8);
    program.begin_round();
    program.copy({{Buffer::input, 0, 8}}, {{Buffer::output, 0, 8}});
    program.receive(1, {{Buffer::scratch, 0, 8}});
    program.begin_round();
    program.reduce({{Buffer::scratch, 0, 8}}, {{Buffer::output, 0, 8}}, OperandOrder::source_first);
    if (read_again) program.send(1, {{Buffer::scratch, 0, 8}});
    const Script script = make_script(
        std::move(program).finish(), 2,
        {.buffered_bytes = [](Rank) { return Bytes{100}; }, .fuses = true, .operation = built_in_operator("sum", "f64")});
    return std::count_if(script.messages.begin(), script.messages.end(),
                         [](const ScriptMessage& message) { return message.effect != Effect::overwrite; });
  };
  EXPECT_EQ(fused_count(false), 1);
  EXPECT_EQ(fused_count(true), 0);
}

}  // namespace
}  // namespace quadrille
