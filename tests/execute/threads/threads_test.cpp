// SPDX-License-Identifier: BSD-3-Clause
// Compares plans on threads with the interpreter, bit by bit, for every algorithm and policy, and tests what happens when a rank
// fails.
#include <gtest/gtest.h>

#include <atomic>

#include "execute/script/script.hpp"
#include "execute/transport.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/program_builder.hpp"
#include "support/agreement.hpp"
#include "support/cases.hpp"
#include "support/on_threads.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Threads, AgreeWithTheInterpreterForEveryAlgorithmAndPolicy) {
  for (const Count p : extent<std::vector<Count>>({2, 3, 5}, {1, 2, 3, 5}, {1, 2, 3, 4, 5, 8}))
    run_threads(p, [&](Communicator& communicator) {
      const std::string wrong = first_disagreement(communicator, extent<std::vector<Bytes>>({0, 7}, {0, 7}, {0, 1, 7, 64}),
                                                   /*most_number=*/extent(1, 1, 3));
      if (communicator.rank() == 0) EXPECT_EQ(wrong, "");
    });
}

TEST(Threads, AgreeForLargerBlocksAndMoreRanksThanCores) {
  run_threads(extent(4, 7, 13), [&](Communicator& communicator) {
    const std::string wrong =
        first_disagreement(communicator, {5000}, /*most_number=*/1, {}, /*most_settings_of_any=*/extent<std::size_t>(6, 2, 1000));
    if (communicator.rank() == 0) EXPECT_EQ(wrong, "");
  });
}

// A round overwrites what it reads: the executor must stage its messages with every policy.
TEST(Threads, SwapInPlace) {
  run_threads(2, [](Communicator& communicator) {
    const Rank me = communicator.rank(), other = 1 - me;
    for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
      ProgramBuilder program{me};
      program.begin_round();
      program.copy({{Buffer::input, 0, 8}}, {{Buffer::output, 0, 8}});
      for (int i = 0; i < 3; ++i) {  // an odd number of swaps
        if (i > 0) program.begin_round();
        program.send(other, {block(Buffer::output, other, 4)});
        program.receive(other, {block(Buffer::output, other, 4)});
      }
      const auto script =
          std::make_shared<const Script>(make_script(std::move(program).finish(), 2, {.policy = policy, .strided_messages = true}));
      EXPECT_GE(script->staging_bytes, 4);
      const auto executable = communicator.transport().prepare(script);
      const int input[2] = {static_cast<int>(10 * me), static_cast<int>(10 * me + 1)};
      int output[2] = {-1, -1};
      for (int run = 0; run < 100; ++run) {
        executable->execute({reinterpret_cast<const std::byte*>(input), reinterpret_cast<std::byte*>(output)});
        EXPECT_EQ(output[me], 10 * me + me);
        EXPECT_EQ(output[other], 10 * other + me);
      }
    }
  });
}

TEST(Threads, RefuseTooFewAndTooManyRanks) {
  for (const Count ranks : {-1, 0, 1025, 20000}) EXPECT_THROW(run_threads(ranks, [](Communicator&) { FAIL(); }), Error) << ranks;
}

TEST(Threads, AFailingRankReleasesTheOthers) {
  std::atomic<int> lost{0};
  try {
    run_threads(4, [&](Communicator& communicator) {
      Plan exchange = plan(communicator, Problem::alltoall(4, 8));
      if (communicator.rank() == 2) throw Error(ErrorCode::environment, "rank 2 is gone");
      std::vector<std::byte> input(32), output(32);
      try {
        exchange.execute(input.data(), output.data());
      } catch (const Error& error) {
        if (error.code() == ErrorCode::peer_lost) ++lost;
        throw;
      }
    });
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 2 is gone");
  }
  EXPECT_GE(lost, 1);
}

// The verifier has a rule against it; execution without verifying must refuse it as well.
TEST(Threads, RefuseTwoControlMessagesBetweenTheSameRanks) {
  const Problem problem{.collective = Collective::barrier, .ranks = 3};
  Schedule schedule{.problem = problem};
  schedule.program = [](Rank me) {
    ProgramBuilder program{me};
    program.begin_round();
    for (const Bytes bytes : {8, 16}) {
      if (me == 0) program.control_send(1, bytes);
      if (me == 1) program.control_receive(0, 24 - bytes);
    }
    return std::move(program).finish();
  };
  try {
    run_on_threads(schedule, std::vector<ByteVector>(3), {});
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::misuse);
    EXPECT_NE(std::string_view(error.what()).find("two control messages"), std::string_view::npos) << error.what();
  }
}

TEST(Plans, FailOnAllRanksIfRequestsDiffer) {
  std::atomic<int> heard{0};
  run_threads(3, [&](Communicator& communicator) {
    try {
      plan(communicator, Problem::alltoall(3, communicator.rank() == 1 ? 16 : 8));
    } catch (const Error& error) {
      heard += error.code() == ErrorCode::misuse ? 1 : 0;
    }
  });
  EXPECT_EQ(heard, 3);
  heard = 0;
  run_threads(3, [&](Communicator& communicator) {
    try {
      plan(communicator, Problem::alltoall(3, 8), {.algorithm = communicator.rank() == 0 ? "nonsense" : "direct"});
    } catch (const Error&) {
      ++heard;
    }
  });
  EXPECT_EQ(heard, 3);
  heard = 0;
  run_threads(3, [&](Communicator& communicator) {
    Problem problem = Problem::alltoall(3, 8);
    problem.nodes = {0, 1, communicator.rank() == 2 ? 0 : 1};
    try {
      plan(communicator, problem, {.algorithm = "clustered"});
    } catch (const Error&) {
      ++heard;
    }
  });
  EXPECT_EQ(heard, 3);
}

// All threads are on one node, unless the problem says otherwise.
TEST(Plans, AreOnTheNodesOfTheGroup) {
  run_threads(4, [](Communicator& communicator) {
    EXPECT_EQ(communicator.nodes(), (std::vector<Count>{0, 0, 0, 0}));
    EXPECT_EQ(plan(communicator, Problem::alltoall(4, 8), {.algorithm = "combined"}).algorithm(), "combined:leaders=4");
    Problem problem = Problem::alltoall(4, 8);
    problem.nodes = {0, 0, 1, 2};
    EXPECT_EQ(plan(communicator, problem, {.algorithm = "combined"}).algorithm(), "combined:leaders=2");
  });
}

TEST(Plans, RefuseProblemsAndBuffersThatDoNotFit) {
  run_threads(3, [](Communicator& communicator) {
    EXPECT_THROW(plan(communicator, Problem::alltoall(4, 8)), Error);
    EXPECT_THROW(plan(communicator, Problem::alltoall(3, 8), {.algorithm = "xor"}), Error);
    EXPECT_THROW(plan(communicator, Problem::alltoall(3, 8), {.algorithm = "vendor"}), Error);
    EXPECT_THROW(plan(communicator, Problem::alltoall(3, 8), {.buffers = 3}), Error);
    Plan good = plan(communicator, Problem::alltoall(3, 8), {.algorithm = "bruck:radix=3"});
    EXPECT_EQ(good.algorithm(), "bruck:form=zero-rotation,level=positional,ports=1,radix=3");
    std::vector<std::byte> both(48);
    EXPECT_THROW(good.execute(both.data(), both.data() + 8), Error);
  });
}

}  // namespace
}  // namespace quadrille
