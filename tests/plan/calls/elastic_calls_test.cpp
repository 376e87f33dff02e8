// SPDX-License-Identifier: BSD-3-Clause
// Elastic plans: one plan runs calls of many sizes.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>

#include "plan/calls/calls.hpp"
#include "plan/capacity.hpp"
#include "plan/plan.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/collectives.hpp"
#include "quadrille/groups.hpp"
#include "support/apart.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {
namespace {

// The buffers of a call, and the data to check it.
struct CallOfSize {
  CallOfSize(const Problem& of, Rank rank, int pass)
      : problem(of),
        data(probe_data(of, rank)),
        pass(pass % data->pass_count()),
        input(static_cast<std::size_t>(input_bytes(of, rank)) + 64),
        output(static_cast<std::size_t>(output_bytes(of, rank)) + 64, beyond) {
    data->fill_input(this->pass, input.data());
    data->spoil_output(this->pass, output.data());
  }

  // Also checks that nothing was written behind the output.
  std::string wrong() const {
    for (std::size_t i = output.size() - 64; i < output.size(); ++i)
      if (output[i] != beyond) return "wrote behind the output";
    return data->compare_output(pass, output.data());
  }

  static constexpr std::byte beyond{0x5C};
  Problem problem;
  std::unique_ptr<ProbeData> data;
  int pass;
  std::vector<std::byte> input, output;
};

// The sizes of some classes, in elements: each class in turn has several calls, and then the sizes alternate between classes.
std::vector<Count> sizes_of(std::mt19937_64& random, Count most) {
  std::vector<Count> sizes;
  for (int call = 0; call < 24; ++call) {
    const auto largest = static_cast<Count>(std::uint64_t{1} << (random() % std::bit_width(static_cast<std::uint64_t>(most))));
    for (int again = call < 12 ? 3 : 1; again > 0; --again)
      sizes.push_back(largest - static_cast<Count>(random() % static_cast<std::uint64_t>((largest + 1) / 2)));
  }
  return sizes;
}

Problem sized(Collective collective, Count ranks, Count elements, Rank root) {
  const Problem problem = problem_of(collective, ranks, elements, root);
  return is_reduction(collective) ? with_elements_of(problem, 8) : problem;
}

// All ranks make the same calls; each pauses now and then, so that others run ahead. Some calls are requests, several of which are
// in flight together.
void call_with(Communicator& ranks, const Algorithm& algorithm, Policy policy, const std::vector<Count>& sizes, Rank root) {
  std::mt19937_64 pauses(static_cast<std::uint64_t>(ranks.rank()));
  std::deque<CallOfSize> open;
  std::vector<Request> requests;
  const CallOptions options{.algorithm = algorithm.id, .policy = policy};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Problem problem = sized(algorithm.collective, ranks.size(), sizes[i], root);
    if (!applies(problem, standard_choice(algorithm, problem))) return;
    CallOfSize& call = open.emplace_back(problem, ranks.rank(), static_cast<int>(i));
    const auto operation = operation_for(problem);
    if (pauses() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(pauses() % 100));
    if (i % 3 == 2)
      requests.push_back(start(ranks, problem, call.input.data(), call.output.data(), operation, options));
    else
      execute(ranks, problem, call.input.data(), call.output.data(), operation, options);
    if (i % 7 != 6) continue;
    wait_all(requests);
    requests.clear();
    for (const CallOfSize& each : open) EXPECT_EQ(each.wrong(), "") << description(each.problem) << " " << algorithm.id;
    open.clear();
  }
  wait_all(requests);
  for (const CallOfSize& each : open) EXPECT_EQ(each.wrong(), "") << description(each.problem) << " " << algorithm.id;
}

bool is_of_elastic_plans(const Algorithm& algorithm) {
  return !algorithm.cuts_blocks && !is_irregular(algorithm.collective) && moves_data(algorithm.collective);
}

TEST(ElasticCalls, GiveTheRightResultsInSizesThatAlternate) {
  std::mt19937_64 random(65);
  for (const Algorithm* const algorithm : all_algorithms()) {
    if (!is_of_elastic_plans(*algorithm)) continue;
    for (Count p = 1; p <= 9; p += static_cast<Count>(random() % extent<std::uint64_t>(8, 4, 1)) + 1) {
      const std::vector<Count> sizes = sizes_of(random, 4096);
      const auto policy = static_cast<Policy>(random() % 3);
      const auto root = is_rooted(algorithm->collective) ? static_cast<Rank>(random() % static_cast<std::uint64_t>(p)) : 0;
      run_threads(p, [&](Communicator& ranks) { call_with(ranks, *algorithm, policy, sizes, root); });
    }
  }
}

// As processes share memory: short and long messages, from private and shared memory, with and without a core for each rank.
TEST(ElasticCalls, GiveTheRightResultsInSharedMemoryOfProcesses) {
  std::mt19937_64 random(66);
  for (const Algorithm* const algorithm : all_algorithms()) {
    if (!is_of_elastic_plans(*algorithm)) continue;
    for (int way = 0; way < extent(1, 1, 12); ++way) {
      const Apart apart{.reads_private_memory = random() % 2 == 0,
                        .core_for_every_rank = random() % 2 == 0,
                        .costs = costs_of_copying_once(random() % 2 == 0 ? 0 : 1)};
      const auto p = static_cast<Count>(2 + random() % 4);
      const std::vector<Count> sizes = sizes_of(random, 16384);
      const auto policy = static_cast<Policy>(random() % 3);
      run_apart(p, apart, [&](SharedCommunicator& ranks) { call_with(ranks, *algorithm, policy, sizes, 0); });
    }
  }
}

// A root may run ahead by as many broadcasts as its area has blocks, of different sizes.
TEST(ElasticCalls, MayBeFarAhead) {
  run_threads(4, [](Communicator& ranks) {
    const auto size = [](int i) { return static_cast<std::size_t>(33 + 7 * i % 32); };
    for (int i = 0; i < 600; ++i) {
      std::vector<char> data(size(i), static_cast<char>(ranks.rank() == 0 ? i : -1));
      if (ranks.rank() == 3 && i % 97 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      broadcast(ranks, data, 0, {.algorithm = "linear"});
      EXPECT_EQ(std::count(data.begin(), data.end(), static_cast<char>(i)), static_cast<std::ptrdiff_t>(data.size()));
    }
    EXPECT_EQ(ranks.calls().size(), 2u);
  });
}

TEST(ElasticCalls, ShareAPlanFromTheSecondSizeOfAClassOn) {
  run_threads(3, [](Communicator& ranks) {
    const auto call = [&](std::size_t elements, std::string_view algorithm) {
      const std::vector<double> input(elements, 1);
      std::vector<double> output(elements);
      allreduce(ranks, input, output, op::sum, {.algorithm = algorithm});
      EXPECT_EQ(output, std::vector<double>(elements, 3));
    };
    const auto plans_after = [&](std::initializer_list<std::size_t> sizes, std::string_view algorithm) {
      const std::size_t before = ranks.calls().size();
      for (const std::size_t elements : sizes) call(elements, algorithm);
      return ranks.calls().size() - before;
    };
    EXPECT_EQ(plans_after({9, 9, 9}, "direct"), 1u);
    EXPECT_EQ(plans_after({10, 16, 9, 11, 10, 15}, "direct"), 1u) << "the elastic plan runs the sizes from 9 to 16";
    EXPECT_EQ(plans_after({17, 8}, "direct"), 2u) << "other classes";
    EXPECT_EQ(plans_after({20'000, 20'001}, "direct"), 2u) << "too long for a class";
    EXPECT_EQ(plans_after({9, 10, 11}, "ring"), 3u) << "this algorithm cuts vectors";
  });
}

TEST(ElasticCalls, RefuseOverlappingBuffersByTheSizeOfTheCall) {
  run_threads(2, [](Communicator& ranks) {
    std::vector<char> memory(4 * 64);
    const auto call = [&](std::size_t bytes, std::size_t apart) {
      alltoall(ranks, std::span(memory).first(2 * bytes), std::span(memory).subspan(apart, 2 * bytes), {.algorithm = "direct"});
    };
    for (const std::size_t bytes : {64, 40, 33}) call(bytes, 2 * bytes);  // the buffers of the last two would overlap with 64 B
    EXPECT_EQ(ranks.calls().size(), 2u);
    EXPECT_THROW(call(40, 79), Error);
  });
}

TEST(ElasticCalls, HaveClassesByElements) {
  EXPECT_EQ(capacity_of(0, 1), 0);
  EXPECT_EQ(capacity_of(1, 1), 1);
  EXPECT_EQ(capacity_of(33, 1), 64);
  EXPECT_EQ(capacity_of(64, 1), 64);
  EXPECT_EQ(capacity_of(72, 24), 96);
  EXPECT_EQ(capacity_of(70, 24), 0) << "not whole elements";
  EXPECT_EQ(capacity_of(65'536, 1), 65'536);
  EXPECT_EQ(capacity_of(65'537, 1), 0);
}

}  // namespace
}  // namespace quadrille::testing
