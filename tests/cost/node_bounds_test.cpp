// SPDX-License-Identifier: BSD-3-Clause
// Compares lower bounds between nodes with what the postconditions say, and with the figures of all algorithms.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "problem/node_ranks.hpp"
#include "quadrille/cost.hpp"
#include "support/cases.hpp"
#include "support/partitions.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Count bound_between_nodes(const Problem& problem, Count ports, const std::string& figure) {
  Count best = 0;
  for (const Bound& entry : lower_bounds_between_nodes(problem, ports))
    if (entry.figure == figure) best = std::max(best, entry.value);
  return best;
}

Problem on(std::vector<Count> nodes, Problem problem) {
  problem.nodes = std::move(nodes);
  return problem;
}

std::vector<Count> equal_nodes(Count nodes, Count ranks) {
  std::vector<Count> list;
  for (Rank rank = 0; rank < nodes * ranks; ++rank) list.push_back(rank / ranks);
  return list;
}

// Counts the bytes that must enter a set of ranks: each output byte needs operands of ranks outside. Bytes of one position that
// need the same operands can share one byte of a message; those that need different ones cannot, if the sets of operands are
// disjoint, or each contains the one before.
Bytes entering(const Problem& problem, const std::set<Rank>& inside) {
  std::map<Bytes, std::set<std::set<Rank>>> needed;  // by position
  for (const Rank rank : inside)
    for (const ExpectedPiece& piece : expected_output(problem, rank)) {
      std::set<Rank> operands;
      for (Rank origin = piece.first; origin <= piece.last; ++origin)
        if (!inside.contains(origin)) operands.insert(origin);
      for (Bytes i = 0; i < piece.length && !operands.empty(); ++i) needed[piece.input_offset + i].insert(operands);
    }
  Bytes sum = 0;
  for (const auto& [position, sets] : needed) sum += static_cast<Bytes>(sets.size());
  return sum;
}

struct Needed {
  Bytes out = 0, in = 0;
  Count connected = 1;
};

Needed needed(const Problem& problem) {
  const NodeRanks nodes(problem);
  Needed busiest;
  Bytes all_out = 0, all_in = 0;
  std::map<Count, std::set<Count>> origins, targets;
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    for (const ExpectedPiece& piece : expected_output(problem, rank))
      for (Rank origin = piece.first; origin <= piece.last && piece.length > 0; ++origin) {
        origins[nodes.node_of(rank)].insert(nodes.node_of(origin));
        targets[nodes.node_of(origin)].insert(nodes.node_of(rank));
      }
  for (Count node = 0; node < nodes.node_count(); ++node) {
    std::set<Rank> inside, outside;
    for (Rank rank = 0; rank < problem.ranks; ++rank) (nodes.node_of(rank) == node ? inside : outside).insert(rank);
    const Bytes in = entering(problem, inside), out = entering(problem, outside);
    busiest.in = std::max(busiest.in, in);
    busiest.out = std::max(busiest.out, out);
    all_in += in;
    all_out += out;
    for (auto* others : {&origins[node], &targets[node]}) {
      others->insert(node);
      busiest.connected = std::max(busiest.connected, static_cast<Count>(others->size()));
    }
  }
  const auto share = [&](Bytes bytes) { return (bytes + nodes.node_count() - 1) / nodes.node_count(); };
  busiest.in = std::max(busiest.in, share(all_out));
  busiest.out = std::max(busiest.out, share(all_in));
  if (!moves_data(problem.collective)) busiest.connected = nodes.node_count();
  return busiest;
}

TEST(NodeBounds, AreWhatThePostconditionNeeds) {
  for (const Collective collective : all_collectives())
    for (Count p = 1; p <= extent(4, 6, 7); ++p)
      for (const Bytes b : {0, 1, 5})
        for (const Rank root : roots_of(collective, p))
          for (const std::vector<Count>& nodes : all_partitions(p)) {
            const Problem problem = on(nodes, problem_of(collective, p, b, root, static_cast<std::uint64_t>(p + 7 * b)));
            SCOPED_TRACE(description(problem));
            const Needed least = needed(problem);
            if (collective != Collective::allreduce) {  // which needs more; see below
              EXPECT_EQ(bound_between_nodes(problem, 1, "node_traffic_in"), least.in);
              EXPECT_EQ(bound_between_nodes(problem, 1, "node_traffic_out"), least.out);
            }
            for (const Count ports : {1, 2}) {
              Count rounds = 0;
              for (Count reached = 1; reached < least.connected; reached *= ports + 1) ++rounds;
              EXPECT_EQ(bound_between_nodes(problem, ports, "node_rounds"), rounds);
            }
            if (HasFailure()) return;
          }
}

TEST(NodeBounds, AreThoseOfPapersForEqualNodes) {
  using Both = std::pair<Bytes, Bytes>;  // out, in
  const std::vector<Count> nodes = equal_nodes(6, 4);
  const auto both = [&](const Problem& problem) {
    return Both{bound_between_nodes(on(nodes, problem), 1, "node_traffic_out"),
                bound_between_nodes(on(nodes, problem), 1, "node_traffic_in")};
  };
  EXPECT_EQ(both(Problem::alltoall(24, 10)), (Both{800, 800}));
  EXPECT_EQ(both(Problem::allgather(24, 10)), (Both{200, 200})) << "a node receives 20 blocks; all send as many as they receive";
  EXPECT_EQ(both(Problem::reduce_scatter(24, 10)), (Both{200, 200}));
  EXPECT_EQ(both(Problem::broadcast(24, 10)), (Both{10, 10}));
  EXPECT_EQ(both(Problem::reduce(24, 10)), (Both{10, 10}));
  EXPECT_EQ(both(Problem::allreduce(24, 60)), (Both{100, 100})) << "2 * 60 * 5 / 6";
  EXPECT_EQ(both(Problem::allreduce(24, 61)), (Both{102, 102})) << "101.7, rounded up";
  EXPECT_EQ(both(Problem::scatter(24, 10, 5)), (Both{200, 40}));
  EXPECT_EQ(both(Problem::gather(24, 10, 5)), (Both{40, 200}));
  EXPECT_EQ(both(Problem::scan(24, 10)), (Both{10, 10}));
  EXPECT_EQ(both(Problem::barrier(24)), (Both{0, 0}));

  EXPECT_EQ(bound_between_nodes(on(nodes, Problem::broadcast(24, 10)), 1, "node_rounds"), 3);
  EXPECT_EQ(bound_between_nodes(on(nodes, Problem::broadcast(24, 10)), 2, "node_rounds"), 2);
  EXPECT_EQ(bound_between_nodes(on(nodes, Problem::broadcast(24, 10)), 5, "node_rounds"), 1);
  EXPECT_EQ(bound_between_nodes(on(equal_nodes(8, 3), Problem::barrier(24)), 1, "node_rounds"), 3);
  EXPECT_EQ(bound_between_nodes(on(equal_nodes(9, 3), Problem::barrier(27)), 1, "node_rounds"), 4);
  EXPECT_EQ(bound_between_nodes(on(equal_nodes(1, 24), Problem::allgather(24, 10)), 1, "node_traffic_in"), 0);
  EXPECT_EQ(bound_between_nodes(Problem::allgather(24, 10), 1, "node_traffic_in"), 230) << "without nodes, each rank is one";
}

TEST(NodeBounds, OfUnequalNodes) {
  const std::vector<Count> nodes{0, 1, 1, 2, 2, 2, 2, 2};
  EXPECT_EQ(bound_between_nodes(on(nodes, Problem::allgather(8, 10)), 1, "node_traffic_in"), 70) << "into the node of one rank";
  EXPECT_EQ(bound_between_nodes(on(nodes, Problem::allgather(8, 10)), 1, "node_traffic_out"), 54) << "a third of 70 + 60 + 30";
  EXPECT_EQ(bound_between_nodes(on(nodes, Problem::alltoall(8, 10)), 1, "node_traffic_out"), 150);
  EXPECT_EQ(bound_between_nodes(on(nodes, Problem::scatter(8, 10, 0)), 1, "node_traffic_out"), 70);
  EXPECT_EQ(bound_between_nodes(on(nodes, Problem::scatter(8, 10, 0)), 1, "node_traffic_in"), 50);
  EXPECT_EQ(bound_between_nodes(on({0, 1, 0, 1, 0, 1}, Problem::scan(6, 10)), 1, "node_traffic_in"), 30) << "three runs of node 1";
  EXPECT_EQ(bound_between_nodes(on({0, 1, 0, 1, 0, 1}, Problem::scan(6, 10)), 1, "node_traffic_out"), 30) << "three runs of node 0";
  EXPECT_EQ(bound_between_nodes(on({0, 1, 0, 1, 0, 0}, Problem::exscan(6, 10)), 1, "node_traffic_in"), 20);
}

TEST(NodeBounds, HoldForBlocksLargerThanAnyMemory) {
  const Bytes b = Bytes{1} << 57;
  EXPECT_EQ(bound_between_nodes(on(equal_nodes(8, 2), Problem::allreduce(16, b)), 1, "node_traffic_out"), b / 8 * 14);
  EXPECT_EQ(bound_between_nodes(on(equal_nodes(4, 2), Problem::alltoall(8, b / 4)), 1, "node_traffic_out"), 12 * (b / 4));
}

// No algorithm has smaller figures, on any placement of its ranks.
void expect_within(const Schedule& schedule) {
  const NodeFigures counted = node_figures(schedule);
  for (const Bound& entry : lower_bounds_between_nodes(schedule.problem, counted.ports)) {
    const Count figure = entry.figure == "node_rounds"        ? counted.rounds
                         : entry.figure == "node_traffic_out" ? counted.traffic_out
                                                              : counted.traffic_in;
    EXPECT_GE(figure, entry.value) << entry.figure << ": " << entry.source << "; " << specification(schedule) << ", "
                                   << description(schedule.problem);
  }
}

// Returns the schedule with its programs made once, if they do not depend on nodes.
Schedule kept(const Schedule& schedule) {
  auto programs = std::make_shared<std::vector<Program>>();
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs->push_back(schedule.program(rank));
  Schedule same = schedule;
  same.program = [programs](Rank rank) { return (*programs)[static_cast<std::size_t>(rank)]; };
  return same;
}

TEST(NodeBounds, HoldForEveryAlgorithmOnAllNodes) {
  for (const Algorithm* algorithm : all_algorithms())
    for (Count p = 1; p <= extent(4, 7, 8); ++p) {
      const Count all_settings = extent(3, 4, 5);
      const auto partitions = all_partitions(p);
      std::vector<Problem> problems{problem_of(algorithm->collective, p, 3, p / 3)};
      if (p <= extent(4, 6, 8)) problems = problems_of(algorithm->collective, p, 3, /*all_roots_up_to=*/5);
      for (const Problem& problem : problems) {
        const auto choices = [&](const Problem& placed) {
          if (p <= all_settings) return all_choices(*algorithm, placed);
          std::vector<Choice> standard{standard_choice(*algorithm, placed)};
          std::erase_if(standard, [&](const Choice& choice) { return !applies(placed, choice); });
          return standard;
        };
        if (algorithm->node_ports) {
          for (const auto& nodes : partitions)
            for (const Choice& choice : choices(on(nodes, problem))) expect_within(make_schedule(on(nodes, problem), choice));
        } else {
          for (const Choice& choice : choices(problem)) {
            Schedule schedule = kept(make_schedule(problem, choice));
            for (const auto& nodes : partitions) {
              schedule.problem.nodes = nodes;
              expect_within(schedule);
            }
          }
        }
        if (HasFailure()) return;
      }
    }
}

}  // namespace
}  // namespace quadrille
