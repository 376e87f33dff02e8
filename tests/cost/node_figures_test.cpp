// SPDX-License-Identifier: BSD-3-Clause
// Compares figures between nodes with counts by hand, and with a count of all messages.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "quadrille/cost.hpp"
#include "support/cases.hpp"
#include "support/partitions.hpp"

namespace quadrille {

void PrintTo(const NodeFigures& figures, std::ostream* stream) {
  *stream << fmt::format("{} rounds, {} ports, {} start-ups, {} B out, {} B in", figures.rounds, figures.ports, figures.startups,
                         figures.traffic_out, figures.traffic_in);
}

namespace {

using namespace quadrille::testing;

NodeFigures count(Problem problem, std::vector<Count> nodes, const char* specification) {
  problem.nodes = std::move(nodes);
  return node_figures(make_schedule(problem, specification));
}

TEST(NodeFigures, OfSimpleAlgorithms) {
  const std::vector<Count> pairs{0, 0, 1, 1}, dealt{0, 1, 0, 1};
  EXPECT_EQ(count(Problem::alltoall(4, 3), pairs, "direct"), (NodeFigures{1, 4, 4, 12, 12}));
  EXPECT_EQ(count(Problem::alltoall(4, 3), pairs, "clustered"), (NodeFigures{4, 1, 4, 12, 12}));
  EXPECT_EQ(count(Problem::alltoall(4, 3), pairs, "combined"), (NodeFigures{1, 1, 1, 12, 12}));
  EXPECT_EQ(count(Problem::alltoall(4, 3), {7, 7, 7, 7}, "direct"), NodeFigures{}) << "one node";
  EXPECT_EQ(count(Problem::alltoall(4, 3), {}, "direct"), (NodeFigures{1, 3, 3, 9, 9})) << "each rank is a node";
  EXPECT_EQ(count(Problem::allgather(4, 3), pairs, "ring"), (NodeFigures{3, 1, 3, 9, 9}));
  EXPECT_EQ(count(Problem::allgather(4, 3), dealt, "ring"), (NodeFigures{3, 2, 6, 18, 18}));
  EXPECT_EQ(count(Problem::broadcast(4, 3), pairs, "binomial"), (NodeFigures{1, 1, 1, 3, 3})) << "from 0 to 2, then 0 to 1, 2 to 3";
  EXPECT_EQ(count(Problem::barrier(4), dealt, "dissemination"), (NodeFigures{1, 2, 2, 0, 0})) << "the second round stays within";
}

// What a reader counts who sees all messages at once.
NodeFigures counted_at_once(const Schedule& schedule) {
  const auto node_of = [&](Rank rank) { return schedule.problem.nodes[static_cast<std::size_t>(rank)]; };
  std::map<Count, NodeFigures> nodes;
  std::map<std::tuple<Count, Count, bool>, std::set<std::pair<Rank, Rank>>> exchanges;
  std::set<Count> rounds;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      const auto send = [&](Rank peer, Bytes length) {
        const Count from = node_of(rank), to = node_of(peer);
        if (from == to) return;
        rounds.insert(round.number);
        exchanges[{round.number, from, true}].emplace(rank, peer);
        exchanges[{round.number, to, false}].emplace(rank, peer);
        ++nodes[from].startups;
        nodes[from].traffic_out += length;
        nodes[to].traffic_in += length;
      };
      for (const Message& message : round.sends) send(message.peer, bytes(message.regions));
      if (moves_data(schedule.problem.collective)) continue;
      for (const Control& control : round.control_sends) send(control.peer, 0);
    }
  NodeFigures figures;
  figures.rounds = static_cast<Count>(rounds.size());
  for (const auto& [place, pairs] : exchanges) figures.ports = std::max(figures.ports, static_cast<Count>(pairs.size()));
  for (const auto& [number, node] : nodes) {
    figures.startups = std::max(figures.startups, node.startups);
    figures.traffic_out = std::max(figures.traffic_out, node.traffic_out);
    figures.traffic_in = std::max(figures.traffic_in, node.traffic_in);
  }
  return figures;
}

// Also with symmetries, by which some nodes stand for the others.
TEST(NodeFigures, AreThoseOfACountOfAllMessages) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 2, 3, 4, 5, 6, 8, 12}) {
      std::vector<std::vector<Count>> all_nodes = p <= extent(4, 5, 6) ? all_partitions(p) : placements(p);
      for (const Count size : {2, 3, 4}) {
        if (p % size != 0) continue;
        auto& consecutive = all_nodes.emplace_back();
        for (Rank rank = 0; rank < p; ++rank) consecutive.push_back(rank / size);
        auto& dealt = all_nodes.emplace_back();
        for (Rank rank = 0; rank < p; ++rank) dealt.push_back(rank % size);
      }
      for (const std::vector<Count>& nodes : all_nodes) {
        Problem problem = problem_of(algorithm->collective, p, 3);
        problem.nodes = nodes;
        for (const Choice& choice : thinned(all_choices(*algorithm, problem, 3), 4)) {
          const Schedule schedule = make_schedule(problem, choice);
          EXPECT_EQ(node_figures(schedule), counted_at_once(schedule)) << specification(schedule) << ", " << description(problem);
        }
      }
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace quadrille
