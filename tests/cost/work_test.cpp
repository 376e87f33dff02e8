// SPDX-License-Identifier: BSD-3-Clause
// The work of ranks and nodes in each round: counted by stated symmetries, by nodes that represent others, and on a
// sample; compared with counts from the programs of all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"

namespace quadrille {
namespace {

struct Work {
  Count outside_messages = 0, taken_messages = 0, node_outside_messages = 0, node_inside_messages = 0;
  Bytes outside_bytes = 0, taken_bytes = 0, exchanged = 0, node_inside_bytes = 0;
  Bytes with_copied = 0, node_copied = 0, with_combined = 0, node_combined = 0;
  bool operator==(const Work&) const = default;
};

using WorkByRound = std::map<Count, Work>;

WorkByRound counted(const Schedule& schedule) {
  WorkByRound rounds;
  for (const StageFigures& stage : workload(schedule, {.work = true}).stages)
    for (const RoundFigures& r : stage.rounds)
      rounds[r.number] = {r.outside_messages, r.taken_messages, r.node_outside_messages, r.node_inside_messages, r.outside_bytes,
                          r.taken_bytes,      r.exchanged,      r.node_inside_bytes,     r.with_copied,          r.node_copied,
                          r.with_combined,    r.node_combined};
  return rounds;
}

// Sums for each direction separately, of one rank or of all ranks of a node.
struct Sums {
  Count messages[2][2] = {};  // sent or received, inside or outside
  Bytes bytes[2][2] = {};
  Bytes short_sent = 0;  // inside, in messages of up to 16 KiB
  Bytes copied = 0, combined = 0;
};

WorkByRound by_all_programs(const Schedule& schedule) {
  const auto node_of = [&](Rank rank) {
    return schedule.problem.nodes.empty() ? 0 : schedule.problem.nodes[static_cast<std::size_t>(rank)];
  };
  std::map<std::pair<Count, Rank>, Sums> of_rank;
  std::map<std::pair<Count, Count>, Sums> of_node;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (Sums* sums : {&of_rank[{round.number, rank}], &of_node[{round.number, node_of(rank)}]}) {
        const auto add = [&](int direction, Rank peer, Bytes length) {
          const int outside = node_of(peer) == node_of(rank) ? 0 : 1;
          ++sums->messages[direction][outside];
          sums->bytes[direction][outside] += length;
          if (direction == 0 && outside == 0 && length <= 16 * 1024) sums->short_sent += length;
        };
        for (const Message& message : round.sends) add(0, message.peer, bytes(message.regions));
        for (const Message& message : round.receives) add(1, message.peer, bytes(message.regions));
        for (const Control& control : round.control_sends) add(0, control.peer, control.bytes);
        for (const Control& control : round.control_receives) add(1, control.peer, control.bytes);
        for (const Local& local : round.locals)
          (local.kind == LocalKind::copy ? sums->copied : sums->combined) += bytes(local.source);
      }
  WorkByRound rounds;
  const auto raise = [](auto& figure, auto value) { figure = std::max(figure, value); };
  for (const auto& [key, sums] : of_rank) {
    Work& work = rounds[key.first];
    for (const int direction : {0, 1})
      raise(work.outside_messages, sums.messages[direction][1]), raise(work.outside_bytes, sums.bytes[direction][1]);
    // The receiver has three quarters of the work of a message. Both ends copy the bytes of a short one, the receiver those of a
    // long one.
    raise(work.taken_messages, (sums.messages[0][0] + 3 * sums.messages[1][0] + 3) / 4);
    const Bytes taken = std::max(sums.bytes[1][0], sums.short_sent);
    raise(work.taken_bytes, taken);
    raise(work.with_copied, taken + sums.copied), raise(work.with_combined, taken + sums.copied + sums.combined);
  }
  for (const auto& [key, sums] : of_node) {
    Work& work = rounds[key.first];
    raise(work.node_inside_messages, sums.messages[0][0]), raise(work.node_inside_bytes, sums.bytes[0][0]);
    for (const int direction : {0, 1})
      raise(work.node_outside_messages, sums.messages[direction][1]), raise(work.exchanged, sums.bytes[direction][1]);
    raise(work.node_copied, sums.copied), raise(work.node_combined, sums.combined);
  }
  std::erase_if(rounds, [](const auto& entry) { return entry.second == Work{}; });
  return rounds;
}

// Nodes of equal size with consecutive ranks, ranks dealt out to nodes, nodes of different sizes, and all ranks on
// one node.
std::vector<std::vector<Count>> five_placements(Count ranks) {
  std::vector<std::vector<Count>> placements(5);
  for (Rank rank = 0; rank < ranks; ++rank) {
    placements[0].push_back(rank / 4);
    placements[1].push_back(rank % 4);
    placements[2].push_back(rank < 5 ? 9 : rank % 3);
    placements[3].push_back(rank % 16 < 7 ? 2 * (rank / 16) : 2 * (rank / 16) + 1);
  }
  return placements;
}

void expect_equal_counts(Problem problem, const std::string& specification) {
  for (const std::vector<Count>& nodes : five_placements(problem.ranks)) {
    problem.nodes = nodes;
    const Choice choice = parse_choice(problem, specification);
    if (!applies(problem, choice)) continue;
    const Schedule schedule = make_schedule(problem, choice);
    EXPECT_EQ(counted(schedule), by_all_programs(schedule)) << specification << ", " << problem.ranks << " ranks";
    EXPECT_EQ(workload(schedule, {.work = true}).nodes_sampled, 0);
  }
}

// 64 ranks have enough messages for counting by nodes that represent others.
TEST(Work, EqualsTheSumOverAllPrograms) {
  for (const Count ranks : {1, 2, 7, 8, 12, 64})
    for (const Algorithm* algorithm : all_algorithms())
      if (algorithm->collective == Collective::alltoall)
        expect_equal_counts(Problem::alltoall(ranks, 8), std::string(algorithm->id));
}

TEST(Work, CountsReductionsAndRoots) {
  for (const auto& [collective, root] :
       {std::pair(Collective::allreduce, 0), {Collective::reduce, 5}, {Collective::gather, 7}, {Collective::barrier, 0}}) {
    Problem problem{.collective = collective, .ranks = 12, .block_bytes = 24, .root = root};
    if (!has_blocks(collective)) problem.block_bytes = 0;
    for (const Algorithm* algorithm : all_algorithms())
      if (algorithm->collective == collective) expect_equal_counts(problem, std::string(algorithm->id));
  }
}

Schedule on_nodes(Count ranks, Count ranks_of_node, const std::string& specification) {
  Problem problem = Problem::alltoall(ranks, 8);
  for (Rank rank = 0; rank < ranks; ++rank) problem.nodes.push_back(rank / ranks_of_node);
  return make_schedule(problem, specification);
}

// Only one of ten thousand nodes is counted. Every rank sends to the other seven of its node, and to all others.
TEST(Work, IsCountedOnOneNodeIfAllNodesAreAlike) {
  for (const char* specification : {"direct", "shift", "bruck", "ring"}) {
    const Workload work = workload(on_nodes(16'000, 8, specification), {.work = true});
    EXPECT_EQ(work.nodes_sampled, 0) << specification;
    EXPECT_LE(work.messages_counted, 2 * 8 * 15'999) << specification;
  }
  const RoundFigures direct = workload(on_nodes(16'000, 8, "direct"), {.work = true}).stages.back().rounds.back();
  EXPECT_EQ(direct.outside_messages, 15'992);
  EXPECT_EQ(direct.node_outside_messages, 8 * 15'992);
  EXPECT_EQ(direct.exchanged, 8 * 15'992 * 8);
  EXPECT_EQ(direct.node_inside_messages, 8 * 7);
}

TEST(Work, IsSampledIfThereAreTooManyPrograms) {
  const Workload work = workload(on_nodes(2048, 8, "one-factor"), {.work = true});
  EXPECT_GE(work.nodes_sampled, 3);
  EXPECT_LT(work.nodes_sampled, 256);
  EXPECT_EQ(work.stages.front().startups, 2047) << "each round has a message of a sampled rank";
  Count outside = 0;
  for (const RoundFigures& round : work.stages.front().rounds) outside = std::max(outside, round.node_outside_messages);
  EXPECT_EQ(outside, 8);
  const Workload again = workload(on_nodes(2048, 8, "one-factor"), {.work = true});
  EXPECT_EQ(again.messages_counted, work.messages_counted) << "the same nodes are sampled each time";
}

}  // namespace
}  // namespace quadrille
