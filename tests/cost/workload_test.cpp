// SPDX-License-Identifier: BSD-3-Clause
// What the models price, counted from schedules.
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/traffic_patterns.hpp"

namespace quadrille {
namespace {

const Coefficients plain{{"startup_us", 1e6}, {"transfer_us_per_byte", 1}, {"ports", 1}};

TEST(Workload, IsTheSameBySymmetryAndFromAllRanks) {
  for (const char* specification : {"shift", "bruck:radix=3", "torus", "xor"}) {
    Schedule schedule = make_schedule(Problem::alltoall(16, 12), specification);
    const Workload by_symmetry = workload(schedule);
    ASSERT_TRUE(schedule.symmetry.has_value()) << specification;
    schedule.symmetry.reset();
    const Workload by_all = workload(schedule);
    ASSERT_EQ(by_symmetry.stages.size(), by_all.stages.size());
    for (std::size_t i = 0; i < by_all.stages.size(); ++i) {
      EXPECT_EQ(by_symmetry.stages[i].startups, by_all.stages[i].startups) << specification;
      EXPECT_EQ(by_symmetry.stages[i].volume, by_all.stages[i].volume) << specification;
      EXPECT_EQ(by_symmetry.stages[i].load, by_all.stages[i].load) << specification;
      EXPECT_EQ(by_symmetry.stages[i].in_pieces, by_all.stages[i].in_pieces) << specification;
    }
    EXPECT_EQ(by_symmetry.held, by_all.held);
  }
}

// In a chained stage a rank passes on what it has received there.
TEST(Workload, KnowsStagesInWhichRanksPassOnWhatTheyReceive) {
  const auto chained = [](const Problem& problem, const char* specification) {
    std::string list;
    for (const StageFigures& stage : workload(make_schedule(problem, specification), {.work = true}).stages)
      list += stage.is_chained ? 'c' : '-';
    return list;
  };
  const Problem alltoall = Problem::alltoall(16, 8), allgather{.collective = Collective::allgather, .ranks = 16, .block_bytes = 8};
  EXPECT_EQ(chained(alltoall, "shift"), "-");
  EXPECT_EQ(chained(alltoall, "hypercube"), "c");
  EXPECT_EQ(chained(allgather, "direct"), "-");
  EXPECT_EQ(chained(allgather, "ring"), "c");
  EXPECT_EQ(chained(allgather, "recursive-doubling"), "c");
  EXPECT_EQ(chained({.collective = Collective::allreduce, .ranks = 16, .block_bytes = 8}, "recursive-doubling"), "c");
  const Problem traffic = make_traffic(16, {.kind = TrafficKind::equal, .typical = 16});
  EXPECT_EQ(chained(traffic, "four-stage:counts=known"), "----") << "each stage passes on what the one before has received";
}

struct Sent {
  Count round = 0;
  Rank from = 0, to = 0;
  Bytes bytes = 0;
};

// Returns the bytes of the longest chain that ends with the last of the messages, by trying all messages before it.
Bytes longest_chain(const std::vector<Sent>& messages, std::size_t last, std::vector<Bytes>& known) {
  if (known[last] > 0) return known[last];
  Bytes before = 0;
  for (std::size_t i = 0; i < last; ++i)
    if (messages[i].from == messages[last].from || messages[i].to == messages[last].to)
      before = std::max(before, longest_chain(messages, i, known));
  return known[last] = before + messages[last].bytes;
}

// The chain is the longest over all messages of a stage, compared with a search; it lies between load and volume.
TEST(Workload, FindsTheLongestChainOfMessages) {
  Count between = 0;
  for (const Count p : {2, 5, 9, 16})
    for (const char* specification : {"shift", "grid:counts=known", "two-phase:grain=1,counts=known"})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Schedule schedule =
            make_schedule(make_traffic(p, {.kind = TrafficKind::spike, .most = 100, .small = 3, .seed = seed}), specification);
        const std::vector<StageFigures> stages = stage_figures(schedule);
        for (std::size_t i = 0; i < stages.size(); ++i) {
          std::vector<Sent> messages;
          for (Rank rank = 0; rank < p; ++rank) {
            const Program program = schedule.program(rank);
            const Stage& stage = program.stages[i];
            for (const Round& round : program.rounds)
              for (const Message& message : round.sends)
                if (round.number >= stage.first_round && round.number < stage.first_round + stage.round_count)
                  messages.push_back({round.number, rank, message.peer, bytes(message.regions)});
          }
          std::stable_sort(messages.begin(), messages.end(), [](const Sent& a, const Sent& b) { return a.round < b.round; });
          std::vector<Bytes> known(messages.size(), 0);
          Bytes longest = 0;
          for (std::size_t m = 0; m < messages.size(); ++m) longest = std::max(longest, longest_chain(messages, m, known));
          EXPECT_EQ(stages[i].chain, longest) << specification << p;
          EXPECT_GE(stages[i].chain, stages[i].load);
          EXPECT_LE(stages[i].chain, stages[i].volume);
          between += stages[i].chain > stages[i].load && stages[i].chain < stages[i].volume ? 1 : 0;
        }
      }
  EXPECT_GT(between, 5);
}

// Ranks that all do the same make no chain longer than what each of them sends. Without the option, and for other collectives, the
// chain is the volume.
TEST(Workload, CountsChainsOfExchangesOnly) {
  for (const char* specification : {"shift", "direct", "bruck", "mesh"}) {
    Schedule schedule = make_schedule(Problem::alltoall(16, 12), specification);
    const Workload by_symmetry = workload(schedule, {.chains = true});
    schedule.symmetry.reset();
    const Workload by_all = workload(schedule, {.chains = true});
    for (std::size_t i = 0; i < by_all.stages.size(); ++i) {
      EXPECT_EQ(by_symmetry.stages[i].chain, by_symmetry.stages[i].load) << specification;
      EXPECT_EQ(by_all.stages[i].chain, by_all.stages[i].load) << specification;
    }
  }
  const Schedule skewed = make_schedule(make_traffic(16, {.kind = TrafficKind::spike, .most = 100, .small = 3}), "shift");
  EXPECT_EQ(workload(skewed).stages[0].chain, workload(skewed).stages[0].volume);
  EXPECT_LT(workload(skewed, {.chains = true}).stages[0].chain, workload(skewed).stages[0].volume);
  const Schedule tree = make_schedule(Problem::broadcast(16, 1024, 0), "binomial");
  EXPECT_EQ(workload(tree, {.chains = true}).stages[0].chain, workload(tree).stages[0].volume);
}

TEST(Workload, RefusesSumsOfTwoToThe63AndMore) {
  const Topology ring = Topology::ring(8);
  const Problem problem = Problem::alltoall(8, Bytes{1} << 55);
  const Workload work = workload(make_schedule(problem, "ring"));
  EXPECT_GT(
      price_of(work, *find_model("linear"), Coefficients{{"startup_us", 1}, {"transfer_us_per_byte", 1e-6}, {"ports", 1}}).blocking,
      0);
  EXPECT_THROW(price_of(work, *find_model("linear"), plain), Error) << "more than 106 days";
  EXPECT_THROW(workload(make_schedule(Problem::alltoall(4, 8), "shift"), {.topology = &ring}), Error) << "another number of ranks";
  Workload shared = workload(make_schedule(problem, "shift"), {.topology = &ring});
  for (RoundFigures& round : shared.stages.at(0).rounds) round.sharing = 256;
  EXPECT_THROW(price_of(shared, *find_model("linear"), plain), Error);
  EXPECT_THROW(price_of(shared, *find_model("torus"),
                        Coefficients{{"startup_us", 1}, {"wire_us_per_byte", 1}, {"rearrange_us_per_byte", 1}}),
               Error);
}

// A schedule in the text form may have no stages.
TEST(Workload, CountsRoundsOutsideAnyStage) {
  Schedule schedule = make_schedule(Problem::alltoall(4, 10), "shift");
  schedule.program = [inner = schedule.program](Rank rank) {
    Program program = inner(rank);
    program.stages.clear();
    return program;
  };
  const Workload work = workload(schedule);
  ASSERT_EQ(work.stages.size(), 1u);
  EXPECT_EQ(work.stages[0].startups, 3);
  EXPECT_EQ(work.stages[0].volume, 30);
}

TEST(Workload, IsCountedAsFarAsAModelNeedsIt) {
  Problem problem = Problem::alltoall(8, 10);
  problem.nodes = {0, 0, 0, 0, 1, 1, 1, 1};
  const Schedule schedule = make_schedule(problem, "shift");
  const Topology ring = Topology::ring(8);
  for (const Model* model : all_models()) {
    const Workload work = workload_for(*model, schedule, &ring);
    EXPECT_TRUE(applies(*model, work)) << model->id;
    EXPECT_EQ(work.has_nodes, model->needs_nodes) << model->id;
    EXPECT_EQ(work.has_work, model->needs_work) << model->id;
    EXPECT_EQ(workload_for(*model, schedule).has_links, false) << model->id;
  }
}

}  // namespace
}  // namespace quadrille
