// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood allgatherv [liu2002, section 5]: problems with shared blocks, and the algorithm made for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/document.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/interpreter.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/sentence_of.hpp"
#include "support/why_not.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// A graph and the blocks of its ranks.
struct Neighborhood {
  std::vector<Bytes> shares;
  std::vector<std::vector<Rank>> sources;  // of each rank; may repeat a rank

  Count ranks() const { return size(shares); }
  Problem problem() const { return neighborhood_allgatherv(shares, sources); }

  // The data, by the definition of the collective and without the library's postcondition: byte i of rank r's block is r + 13 i.
  static std::byte label(Rank rank, Bytes i) { return static_cast<std::byte>(1 + rank + 13 * i); }
  ByteVector block(Rank rank) const {
    ByteVector bytes;
    for (Bytes i = 0; i < shares[index(rank)]; ++i) bytes.push_back(label(rank, i));
    return bytes;
  }
  ByteVector input(Rank rank) const {  // nobody needs the block of a rank that nobody lists
    for (const std::vector<Rank>& list : sources)
      if (std::count(list.begin(), list.end(), rank) > 0) return block(rank);
    return {};
  }
  ByteVector expected(Rank rank) const {
    ByteVector bytes;
    for (const Rank source : std::set(sources[index(rank)].begin(), sources[index(rank)].end()))
      for (const std::byte byte : block(source)) bytes.push_back(byte);
    return bytes;
  }

  // What is wrong with the outputs; empty if nothing is.
  std::string judge(const Schedule& schedule) const {
    std::vector<ByteVector> inputs;
    for (Rank rank = 0; rank < ranks(); ++rank) inputs.push_back(input(rank));
    const std::vector<ByteVector> outputs = interpret(schedule, inputs, {});
    for (Rank rank = 0; rank < ranks(); ++rank)
      if (outputs[index(rank)] != expected(rank)) return fmt::format("rank {} has other bytes", rank);
    return "";
  }

  std::string text() const {
    std::string text;
    for (Rank rank = 0; rank < ranks(); ++rank)
      text += fmt::format("{}: {} B from {}; ", rank, shares[index(rank)], fmt::join(sources[index(rank)], ","));
    return text;
  }
};

// The graph whose edge from i to j is bit i p + j.
Neighborhood with_edges(std::vector<Bytes> shares, std::uint64_t edges) {
  Neighborhood made{std::move(shares), {}};
  made.sources.resize(index(made.ranks()));
  for (Rank from = 0; from < made.ranks(); ++from)
    for (Rank to = 0; to < made.ranks(); ++to)
      if (edges >> (from * made.ranks() + to) & 1) made.sources[index(to)].push_back(from);
  return made;
}

Neighborhood random_graph(std::mt19937_64& random, Count most_ranks) {
  Neighborhood made;
  const Count p = 1 + static_cast<Count>(random() % static_cast<std::uint64_t>(most_ranks));
  made.sources.resize(index(p));
  const std::uint64_t one_in = 1 + random() % 8;
  for (Rank rank = 0; rank < p; ++rank) {
    made.shares.push_back(random() % 4 == 0 ? 0 : static_cast<Bytes>(random() % 70));
    for (Rank source = 0; source < p; ++source)
      for (std::uint64_t times = random() % one_in == 0 ? 1 + random() % 2 : 0; times > 0; --times)
        made.sources[index(rank)].push_back(source);
    std::shuffle(made.sources[index(rank)].begin(), made.sources[index(rank)].end(), random);
  }
  return made;
}

void expect_right(const Neighborhood& graph, const std::string& specification) {
  const Schedule schedule = make_schedule(graph.problem(), specification);
  for (const Finding& finding : verify(schedule)) FAIL() << specification << ", " << graph.text() << to_string(finding);
  ASSERT_EQ(graph.judge(schedule), "") << specification << ", " << graph.text();
}

TEST(Multicast, IsRightOnAllSmallGraphs) {
  for (const std::vector<Bytes>& shares : std::vector<std::vector<Bytes>>{{3}, {2, 5}, {5, 0, 1}, {4, 3, 7}, {1, 6, 0, 9}}) {
    const Count p = size(shares);
    const std::uint64_t step = extent(977, 61, 1);
    for (std::uint64_t edges = 0; edges < std::uint64_t{1} << (p * p); edges += p < 4 ? 1 : step)
      for (Count columns = 1; columns <= p; ++columns)
        if (RankArray::is_valid(p, columns))
          expect_right(with_edges(shares, edges), fmt::format("multicast:grain=2,counts=known,columns={}", columns));
  }
}

TEST(Multicast, IsRightOnRandomGraphs) {
  std::mt19937_64 random(7);
  for (int turn = 0; turn < extent(20, 200, 5000); ++turn) {
    const Neighborhood graph = random_graph(random, 30);
    for (const char* specification : {"multicast", "multicast:grain=1,counts=known", "multicast:grain=5,columns=paper"})
      expect_right(graph, specification);
  }
}

// All algorithms of alltoallv read each block where it lies, however many targets it has.
TEST(Multicast, IsSolvedByEveryAlgorithm) {
  std::mt19937_64 random(11);
  for (int turn = 0; turn < extent(3, 25, 400); ++turn) {
    const Neighborhood graph = random_graph(random, 12);
    for (const std::vector<Count>& nodes : placements(graph.ranks()))
      for (const Algorithm* algorithm : algorithms_for(Collective::alltoallv)) {
        Problem problem = graph.problem();
        problem.nodes = nodes;
        for (const Choice& choice : thinned(all_choices(*algorithm, problem, 3), 4)) {
          const Schedule schedule = make_schedule(problem, choice);
          for (const Finding& finding : verify(schedule)) FAIL() << specification(choice) << ", " << to_string(finding);
          ASSERT_EQ(graph.judge(schedule), "") << specification(choice) << ", " << graph.text();
        }
      }
  }
}

TEST(Multicast, NeedsSharedBlocks) {
  const Problem pairs = Problem::alltoallv(2, std::vector<Bytes>{0, 3, 3, 0});
  EXPECT_NE(why_not(applies(pairs, parse_choice(pairs, "multicast"))).find("every block has one target"), std::string::npos);
  EXPECT_TRUE(applies(with_shared_blocks(pairs), parse_choice(pairs, "multicast")));
}

Neighborhood regular(Count p, Count targets, Bytes share) {
  Neighborhood made{std::vector<Bytes>(index(p), share), std::vector<std::vector<Rank>>(index(p))};
  for (Rank to = 0; to < p; ++to)
    for (Count i = 1; i <= targets; ++i) made.sources[index(to)].push_back((to - i + p) % p);
  return made;
}

Neighborhood from_first(Count p, Bytes share) {
  Neighborhood made{std::vector<Bytes>(index(p), share), std::vector<std::vector<Rank>>(index(p), {0})};
  made.sources[0].clear();
  return made;
}

// Exact figures, which the head of the algorithm's file bounds: b is the block and L = d b what a rank receives.
TEST(Multicast, DealsABlockOutOnce) {
  const Count p = 16, share = 16 * p;
  const auto counted = [](const Neighborhood& graph, const char* specification) {
    return figures(make_schedule(graph.problem(), specification));
  };
  const char* multicast = "multicast:grain=1,counts=known,columns=4";
  // To all: rank 0 deals out b, along its row and then each rank of the row along its column; then each rank sends its 16th to the
  // other 3 of its row, and a quarter of b to the other 3 of its column.
  EXPECT_EQ(counted(from_first(p, share), multicast).c1, 12);
  EXPECT_EQ(counted(from_first(p, share), multicast).c2, 3 * share / 4 + 3 * share / 16 + 3 * share / 16 + 3 * share / 4);
  EXPECT_EQ(counted(from_first(p, share), "shift").c2, 15 * share);
  for (const Count targets : {1, 4, 8, 15}) {
    const Figures ours = counted(regular(p, targets, share), multicast);
    const Bytes load = targets * share;
    EXPECT_LE(ours.c1, 12);
    EXPECT_LE(ours.c2, 2 * share + 2 * load) << targets;
    EXPECT_GE(ours.c2, load) << targets;
    EXPECT_EQ(ours.traffic_out, ours.traffic_in) << "the graph looks alike from each rank";
  }
  const Figures one = counted(regular(p, 1, share), multicast);
  Problem pairs = Problem::alltoallv(p, [&] {
    std::vector<TrafficEntry> entries;
    for (Rank rank = 0; rank < p; ++rank) entries.push_back({rank, (rank + 1) % p, share});
    return entries;
  }());
  const Figures a4 = figures(make_schedule(pairs, "four-stage:grain=1,counts=known,columns=4"));
  EXPECT_EQ(one.c1, a4.c1);
  EXPECT_EQ(one.c2, a4.c2);
}

TEST(Multicast, StaysWithinItsBoundsOnRandomGraphs) {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < extent(10, 60, 1000); ++turn) {
    Neighborhood graph = random_graph(random, 30);
    for (Bytes& share : graph.shares) share *= 8 * graph.ranks();  // dealt out evenly
    const Problem problem = graph.problem();
    const Figures ours = figures(make_schedule(problem, "multicast:grain=1,counts=known,columns=1"));
    Bytes longest = 0, received = 0;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      longest = std::max(longest, input_bytes(problem, rank));
      received = std::max(received, output_bytes(problem, rank));
    }
    EXPECT_LE(ours.c2, longest + received) << "one column has two stages; " << graph.text();
    EXPECT_LE(figures(make_schedule(problem, "multicast:grain=1,counts=known")).c2, 3 * (longest + received)) << graph.text();
  }
}

// Independent of the library's counting: what must leave and enter each rank and each node.
TEST(SharedBlocks, HaveLowerBoundsThatCountABlockOnce) {
  std::mt19937_64 random(3);
  for (int turn = 0; turn < extent(10, 100, 1000); ++turn) {
    const Neighborhood graph = random_graph(random, 12);
    Problem problem = graph.problem();
    problem.nodes = placements(graph.ranks())[1];
    Bytes most = 0;
    std::map<Count, std::map<Rank, Bytes>> out, in;  // by node: the blocks that cross its border
    for (Rank to = 0; to < graph.ranks(); ++to) {
      Bytes received = 0;
      for (const Rank from : std::set(graph.sources[index(to)].begin(), graph.sources[index(to)].end())) {
        if (from == to) continue;
        const Bytes share = graph.shares[index(from)];
        received += share;
        most = std::max(most, share);
        if (const Count source = problem.nodes[index(from)], target = problem.nodes[index(to)]; source != target)
          out[source][from] = in[target][from] = share;
      }
      most = std::max(most, received);
    }
    EXPECT_EQ(lower_bounds(problem, 1).at(1).value, most) << graph.text();
    const auto busiest = [](const auto& nodes) {
      Bytes busiest = 0;
      for (const auto& [node, blocks] : nodes) {
        Bytes sum = 0;
        for (const auto& [rank, share] : blocks) sum += share;
        busiest = std::max(busiest, sum);
      }
      return busiest;
    };
    for (const Bound& bound : lower_bounds_between_nodes(problem, 1)) {
      if (bound.source == "what other nodes need of a node") EXPECT_EQ(bound.value, busiest(out)) << graph.text();
      if (bound.source == "what a node needs of other nodes") EXPECT_EQ(bound.value, busiest(in)) << graph.text();
    }
    for (const Choice& choice :
         {parse_choice(problem, "direct"), parse_choice(problem, "multicast"), parse_choice(problem, "combined")}) {
      const Schedule schedule = make_schedule(problem, choice);
      const Figures counted = figures(schedule);
      for (const Bound& bound : lower_bounds(problem, std::max<Count>(1, counted.ports)))
        EXPECT_GE(bound.figure == "c1" ? counted.c1 : counted.c2, bound.value) << specification(choice) << ", " << graph.text();
      const NodeFigures nodes = node_figures(schedule);
      for (const Bound& bound : lower_bounds_between_nodes(problem, 1))
        if (bound.figure == "node_traffic_out") EXPECT_GE(nodes.traffic_out, bound.value) << specification(choice) << graph.text();
    }
  }
}

TEST(SharedBlocks, AreKeptInDocuments) {
  const Neighborhood graph{{3, 0, 5}, {{2, 2}, {0, 1, 2}, {2, 0}}};  // repeated edges, an empty block, edges to oneself
  for (const char* specification : {"multicast:counts=known", "direct", "multicast"})
    for (const auto& write : {write_text, write_json}) {
      std::ostringstream out, again;
      write(out, make_schedule(graph.problem(), specification));
      const std::vector<Schedule> read = parse_documents(out.str());
      ASSERT_EQ(read.size(), 1u);
      EXPECT_TRUE(Traffic(read[0].problem).shares_blocks());
      EXPECT_TRUE(verify(read[0]).empty()) << specification;
      EXPECT_EQ(graph.judge(read[0]), "") << specification;
      write(again, read[0]);
      EXPECT_EQ(out.str(), again.str());
    }
  std::ostringstream unequal;
  write_json(unequal, make_schedule(graph.problem(), "direct"));
  std::string text = unequal.str();
  text.replace(text.find("[0, 3, 3]"), 9, "[0, 3, 4]");
  EXPECT_NE(sentence_of([&] { parse_documents(text); }).find("shares one block"), std::string::npos);
}

TEST(SharedBlocks, AreRefusedIfTheyDiffer) {
  EXPECT_EQ(sentence_of([] {
              with_shared_blocks(Problem::alltoallv(2, std::vector<Bytes>{1, 2, 0, 0}));
            }),
            "rank 0 shares one block among its targets, but has 1 bytes for rank 0 and 2 for 1");
  EXPECT_EQ(sentence_of([] { neighborhood_allgatherv({1, 2}, {{0}}); }), "there are 2 shares and 1 lists of sources");
  EXPECT_EQ(sentence_of([] { neighborhood_allgatherv({1, 2}, {{0}, {2}}); }), "rank 1 has the source 2; ranks are 0 to 1");
  EXPECT_EQ(sentence_of([] { neighborhood_allgatherv({1, -2}, {{0}, {1}}); }), "a count is -2 bytes; counts are 0 or more");
}

// Plans choose among all algorithms, and with long blocks for many targets the figures of `multicast` are far ahead.
TEST(SharedBlocks, RunOnThreads) {
  std::mt19937_64 random(13);
  std::vector<Neighborhood> graphs{from_first(9, 5000), regular(6, 4, 70)};
  for (int turn = 0; turn < 6; ++turn) graphs.push_back(random_graph(random, 9));
  for (const Neighborhood& graph : graphs)
    run_threads(graph.ranks(), [&](Communicator& ranks) {
      const Problem problem = graph.problem();  // an object of each rank's own
      for (const char* algorithm : {"multicast", "multicast:counts=known,grain=3", "direct", "auto"})
        for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
          Plan made = plan(ranks, problem, {.algorithm = algorithm, .policy = policy});
          const ByteVector input = graph.input(ranks.rank());
          ByteVector output(graph.expected(ranks.rank()).size(), std::byte{0});
          made.execute(input.data(), output.data());
          EXPECT_EQ(output, graph.expected(ranks.rank())) << algorithm << ", " << graph.text();
        }
    });
}

TEST(SharedBlocks, AreComparedAmongRanks) {
  run_threads(2, [](Communicator& ranks) {
    const Problem pairs = Problem::alltoallv(2, std::vector<Bytes>{4, 4, 4, 4});
    EXPECT_THROW(plan(ranks, ranks.rank() == 0 ? pairs : with_shared_blocks(pairs), {.algorithm = "four-stage"}), Error);
  });
}

}  // namespace
}  // namespace quadrille
