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
  std::size_t place = 0;  // among the messages that its sender sends in the window
  Rank from = 0, to = 0;
  Bytes bytes = 0;
};

struct Longest {
  Bytes chain = 0, queue = 0;
};

// Returns the longest chains of messages by trying all messages before each.
Longest longest_of(const std::vector<Sent>& messages) {
  std::vector<Bytes> chain(messages.size()), queue(messages.size());
  Longest longest;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Bytes waits = 0, sent = 0, queued = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_sender = messages[j].from == messages[i].from, same_receiver = messages[j].to == messages[i].to;
      if (same_sender || same_receiver) waits = std::max(waits, chain[j]);
      if (same_sender) sent += messages[j].bytes;
      if (same_receiver) queued = std::max(queued, queue[j]);
    }
    chain[i] = waits + messages[i].bytes, queue[i] = std::max(sent, queued) + messages[i].bytes;
    longest = {std::max(longest.chain, chain[i]), std::max(longest.queue, queue[i])};
  }
  return longest;
}

// The messages of a stage in the order in which ranks send them: all first ones, all second ones, ..
std::vector<Sent> sent_in_stage(const Schedule& schedule, std::size_t stage) {
  std::vector<Sent> messages;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    const Program program = schedule.program(rank);
    const Stage& own = program.stages[stage];
    std::size_t place = 0;
    for (const Round& round : program.rounds)
      for (const Message& message : round.sends)
        if (round.number >= own.first_round && round.number < own.first_round + own.round_count)
          messages.push_back({place++, rank, message.peer, bytes(message.regions)});
  }
  std::stable_sort(messages.begin(), messages.end(), [](const Sent& a, const Sent& b) { return a.place < b.place; });
  return messages;
}

// The chains of a window are the longest over all messages of the stage, compared with a search, however the stage is divided into
// rounds.
TEST(Workload, FindsTheLongestChainsOfMessages) {
  Count waits = 0, differ = 0;
  for (const Count p : {2, 5, 9, 16})
    for (const char* specification :
         {"shift", "direct:window=1", "direct:window=3", "direct", "grid:counts=known", "two-phase:grain=1,counts=known"})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        if (p < 5 && std::string_view(specification).ends_with("3")) continue;  // the window has more ranks
        const Schedule schedule =
            make_schedule(make_traffic(p, {.kind = TrafficKind::spike, .most = 100, .small = 3, .seed = seed}), specification);
        const std::vector<StageFigures> stages = stage_figures(schedule);
        for (std::size_t i = 0; i < stages.size(); ++i) {
          const Longest longest = longest_of(sent_in_stage(schedule, i));
          if (longest.chain == 0) continue;
          ASSERT_EQ(stages[i].windows.size(), 1u) << specification << p;
          EXPECT_EQ(stages[i].windows[0].chain, longest.chain) << specification << p;
          EXPECT_EQ(stages[i].windows[0].queue, longest.queue) << specification << p;
          EXPECT_EQ(stages[i].windows[0].bytes, stages[i].load);
          EXPECT_EQ(stages[i].windows[0].messages, stages[i].messages);
          waits += longest.chain > stages[i].load ? 1 : 0;
          differ += longest.chain > longest.queue ? 1 : 0;
        }
      }
  EXPECT_GT(waits, 5);
  EXPECT_GT(differ, 5);
}

// Ranks that all do the same make no chain longer than what each of them sends. Where a rank passes on what it has received in the
// stage, each round is a window.
TEST(Workload, JoinsTheRoundsThatRanksPostTogether) {
  const auto windows = [](const Problem& problem, const char* specification) {
    const std::vector<StageFigures> stages = stage_figures(make_schedule(problem, specification));
    std::size_t count = 0;
    for (const StageFigures& stage : stages) count += stage.windows.size();
    return count;
  };
  const Problem alltoall = Problem::alltoall(16, 12), allgather{.collective = Collective::allgather, .ranks = 16, .block_bytes = 8},
                scatter{.collective = Collective::scatter, .ranks = 16, .block_bytes = 8};
  EXPECT_EQ(windows(alltoall, "shift"), 1u);
  EXPECT_EQ(windows(alltoall, "bruck"), 4u);
  EXPECT_EQ(windows(alltoall, "hypercube"), 4u);
  EXPECT_EQ(windows(allgather, "ring"), 15u);
  EXPECT_EQ(windows(allgather, "direct"), 1u);
  EXPECT_EQ(windows(scatter, "linear"), 1u);
  EXPECT_EQ(windows(scatter, "binomial"), 4u);
  for (const char* specification : {"shift", "direct", "bruck", "mesh"}) {
    Schedule schedule = make_schedule(alltoall, specification);
    const Workload by_symmetry = workload(schedule, {.windows = true});
    schedule.symmetry.reset();
    const Workload by_all = workload(schedule, {.windows = true});
    for (std::size_t i = 0; i < by_all.stages.size(); ++i) {
      ASSERT_EQ(by_symmetry.stages[i].windows.size(), by_all.stages[i].windows.size());
      for (std::size_t w = 0; w < by_all.stages[i].windows.size(); ++w) {
        EXPECT_EQ(by_symmetry.stages[i].windows[w].chain, by_all.stages[i].windows[w].chain) << specification;
        EXPECT_EQ(by_symmetry.stages[i].windows[w].chain, by_symmetry.stages[i].windows[w].bytes) << specification;
      }
    }
  }
  EXPECT_TRUE(workload(make_schedule(alltoall, "shift")).stages[0].windows.empty()) << "not asked for";
}

// Ranks may be cut at different rounds. Ranks 1 and 3 pass on what they have received, after rounds 0 and 1; one cut serves both.
TEST(Workload, CutsAsSeldomAsAllRanksNeed) {
  Schedule schedule = make_schedule(Problem::alltoall(6, 8), "shift");
  schedule.symmetry.reset();
  const auto message = [](Rank peer, Buffer buffer, Bytes at) { return Message{peer, {{buffer, at, 8, {}}}, {}}; };
  schedule.program = [&](Rank rank) {
    Program program{.rank = rank, .stages = {{"one", 0, 5}}};
    const auto round = [&](Count number) -> Round& { return program.rounds.emplace_back(Round{.number = number}); };
    if (rank == 0) round(0).sends = {message(1, Buffer::input, 0)};
    if (rank == 1) round(0).receives = {message(0, Buffer::output, 0)}, round(3).sends = {message(2, Buffer::output, 0)};
    if (rank == 2) round(1).sends = {message(3, Buffer::input, 0)}, round(3).receives = {message(1, Buffer::output, 0)};
    if (rank == 3) round(1).receives = {message(2, Buffer::output, 0)}, round(4).sends = {message(4, Buffer::output, 0)};
    if (rank == 4) round(4).receives = {message(3, Buffer::output, 0)};
    return program;
  };
  const std::vector<StageFigures> stages = stage_figures(schedule);
  ASSERT_EQ(stages[0].rounds.size(), 4u);
  ASSERT_EQ(stages[0].windows.size(), 2u);
  EXPECT_EQ(stages[0].windows[0].number, 0);
  EXPECT_EQ(stages[0].windows[1].number, 3);
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
