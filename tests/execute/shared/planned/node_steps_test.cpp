// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/planned/messages.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include "execute/executions/execution.hpp"
#include "execute/script/run.hpp"
#include "execute/shared/communicator.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/groups.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {
namespace {

std::vector<Count> nodes_of(const std::vector<Count>& sizes) {
  std::vector<Count> nodes;
  for (std::size_t node = 0; node < sizes.size(); ++node)
    nodes.insert(nodes.end(), static_cast<std::size_t>(sizes[node]), static_cast<Count>(node));
  return nodes;
}

Problem on_nodes(const std::vector<Count>& sizes, Bytes block) {
  const std::vector<Count> nodes = nodes_of(sizes);
  Problem problem = Problem::alltoall(static_cast<Count>(nodes.size()), block);
  problem.nodes = nodes;
  return problem;
}

// Records for each node how many exchanges are under way, and in which order rounds begin.
struct Observer {
  std::mutex mutex;
  std::map<Count, int> active, most;           // by node
  std::map<Count, std::vector<Count>> rounds;  // by node: its rounds in the order in which they began
};

// Messages that transfer nothing, so that only the steps hold ranks back.
struct Loose {
  const Script& of;
  Observer& observer;
  std::mt19937 random;
  NodeSteps* to_keep;
  Bases bases;
  bool exchanging = false;

  Count node() const { return of.nodes[static_cast<std::size_t>(of.rank)]; }

  const Script& script() const { return of; }
  NodeSteps* steps() { return to_keep; }
  static bool can_begin() { return true; }
  static void scale(Bytes) {}
  static void wait_to_begin() {}
  const Bases& begin(const std::byte*, std::byte* room) {
    bases.fill(room);
    return bases;
  }
  static bool poll(auto&& done) { return done(); }
  static std::optional<std::uint32_t> advance_any() { return {}; }
  static std::uint32_t wait_any() { return 0; }
  static void end() {}
  static void withdraw() {}
  static void fail(const Error&) noexcept {}
  static Bytes memory_bytes() { return 0; }
  bool advance() {
    wait();
    return true;
  }

  void post(std::uint32_t index) {
    const ScriptMessage& message = of.messages[index];
    if (exchanging || of.nodes[static_cast<std::size_t>(message.peer)] == node()) return;
    exchanging = true;
    const std::scoped_lock lock(observer.mutex);
    observer.most[node()] = std::max(observer.most[node()], ++observer.active[node()]);
    observer.rounds[node()].push_back(message.round);
  }

  void wait() {
    if (!exchanging) return;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    exchanging = false;
    const std::scoped_lock lock(observer.mutex);
    --observer.active[node()];
  }
};

// Runs the schedule `times` times. If `kept`, only node steps hold ranks back; otherwise nothing does.
void observe(const std::vector<Count>& sizes, const std::string& algorithm, bool kept, Observer& observer, int times = 3) {
  const Problem problem = on_nodes(sizes, 8);
  run_threads(problem.ranks, [&](Communicator& threads) {
    auto& shared = dynamic_cast<SharedCommunicator&>(threads);
    const Program program = make_schedule(problem, parse_choice(problem, algorithm)).program(threads.rank());
    const Script script = make_script(program, problem.ranks, {.nodes = problem.nodes});
    std::vector<Rank> members;
    for (Rank rank = 0; rank < problem.ranks; ++rank) members.push_back(rank);
    NodeSteps steps(*shared.space(), members, script);
    ScriptExecutable<Loose> executable(
        Loose{script, observer, std::mt19937(static_cast<unsigned>(threads.rank())), kept ? &steps : nullptr, {}});
    std::vector<std::byte> room(1 << 16);
    for (int time = 0; time < times; ++time) {
      executable.execute({nullptr, room.data()});
      threads.barrier();
    }
  });
}

TEST(NodeSteps, LetOneExchangeAtATimeThroughEachNode) {
  for (const auto& sizes : {std::vector<Count>{1, 2, 3}, {2, 2}, {4, 1, 3}}) {
    Observer observer;
    observe(sizes, "clustered", true, observer);
    for (const auto& [node, most] : observer.most) EXPECT_EQ(most, 1) << "node " << node;
    for (const auto& [node, rounds] : observer.rounds) {
      const auto times = 3;
      ASSERT_EQ(rounds.size() % times, 0u);
      const auto one = static_cast<std::ptrdiff_t>(rounds.size() / times);
      for (int time = 0; time < times; ++time)
        EXPECT_TRUE(std::is_sorted(rounds.begin() + time * one, rounds.begin() + (time + 1) * one)) << "node " << node;
    }
  }
}

// Shows that without steps the ranks do not keep the order; otherwise the test above would prove nothing.
TEST(NodeSteps, AreNeededToKeepTheOrder) {
  Observer observer;
  observe({4, 4}, "clustered", false, observer, 20);
  EXPECT_GT(std::max(observer.most[0], observer.most[1]), 1);
}

TEST(NodeSteps, LetAllExchangesOfARoundThrough) {
  Observer observer;
  observe({3, 3}, "direct", true, observer);  // all exchanges are in one round
  for (const auto& [node, most] : observer.most) EXPECT_LE(most, 3) << "node " << node;
}

TEST(NodeSteps, NeverChangeAResult) {
  for (const auto& sizes : {std::vector<Count>{1, 2, 3}, {2, 2}, {3, 1, 1}})
    for (const Algorithm* algorithm : algorithms_for(Collective::alltoall)) {
      const Problem problem = on_nodes(sizes, 24);
      if (!applies(problem, standard_choice(*algorithm, problem))) continue;
      run_threads(problem.ranks, [&](Communicator& threads) {
        const auto data = probe_data(problem, threads.rank());
        std::vector<std::byte> input(static_cast<std::size_t>(input_bytes(problem, threads.rank()))), output(input.size());
        Plan exchange = plan(threads, problem, {.algorithm = std::string(algorithm->id), .keep_step = true});
        for (int pass = 0; pass < 3 * data->pass_count(); ++pass) {
          data->fill_input(pass % data->pass_count(), input.data());
          data->spoil_output(pass % data->pass_count(), output.data());
          exchange.execute(input.data(), output.data());
          EXPECT_EQ(data->compare_output(pass % data->pass_count(), output.data()), "") << algorithm->id;
        }
      });
    }
}

// Each plan counts its own steps, also if several plans are in flight.
TEST(NodeSteps, AreCountedForEachPlanInFlight) {
  const Problem problem = on_nodes({2, 1, 2}, 24);
  run_threads(problem.ranks, [&](Communicator& threads) {
    const auto data = probe_data(problem, threads.rank());
    std::vector<std::byte> input(static_cast<std::size_t>(input_bytes(problem, threads.rank())));
    std::vector<std::vector<std::byte>> outputs(3, input);
    std::vector<Plan> plans;
    for (const char* algorithm : {"clustered", "direct", "one-factor"})
      plans.push_back(plan(threads, problem, {.algorithm = algorithm, .keep_step = true}));
    data->fill_input(0, input.data());
    std::vector<Request> requests(plans.size());
    for (int turn = 0; turn < 20; ++turn) {
      for (std::size_t i = 0; i < plans.size(); ++i) {
        data->spoil_output(0, outputs[i].data());
        requests[i] = plans[i].start(input.data(), outputs[i].data());
      }
      for (std::size_t i = 0; i < plans.size(); ++i) {
        const std::size_t each = (i + static_cast<std::size_t>(threads.rank())) % plans.size();
        requests[each].wait();
        EXPECT_EQ(data->compare_output(0, outputs[each].data()), "");
      }
    }
  });
}

TEST(NodeSteps, AreRefusedUnderDataflowAndForTheVendor) {
  const Problem problem = on_nodes({2, 2}, 8);
  run_threads(4, [&](Communicator& threads) {
    EXPECT_THROW(plan(threads, problem, {.algorithm = "clustered", .policy = Policy::dataflow, .keep_step = true}), Error);
    EXPECT_THROW(plan(threads, problem, {.algorithm = "vendor", .keep_step = true}), Error);
  });
}

}  // namespace
}  // namespace quadrille::testing
