// SPDX-License-Identifier: BSD-3-Clause
// Typed calls: they find their plans again, and errors in their arguments are reported.
#include "plan/calls/calls.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <concepts>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>

#include "groups/chooser.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/collectives.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "support/cases.hpp"
#include "support/counts_gathers.hpp"
#include "support/judge.hpp"
#include "support/sentence_of.hpp"
#include "support/told.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

double greater_of(double a, double b) { return a < b ? b : a; }

// A pointer costs as much as a reference: both are passed as an address. typed_calls_test.cpp passes one to each typed call.
static_assert(std::is_trivially_copyable_v<Group> && sizeof(Group) == sizeof(Communicator*));

// Tests in which ranks compare each call before it runs.
class ComparedCalls : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("QUADRILLE_CHECK", "1", 1); }
  void TearDown() override { ::unsetenv("QUADRILLE_CHECK"); }
};

TEST(Calls, RefuseSizesThatDoNotFitAndNameBothNumbers) {
  const std::vector<double> ten(10), eight(8);
  std::vector<double> output(12);
  EXPECT_EQ(told_to_all(4, [&](Communicator& ranks) { alltoall(ranks, ten, output); }),
            "alltoall's input has 10 elements and its output 12; they must be equal");
  EXPECT_EQ(told_to_all(4, [&](Communicator& ranks) { alltoall(ranks, in_place, std::vector<double>(10)); }),
            "alltoall's buffer has 10 elements, which is not a multiple of the 4 ranks; it must have one block for each rank");
  EXPECT_EQ(told_to_all(4, [&](Communicator& ranks) { allgather(ranks, ten, output); }),
            "allgather's input has 10 elements and its output 12; the output must have 4 times as many elements as the input");
  EXPECT_EQ(told_to_all(4, [&](Communicator& ranks) { reduce_scatter(ranks, eight, output, op::sum); }),
            "reduce_scatter's input has 8 elements and its output 12; the input must have 4 times as many elements as the output");
  EXPECT_EQ(told_to_all(2, [&](Communicator& ranks) { allreduce(ranks, ten, output, op::max); }),
            "allreduce's input has 10 elements and its output 12; they must be equal");
  EXPECT_EQ(told_to_all(4, [&](Communicator& ranks) { iallreduce(ranks, ten, output, op::max); }),
            "allreduce's input has 10 elements and its output 12; they must be equal");
}

TEST(Calls, RefuseInvalidRootsOperatorsAndElements) {
  std::vector<double> buffer(2);
  EXPECT_EQ(told_to_all(3, [&](Communicator& ranks) { broadcast(ranks, std::vector<int>(2), 3); }),
            "the root is 3, but there are 3 ranks; it must be 0 to 2");
  EXPECT_EQ(told_to_all(3, [&](Communicator& ranks) { gather(ranks, in_place, std::vector<int>(2), -1); }),
            "the root is -1, but there are 3 ranks; it must be 0 to 2");
  EXPECT_EQ(told_to_all(2, [&](Communicator& ranks) { allreduce(ranks, in_place, buffer, built_in_operator("sum", "f32")); }),
            "the call's elements have 8 bytes, but those of sum have 4");
  EXPECT_EQ(told_to_all(2, [&](Communicator& ranks) { allreduce(ranks, in_place, buffer, std::shared_ptr<const Operator>()); }),
            "the operator is a null pointer; give a reduction an operator");
  EXPECT_EQ(told_to_all(2, [&](Communicator& ranks) { plan_alltoall<double>(ranks, 2).execute(buffer, buffer); }),
            "the input has 2 elements, and the plan needs 4 there");
}

// A single rank is every root.
TEST(Calls, SayWhatToCallIfBuffersOverlap) {
  std::vector<int> a(4);
  const std::vector<int> counts{4};
  const auto said = [&](const auto& call) { return told_to_all(1, [&](Communicator& ranks) { call(ranks); }); };
  const auto overlap = [](std::string_view function) {
    return fmt::format("input and output overlap; give {} two separate buffers, or one, with in_place as the input", function);
  };
  EXPECT_EQ(said([&](auto& ranks) { alltoall(ranks, a, a); }), overlap("alltoall"));
  EXPECT_EQ(said([&](auto& ranks) { ialltoall(ranks, a, a); }), overlap("ialltoall"));
  EXPECT_EQ(said([&](auto& ranks) { allgather(ranks, a, a); }), overlap("allgather"));
  EXPECT_EQ(said([&](auto& ranks) { iallgather(ranks, a, a); }), overlap("iallgather"));
  EXPECT_EQ(said([&](auto& ranks) { scatter(ranks, a, a); }), overlap("scatter"));
  EXPECT_EQ(said([&](auto& ranks) { iscatter(ranks, a, a); }), overlap("iscatter"));
  EXPECT_EQ(said([&](auto& ranks) { gather(ranks, a, a); }), overlap("gather"));
  EXPECT_EQ(said([&](auto& ranks) { igather(ranks, a, a); }), overlap("igather"));
  EXPECT_EQ(said([&](auto& ranks) { reduce(ranks, a, a, op::sum); }), overlap("reduce"));
  EXPECT_EQ(said([&](auto& ranks) { ireduce(ranks, a, a, op::sum); }), overlap("ireduce"));
  EXPECT_EQ(said([&](auto& ranks) { allreduce(ranks, a, a, op::sum); }), overlap("allreduce"));
  EXPECT_EQ(said([&](auto& ranks) { iallreduce(ranks, a, a, op::sum); }), overlap("iallreduce"));
  EXPECT_EQ(said([&](auto& ranks) { reduce_scatter(ranks, a, a, op::sum); }), overlap("reduce_scatter"));
  EXPECT_EQ(said([&](auto& ranks) { ireduce_scatter(ranks, a, a, op::sum); }), overlap("ireduce_scatter"));
  EXPECT_EQ(said([&](auto& ranks) { scan(ranks, a, a, op::sum); }), overlap("scan"));
  EXPECT_EQ(said([&](auto& ranks) { iscan(ranks, a, a, op::sum); }), overlap("iscan"));
  EXPECT_EQ(said([&](auto& ranks) { alltoallv(ranks, a, counts, a, counts); }), overlap("alltoallv"));
  EXPECT_EQ(said([&](auto& ranks) { ialltoallv(ranks, a, counts, a, counts); }), overlap("ialltoallv"));
  EXPECT_EQ(said([&](auto& ranks) { allgatherv(ranks, a, a, counts); }), overlap("allgatherv"));
  EXPECT_EQ(said([&](auto& ranks) { iallgatherv(ranks, a, a, counts); }), overlap("iallgatherv"));
  EXPECT_EQ(said([&](auto& ranks) { gatherv(ranks, a, a, counts); }), overlap("gatherv"));
  EXPECT_EQ(said([&](auto& ranks) { igatherv(ranks, a, a, counts); }), overlap("igatherv"));
  EXPECT_EQ(said([&](auto& ranks) { scatterv(ranks, a, counts, a); }), overlap("scatterv"));
  EXPECT_EQ(said([&](auto& ranks) { iscatterv(ranks, a, counts, a); }), overlap("iscatterv"));
  EXPECT_EQ(said([&](auto& ranks) { reduce_scatterv(ranks, a, a, counts, op::sum); }), overlap("reduce_scatterv"));
  EXPECT_EQ(said([&](auto& ranks) { ireduce_scatterv(ranks, a, a, counts, op::sum); }), overlap("ireduce_scatterv"));
  // rank 0 of an exscan reads and writes nothing
  const std::vector<std::string> scanned = told(2, [](Communicator& ranks) {
    std::vector<int> own(2);
    exscan(ranks, own, own, op::sum);
  });
  EXPECT_EQ(scanned[1], overlap("exscan"));

  const auto by_plan = [](std::string_view function) {
    return fmt::format(
        "input and output overlap; give {0} two separate buffers, or make the plan with the option "
        "in_place and give {0}_in_place one",
        function);
  };
  EXPECT_EQ(said([&](auto& ranks) { plan_alltoall<int>(ranks, 4).execute(a, a); }), by_plan("execute"));
  EXPECT_EQ(said([&](auto& ranks) { plan_alltoall<int>(ranks, 4).start(a, a); }), by_plan("start"));
  for (const Problem& problem : {Problem::alltoall(1, 16), Problem::alltoallv(1, std::vector<Bytes>{16})}) {
    EXPECT_EQ(said([&](auto& ranks) { execute(ranks, problem, a.data(), a.data()); }), by_plan("execute"));
    EXPECT_EQ(said([&](auto& ranks) { start(ranks, problem, a.data(), a.data()); }), by_plan("start"));
  }
}

static_assert(std::convertible_to<std::unique_ptr<Communicator>&, Group> &&
              std::convertible_to<std::shared_ptr<Communicator>, Group>);
static_assert(std::convertible_to<SharedCommunicator&, Group> && std::convertible_to<SharedCommunicator*, Group>);
static_assert(!std::convertible_to<int*, Group> && !std::convertible_to<const Communicator&, Group>);

TEST(Calls, TakeAPointerToTheCommunicator) {
  run_threads(2, [](Communicator& ranks) {
    Communicator* const pointer = &ranks;
    const Problem problem = alltoallv_of_rows(pointer, {4, 4});
    const std::vector<int> input(2, static_cast<int>(ranks.rank())), expected{0, 1};
    std::vector<int> output(2);
    const auto is_right = [&] { return std::exchange(output, {-1, -1}) == expected; };
    plan(pointer, problem).execute(input.data(), output.data());
    EXPECT_TRUE(is_right());
    plan(pointer, make_schedule(problem, "direct")).execute(input.data(), output.data());
    EXPECT_TRUE(is_right());
    execute(pointer, problem, input.data(), output.data());
    EXPECT_TRUE(is_right());
    start(pointer, problem, input.data(), output.data()).wait();
    EXPECT_TRUE(is_right());
  });
}

TEST(Calls, RefuseANullPointerToTheCommunicator) {
  const std::unique_ptr<Communicator> none;
  const std::vector<int> input(2);
  std::vector<int> output(2);
  try {
    alltoall(none, input, output);
    FAIL() << "a call without a group";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::misuse);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the pointer to the communicator is null"));
  }
}

// Calls with different functions share a plan, but each call combines by its own function.
TEST(Calls, CombineByTheFunctionOfEachCall) {
  run_threads(3, [](Communicator& ranks) {
    const auto with = [](std::int64_t factor) {
      return commutative([factor](std::int64_t a, std::int64_t b) { return a + b + factor; });
    };
    for (const std::int64_t factor : {0, 10, 100})
      EXPECT_EQ(allreduce(ranks, static_cast<std::int64_t>(ranks.rank()), with(factor)), 3 + 2 * factor);
    std::vector<Request> requests;
    std::vector<std::array<std::int64_t, 1>> results(8);
    const std::array<std::int64_t, 1> mine{ranks.rank()};
    for (std::int64_t call = 0; call < 8; ++call) requests.push_back(iallreduce(ranks, mine, results[index(call)], with(call)));
    std::shuffle(requests.begin(), requests.end(), std::mt19937_64(static_cast<std::uint64_t>(ranks.rank())));
    wait_all(requests);
    for (std::int64_t call = 0; call < 8; ++call) EXPECT_EQ(results[index(call)][0], 3 + 2 * call);
    EXPECT_EQ(ranks.calls().size(), 1u);
    EXPECT_EQ(allreduce(ranks, ranks.rank(), ordered([](Rank, Rank b) { return b; }, "last")), 2) << "in rank order";
    EXPECT_EQ(ranks.calls().size(), 2u);
    const CallOptions options{.algorithm = "ring"};
    EXPECT_EQ(allreduce(ranks, ranks.rank(), commutative([](Rank a, Rank b) { return a + b; }), options), 3)
        << "options are no operation";
  });
}

TEST(Calls, FindThePlanByWhatIsEqualOnAllRanks) {
  run_threads(3, [](Communicator& ranks) {
    Calls& calls = ranks.calls();
    std::vector<double> nine(9), other(9);
    alltoall(ranks, nine, other);
    alltoall(ranks, other, nine);                                                 // other addresses
    alltoall(ranks, std::vector<std::int64_t>(9), std::vector<std::int64_t>(9));  // another type of the same size
    EXPECT_EQ(calls.size(), 1u);
    execute(ranks, Problem::alltoall(3, 24), nine.data(), other.data());
    EXPECT_EQ(calls.size(), 1u) << "the same on untyped memory";
    alltoall(ranks, in_place, nine);
    alltoall(ranks, nine, other, {.algorithm = "shift"});
    alltoall(ranks, nine, other, {.policy = Policy::dataflow});
    EXPECT_EQ(calls.size(), 4u);
    broadcast(ranks, nine, 0), broadcast(ranks, nine, 1);
    EXPECT_EQ(calls.size(), 6u);
    allreduce(ranks, nine, other, op::sum), allreduce(ranks, nine, other, built_in_operator("sum", "f64"));
    EXPECT_EQ(calls.size(), 7u);
    allreduce(ranks, nine, other, op::max);
    allreduce(ranks, nine, other, commutative([](double a, double b) { return a < b ? b : a; }));
    allreduce(ranks, nine, other, commutative([](double a, double b) { return a < b ? b : a; }, "greatest"));
    allreduce(ranks, nine, other, greater_of);
    EXPECT_EQ(calls.size(), 11u);
    const auto copy = std::make_shared<const Operator>(*built_in_operator("sum", "f64"));
    for (int call = 0; call < 2; ++call) allreduce(ranks, nine, other, std::make_shared<const Operator>(*copy));
    EXPECT_EQ(calls.size(), 12u);
    alltoallv(ranks, nine, std::vector<int>(3, 1), other, std::vector<int>(3, 1));
    EXPECT_EQ(calls.size(), 12u) << "each rank knows its own counts only";
    const std::vector<int> counts{1, 0, 2}, others{2, 0, 1};
    const auto gather = [&](const auto& each) {
      allgatherv(ranks, std::span(nine).first(index(each[index(ranks.rank())])), other, each);
    };
    gather(counts), gather(others), gather(counts), gather(others);
    EXPECT_EQ(calls.size(), 14u);
    execute(ranks, Problem::allgatherv(3, {8, 0, 16}), nine.data(), other.data(), nullptr, {.algorithm = "direct"});
    EXPECT_EQ(calls.size(), 14u) << "the same on untyped memory";
    for (const auto& places : {std::vector<int>{6, 5, 1}, std::vector<int>{0, 1, 2 + static_cast<int>(ranks.rank())}})
      allgatherv(ranks, std::span(nine).first(index(counts[index(ranks.rank())])), other, {counts, places});
    EXPECT_EQ(calls.size(), 14u) << "displacements are a rank's own";
    reduce_scatterv(ranks, in_place, nine, counts, op::sum), reduce_scatterv(ranks, in_place, nine, counts, op::max);
    EXPECT_EQ(calls.size(), 16u);
  });
}

TEST(Calls, TakeAFamilyOfSchedules) {
  const Family bruck("mine", [](const Problem& problem) -> Result<Schedule> { return make_schedule(problem, "bruck"); });
  const Family other("other", [](const Problem& problem) -> Result<Schedule> { return make_schedule(problem, "shift"); });
  run_threads(3, [&](Communicator& ranks) {
    Calls& calls = ranks.calls();
    std::vector<std::int64_t> input(6), output(6);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = 10 * ranks.rank() + static_cast<std::int64_t>(i);
    for (const Family& family : {bruck, other, Family(bruck)}) {
      output.assign(6, -1);
      alltoall(ranks, input, output, {.family = &family});
      for (std::size_t i = 0; i < output.size(); ++i)
        EXPECT_EQ(output[i], 10 * static_cast<std::int64_t>(i / 2) + 2 * ranks.rank() + static_cast<std::int64_t>(i % 2));
    }
    EXPECT_EQ(calls.size(), 2u) << "a copy of a family is the same family";
    allgatherv(ranks, std::span(input).first(1), std::span(output).first(3), std::vector<int>(3, 1), {.algorithm = "direct"});
    const Family gather = family_of_programs(
        "gather", [](const Problem& problem, Rank rank) { return make_schedule(problem, "ring").program(rank); });
    allgatherv(ranks, std::span(input).first(1), std::span(output).first(3), std::vector<int>(3, 1), {.family = &gather});
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(output[i], 10 * static_cast<std::int64_t>(i));
    EXPECT_EQ(calls.size(), 4u);
  });
  EXPECT_EQ(told_to_all(2,
                        [&](Communicator& ranks) {
                          std::vector<double> output(2);
                          alltoall(ranks, std::vector<double>(2), output, {.algorithm = "bruck", .family = &bruck});
                        }),
            "the call names both the algorithm 'bruck' and the family 'mine'; name one of them");
}

TEST(Calls, EvictThePlanThatWasCalledLongestAgo) {
  run_threads(2, [](Communicator& threads) {
    CountsGathers ranks(threads);
    let_choose(ranks);
    const CallOptions options{.algorithm = "torus"};  // it cuts blocks, so each size has its own plan
    const std::vector<char> input(700);
    std::vector<char> output(700), late(2);
    const auto makes_a_plan = [&](std::size_t n) {
      const CallArguments arguments{.input = input.data(),
                                    .input_elements = static_cast<Count>(2 * n),
                                    .output = output.data(),
                                    .output_elements = static_cast<Count>(2 * n),
                                    .compares = false};
      const long before = ranks.gathers();
      execute_call(ranks, arguments, options);
      return ranks.gathers() > before;
    };
    EXPECT_TRUE(makes_a_plan(1));
    EXPECT_FALSE(makes_a_plan(1));
    Request open = start_call(
        ranks, {.input = input.data(), .input_elements = 2, .output = late.data(), .output_elements = 2, .compares = false},
        options);
    for (std::size_t n = 2; n <= 300; ++n) {
      EXPECT_TRUE(makes_a_plan(n));
      EXPECT_FALSE(makes_a_plan(2)) << "the plan for 2 elements is called in each turn";
    }
    EXPECT_EQ(ranks.calls().size(), Calls::most_plans);
    open.wait();  // its plan has been dropped meanwhile
    EXPECT_FALSE(makes_a_plan(2));
    EXPECT_FALSE(makes_a_plan(46)) << "the plans of size 2 and of the last 255 sizes are kept";
    EXPECT_TRUE(makes_a_plan(45));
    EXPECT_TRUE(makes_a_plan(47)) << "the plan of size 45 has replaced that of size 47";
  });
}

TEST(Calls, DeliverTheRightDataInAnyOrderOnUntypedMemory) {
  run_threads(4, [](Communicator& ranks) {
    std::mt19937_64 random(7);
    for (int call = 0; call < 100; ++call) {
      const Collective collective = all_collectives()[random() % all_collectives().size()];
      const Problem problem = problem_of(collective, 4, 8 * static_cast<Bytes>(random() % 3), static_cast<Rank>(random() % 4));
      const auto data = probe_data(problem, ranks.rank());
      ByteVector input(index(input_bytes(problem, ranks.rank()))), output(index(output_bytes(problem, ranks.rank())));
      data->fill_input(0, input.data());
      if (call % 2 == 0)
        execute(ranks, problem, input.data(), output.data(), operation_for(problem));
      else
        start(ranks, problem, input.data(), output.data(), operation_for(problem)).wait();
      EXPECT_EQ(data->compare_output(0, output.data()), "") << name(collective);
    }
  });
}

TEST(Calls, AnAlltoallvOnUntypedMemoryNeedsNoPlan) {
  run_threads(3, [](Communicator& threads) {
    CountsGathers ranks(threads);
    const Rank me = ranks.rank();
    const auto gathers_of = [&](Bytes bytes, const CallOptions& options, bool starts) {
      const auto count = [&](Rank from, Rank to) { return bytes * ((from + 2 * to) % 3); };
      std::vector<Bytes> row, column;
      for (Rank other = 0; other < 3; ++other) row.push_back(count(me, other)), column.push_back(count(other, me));
      const Problem problem = alltoallv_of_rank(me, row, column);
      std::vector<std::byte> input(index(input_bytes(problem, me))), output(index(output_bytes(problem, me))), expected;
      std::fill(input.begin(), input.end(), static_cast<std::byte>(me));
      for (Rank from = 0; from < 3; ++from)
        expected.insert(expected.end(), index(column[index(from)]), static_cast<std::byte>(from));
      const long before = ranks.gathers();
      if (starts)
        start(ranks, problem, input.data(), output.data(), nullptr, options).wait();
      else
        execute(ranks, problem, input.data(), output.data(), nullptr, options);
      EXPECT_EQ(output, expected);
      return ranks.gathers() - before;
    };
    gathers_of(1, {}, false);  // makes the exchange of the group
    for (const Bytes bytes : {1, 100, 5000, 70'000})
      for (const bool starts : {false, true}) EXPECT_EQ(gathers_of(bytes, {}, starts), 0) << bytes;
    EXPECT_GT(gathers_of(8, {.algorithm = "direct"}, false), 0);
    EXPECT_GT(gathers_of(8, {.algorithm = "direct", .policy = Policy::dataflow}, true), 0);
    std::vector<std::byte> memory(12);
    Problem wrong = alltoallv_of_rank(me, {4, 4, 4}, {4, 4, 4});
    wrong.ranks = 2;
    EXPECT_EQ(sentence_of([&] { execute(ranks, wrong, memory.data(), memory.data()); }), "the problem has 2 ranks and the group 3");
  });
}

// The first call on a communicator does not match what other ranks do: they make another plan or wait in a barrier. All ranks get
// an error after some time.
TEST(Calls, ReportAFirstCallThatDoesNotMatch) {
  for (const bool barrier : {true, false}) {
    std::vector<std::string> said(3);
    run_threads(3, [&](Communicator& threads) {
      const auto me = static_cast<std::size_t>(threads.rank());
      try {
        if (me == 2)
          allreduce(threads, 1.0, op::sum);
        else if (barrier)
          threads.barrier();
        else
          plan(threads, Problem::alltoall(3, 8));
      } catch (const Error& error) {
        said[me] = error.what();
      }
    });
    for (const std::string& each : said) EXPECT_THAT(each, HasSubstr("ranks 0 and 2 have met in different calls"));
  }
}

TEST(Calls, ReportCallsThatDiffer) {
  if (CallArguments{}.compares) GTEST_SKIP() << "in debug builds the ranks compare before each call";
  const std::string said = told_to_all(3, [](Communicator& ranks) {
    std::vector<double> buffer(10);
    allreduce(ranks, in_place, buffer, op::sum);
    allreduce(ranks, in_place, std::span(buffer).first(ranks.rank() == 2 ? 9 : 10), op::sum);
  });
  EXPECT_THAT(said, AllOf(HasSubstr("making of a plan"), HasSubstr("(allreduce/"), HasSubstr("same order on all ranks")));
}

TEST_F(ComparedCalls, NameBothValuesAndBothRanks) {
  std::vector<double> buffer(10);
  const auto said = [&](auto&& call) {
    return told_to_all(3, [&](Communicator& ranks) {
      std::vector<double> own(10);
      call(ranks, own, ranks.rank() == 2);
    });
  };
  EXPECT_EQ(said([](Communicator& ranks, auto& own, bool last) { broadcast(ranks, own, last ? 1 : 0); }),
            "the roots of broadcast differ: rank 2 gives root 1, rank 0 root 0; all ranks must make the same call");
  EXPECT_EQ(said([](Communicator& ranks, auto& own, bool last) { broadcast(ranks, std::span(own).first(last ? 9 : 10)); }),
            "the sizes of broadcast differ: rank 2 gives 72 B, rank 0 80 B; all ranks must make the same call");
  EXPECT_EQ(said([](Communicator& ranks, auto& own, bool last) { last ? barrier(ranks) : broadcast(ranks, own); }),
            "the order of collectives differs: rank 2 is in barrier, rank 0 in broadcast; all ranks must make the same call");
  EXPECT_EQ(said([](Communicator& ranks, auto& own, bool last) {
              const auto add = [](double a, double b) { return a + b; };
              allreduce(ranks, in_place, own, last ? commutative(add, "add") : ordered(add, "add"));
            }),
            "the values of 'commutative' of allreduce differ: rank 2 gives true, rank 0 false; all ranks must make the same call");
  EXPECT_EQ(said([](Communicator& ranks, auto& own, bool last) {
              last ? allreduce(ranks, in_place, own, op::min) : allreduce(ranks, in_place, own, op::sum);
            }),
            "the operators of allreduce differ: rank 2 gives min, rank 0 sum; all ranks must make the same call");
  EXPECT_EQ(said([](Communicator& ranks, auto& own, bool last) {
              barrier(ranks);  // calls with counts are compared, too
              if (last)
                allgatherv(ranks, std::span(own).first(1), own, std::vector<int>{1, 1, 1});
              else
                barrier(ranks);
            }),
            "the order of collectives differs: rank 2 is in allgatherv, rank 0 in barrier; all ranks must make the same call");
  EXPECT_EQ(said([](Communicator& ranks, auto& own, bool last) {
              reduce_scatterv(ranks, in_place, own, std::vector<int>{1, 1, last ? 1 : 2}, op::sum);
            }),
            "the counts of reduce_scatterv differ: rank 2 gives 8,8,8, rank 0 8,8,16; all ranks must make the same call");
}

TEST_F(ComparedCalls, ReportOneRanksWrongSizesOnAllRanks) {
  const auto said = told(2, [](Communicator& ranks) {
    std::vector<double> own(3), all(ranks.rank() == 0 ? 6 : 5);
    allgather(ranks, own, all);
  });
  EXPECT_EQ(said[1],
            "allgather's input has 3 elements and its output 5; the output must have 2 times as many elements as the input");
  EXPECT_EQ(said[0], "rank 1: " + said[1]);
}

}  // namespace
}  // namespace quadrille
