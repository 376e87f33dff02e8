// SPDX-License-Identifier: BSD-3-Clause
// Topologies: links, routes and distances, compared with counts by hand and with a search over the links.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "quadrille/error.hpp"
#include "quadrille/topology.hpp"
#include "support/why_not.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> chosen_topologies{
    "ring:1",          "ring:2",         "ring:7",     "array:6",     "torus:2x3",       "torus:4x1x5",
    "torus:3x4x5",     "mesh:3x4",       "mesh:2x2x3", "hypercube:1", "hypercube:16",    "hypercube:16,last",
    "cluster:3x2",     "cluster:1x4",    "fat-tree:2", "fat-tree:4",  "dragonfly:9x4x2", "dragonfly:5x2x3",
    "dragonfly:1x3x1", "torus:4x6,last", "full:1",     "full:6"};

// Returns the topologies above, and the example of each row of the table.
std::vector<std::string> some_topologies() {
  std::vector<std::string> all = chosen_topologies;
  for (const std::string& example : topology_examples()) all.push_back(example);
  return all;
}

std::vector<Vertex> way(const Topology& topology, Rank from, Rank to, std::optional<Port> port = {}) {
  std::vector<Vertex> ranks;
  EXPECT_TRUE(topology.for_each_link(from, to, port, [&](const Link& link) { ranks.push_back(link.to); }));
  return ranks;
}

// Returns the distance from one rank to each other, by a search over neighbours.
std::vector<Count> searched_distances(const Topology& topology, Rank from) {
  std::vector<Count> distances(static_cast<std::size_t>(topology.vertices()), -1);
  std::deque<Rank> ahead{from};
  distances[static_cast<std::size_t>(from)] = 0;
  while (!ahead.empty()) {
    const Rank rank = ahead.front();
    ahead.pop_front();
    for (const Rank next : topology.neighbours(rank)) {
      if (distances[static_cast<std::size_t>(next)] >= 0) continue;
      distances[static_cast<std::size_t>(next)] = distances[static_cast<std::size_t>(rank)] + 1;
      ahead.push_back(next);
    }
  }
  return distances;
}

bool throws(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error&) {
    return true;
  }
  return false;
}

TEST(Topology, NumbersItsLinksConsecutively) {
  for (const std::string& name : some_topologies()) {
    const Topology topology = parse_topology(name);
    EXPECT_EQ(topology.name(), name);
    std::set<Count> numbers;
    for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex)
      for (const Link& link : topology.links_from(vertex)) {
        EXPECT_EQ(link.from, vertex);
        EXPECT_NE(link.to, vertex);
        EXPECT_TRUE(numbers.insert(link.number).second) << name << ' ' << topology.text_of(link);
      }
    EXPECT_EQ(static_cast<Count>(numbers.size()), topology.link_count()) << name;
  }
}

TEST(Topology, RoutesAlongItsLinksByAShortestWay) {
  for (const std::string& name : some_topologies()) {
    const Topology topology = parse_topology(name);
    for (Rank from = 0; from < topology.ranks(); ++from) {
      const std::vector<Count> distances = searched_distances(topology, from);
      for (Rank to = 0; to < topology.ranks(); ++to) {
        Rank here = from;
        Count links = 0;
        EXPECT_TRUE(topology.for_each_link(from, to, {}, [&](const Link& link) {
          const auto leaving = topology.links_from(here);
          EXPECT_NE(std::find(leaving.begin(), leaving.end(), link), leaving.end()) << name;
          here = link.to;
          ++links;
        }));
        EXPECT_EQ(here, to) << name;
        EXPECT_EQ(links, distances[static_cast<std::size_t>(to)]) << name << ' ' << from << ' ' << to;
        EXPECT_EQ(links, topology.distance(from, to));
      }
    }
  }
}

TEST(Topology, CrossesDimensionsInTheirOrder) {
  EXPECT_THAT(way(parse_topology("torus:4x8"), 0, 9), ElementsAre(8, 9));
  EXPECT_THAT(way(parse_topology("torus:4x8,last"), 0, 9), ElementsAre(1, 9));
  EXPECT_THAT(way(parse_topology("hypercube:8"), 0, 7), ElementsAre(1, 3, 7));
  EXPECT_THAT(way(parse_topology("hypercube:8,last"), 0, 7), ElementsAre(4, 6, 7));
  EXPECT_THAT(way(parse_topology("mesh:2x3"), 5, 0), ElementsAre(2, 1, 0));
}

TEST(Topology, RoutesStraightFromAPort) {
  const Topology torus = parse_topology("torus:4x8");
  EXPECT_THAT(way(torus, 0, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(way(torus, 0, 4, Port{1, -1}), ElementsAre(7, 6, 5, 4));
  EXPECT_THAT(way(torus, 0, 1, Port{1, -1}), ElementsAre(7, 6, 5, 4, 3, 2, 1));
  EXPECT_THAT(way(torus, 8, 0, Port{0, 1}), ElementsAre(16, 24, 0));
  const auto nowhere = [](const Topology& topology, Rank from, Rank to, Port port) {
    return why_not(topology.for_each_link(from, to, port, [](const Link&) { ADD_FAILURE(); }));
  };
  EXPECT_THAT(nowhere(torus, 0, 9, {1, 1}), HasSubstr("cannot be reached from rank 0 straight along dimension 1"));
  EXPECT_THAT(nowhere(torus, 0, 1, {2, 1}), HasSubstr("has no dimension 2"));
  EXPECT_THAT(nowhere(torus, 0, 1, {1, 2}), HasSubstr("cannot be reached"));
  EXPECT_THAT(nowhere(parse_topology("array:4"), 0, 1, {0, -1}), HasSubstr("cannot be reached"));
  EXPECT_THAT(nowhere(parse_topology("full:4"), 0, 1, {0, 1}), HasSubstr("has no dimension"));
}

TEST(Topology, HasTwoLinksOnARingOfTwo) {
  const Topology ring = Topology::ring(2);
  std::set<Count> numbers;
  for (const int direction : {1, -1})
    ring.for_each_link(0, 1, Port{0, direction}, [&](const Link& link) { numbers.insert(link.number); });
  EXPECT_EQ(numbers.size(), 2u);
  EXPECT_EQ(parse_topology("hypercube:2").link_count(), 2);
  EXPECT_EQ(ring.link_count(), 4);
}

// With balanced routing each link of a dimension carries as much of a complete exchange as each other.
TEST(Topology, BalancesWhatHasHalfARingToGo) {
  for (const std::string name : {"torus:8", "torus:7", "torus:4x8", "torus:4x4x4", "torus:5x8"}) {
    const Topology topology = parse_topology(name + ",balanced");
    std::map<Count, Count> crossings;
    for (Rank from = 0; from < topology.ranks(); ++from)
      for (Rank to = 0; to < topology.ranks(); ++to) {
        Count links = 0;
        topology.for_each_link(from, to, {}, [&](const Link& link) { ++links, ++crossings[link.number]; });
        EXPECT_EQ(links, topology.distance(from, to));
      }
    std::map<int, std::set<Count>> loads;
    for (const auto& [number, count] : crossings) loads[topology.link(number).dimension].insert(count);
    for (const auto& [dimension, different] : loads) EXPECT_EQ(different.size(), 1u) << topology.name();
  }
}

// The bound is the average load of a link if all links of the dimension are alike.
TEST(Topology, BoundsTheLoadOfACompleteExchange) {
  for (const std::string name : {"ring:2", "ring:7", "ring:8", "torus:4x8", "torus:3x4x5", "torus:5x5", "hypercube:16", "full:6"}) {
    const Topology topology = parse_topology(name);
    std::map<int, Count> crossings, links;
    for (Rank from = 0; from < topology.ranks(); ++from) {
      for (const Link& link : topology.links_from(from)) ++links[link.dimension];
      for (Rank to = 0; to < topology.ranks(); ++to)
        topology.for_each_link(from, to, {}, [&](const Link& link) { ++crossings[link.dimension]; });
    }
    Bytes most = 0;
    for (const auto& [dimension, count] : crossings) most = std::max(most, ceil_divide(840 * count, links[dimension]));
    EXPECT_EQ(topology.exchange_load(840), most) << name;
  }
  EXPECT_EQ(parse_topology("array:8").exchange_load(1), 16);  // 4 * 4 blocks cross the middle
  EXPECT_EQ(parse_topology("mesh:4x4").exchange_load(1), 16);
  EXPECT_EQ(parse_topology("torus:4x8").exchange_load(1), 32);
}

TEST(Topology, ReadsTheExampleOfEachRowOfTheTable) {
  std::set<std::string_view> names;
  for (const TopologyKind* kind : all_topology_kinds()) {
    const std::string example = example_of(*kind);
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
    EXPECT_EQ(parse_topology(example).name(), example);
    EXPECT_FALSE(kind->description.empty()) << example;
    for (const std::string routing : {"first", "last", "balanced"}) {
      const bool is_known = std::find(kind->routings.begin(), kind->routings.end(), routing) != kind->routings.end();
      EXPECT_NE(is_known, throws([&] { parse_topology(example + ',' + routing); })) << example << ',' << routing;
      if (is_known) {
        const Topology topology = parse_topology(example + ',' + routing);
        EXPECT_EQ(topology.name(), routing == "first" ? example : example + ',' + routing);
      }
    }
    EXPECT_NE(kind->numbers == 0, throws([&] { parse_topology(example + "x2"); })) << example;
  }
}

TEST(Topology, RefusesMalformedNames) {
  const auto refused = [](const char* text) -> std::string {
    try {
      parse_topology(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("taurus:4"), HasSubstr("did you mean 'torus'?"));
  EXPECT_THAT(refused("butterfly:4"), HasSubstr("there are: torus, mesh, ring, array"));
  EXPECT_THAT(refused("torus"), HasSubstr("has no side; write torus:4x8"));
  EXPECT_THAT(refused("torus:"), HasSubstr("is not a side"));
  EXPECT_THAT(refused("torus:0x4"), HasSubstr("'0' in the topology 'torus:0x4' is not a side"));
  EXPECT_THAT(refused("torus:4x"), HasSubstr("is not a side"));
  EXPECT_THAT(refused("torus:4x-1"), HasSubstr("is not a side"));
  EXPECT_THAT(refused("torus:99999999999999999999"), HasSubstr("is 2^63 or more"));
  EXPECT_THAT(refused("torus:1000000x1000000"), HasSubstr("2^31"));
  EXPECT_THAT(refused("ring:4x4"), HasSubstr("takes one number"));
  EXPECT_THAT(refused("hypercube:12"), HasSubstr("power of two"));
  EXPECT_THAT(refused("ring:8,last"), HasSubstr("is not a routing of 'ring', which takes none"));
  EXPECT_THAT(refused("torus:4x4,highest"), HasSubstr("is not a routing of 'torus', whose routings are: first, last, balanced"));
  EXPECT_THAT(refused("cluster:4"), HasSubstr("takes 2 numbers, such as cluster:6x4"));
  EXPECT_THAT(refused("dragonfly:4x4"), HasSubstr("takes 3 numbers"));
  EXPECT_THAT(refused("fat-tree:5"), HasSubstr("even number of ports"));
  EXPECT_THAT(refused("cluster:1000x2000"), HasSubstr("2^20 ranks"));
  EXPECT_THAT(refused("fat-tree:100"), HasSubstr("too many to compute routes"));
  EXPECT_THAT(refused("fat-tree:400"), HasSubstr("2^20 ranks"));
  EXPECT_THAT(refused("dragonfly:1000000x1x1"), HasSubstr("500000500000 edges"));
  EXPECT_THAT(refused("dragonfly:1x50000x1"), HasSubstr("edges; the limit is"));
  EXPECT_THROW(Topology::mesh({}), Error);
  EXPECT_THROW(Topology::ring(0), Error);
}

TEST(Topology, JoinsRanksBySwitches) {
  EXPECT_EQ(parse_topology("cluster:3x2").vertices(), 6 + 3 + 1);
  EXPECT_EQ(parse_topology("cluster:3x2").distance(0, 1), 2);
  EXPECT_EQ(parse_topology("cluster:3x2").distance(0, 2), 4);
  const Topology tree = parse_topology("fat-tree:4");
  EXPECT_EQ(tree.ranks(), 16);
  EXPECT_EQ(tree.vertices(), 16 + 8 + 8 + 4);
  EXPECT_EQ(tree.link_count(), 2 * (16 + 16 + 16));
  EXPECT_EQ(tree.distance(0, 1), 2);
  EXPECT_EQ(tree.distance(0, 2), 4);
  EXPECT_EQ(tree.distance(0, 4), 6);
  const Topology dragonfly = parse_topology("dragonfly:9x4x2");  // each router has two links to other groups
  EXPECT_EQ(dragonfly.ranks(), 72);
  EXPECT_EQ(dragonfly.link_count(), 2 * (72 + 9 * 6 + 36));
  for (Vertex router = 72; router < dragonfly.vertices(); ++router) EXPECT_EQ(dragonfly.links_from(router).size(), 2u + 3u + 2u);
  Count farthest = 0;
  for (Rank to = 0; to < 72; ++to) farthest = std::max(farthest, dragonfly.distance(0, to));
  EXPECT_EQ(farthest, 5);
}

// Receivers spread over all links to the top: as many messages go down to each of a pod's ranks as go up from it.
TEST(Topology, SpreadsReceiversOverTheLinksOfAFatTree) {
  const Topology tree = parse_topology("fat-tree:4");
  std::map<Count, Count> messages;
  for (Rank from = 0; from < 4; ++from)
    for (Rank to = 12; to < 16; ++to) tree.for_each_link(from, to, {}, [&](const Link& link) { ++messages[link.number]; });
  for (const auto& [link, count] : messages) EXPECT_EQ(count, 4) << link;
  EXPECT_EQ(messages.size(), 4u * 6u) << "four links at each height, up and down";
}

TEST(Topology, ReadsListsOfEdges) {
  const Topology graph = parse_edge_list("0 leaf-0  # a comment\n\n1 leaf-0\r\nleaf-0 spine\nleaf-1 spine\n2 leaf-1\n", "a list");
  EXPECT_EQ(graph.ranks(), 3);
  EXPECT_EQ(graph.vertices(), 6);
  EXPECT_EQ(graph.link_count(), 10);
  std::string text;
  graph.for_each_link(0, 2, {}, [&](const Link& link) { text += graph.text_of(link) + "; "; });
  EXPECT_EQ(text, "0 -> leaf-0; leaf-0 -> spine; spine -> leaf-1; leaf-1 -> 2; ");
  EXPECT_FALSE(graph.for_each_link(0, 2, Port{}, [](const Link&) { ADD_FAILURE(); }));

  const auto refused = [](const char* list) -> std::string {
    try {
      parse_edge_list(list, "a list");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused(""), HasSubstr("no edge leads to a rank"));
  EXPECT_THAT(refused("0 1\n2"), HasSubstr("a list, line 2: an edge has two ends and perhaps a capacity, not 1 word"));
  EXPECT_THAT(refused("0 1\n!0\n!1"), HasSubstr("all ranks are left out"));
  EXPECT_THAT(refused("0 1 2 3"), HasSubstr("line 1: an edge has two ends and perhaps a capacity, not 4 words"));
  for (const char* capacity : {"x", "1/0", "1/", "-1", "1.", "1/2/3"})
    EXPECT_THAT(refused(fmt::format("0 1 {}", capacity).c_str()), HasSubstr(fmt::format("'{}' is not a capacity", capacity)));
  for (const char* capacity : {"0.0000001", "9999999", "1/1000003", "0.99999999999999999999"})
    EXPECT_NE(refused(fmt::format("0 1 {}", capacity).c_str()), "") << capacity;
  EXPECT_THAT(refused("0 -1"), HasSubstr("'-1' is neither a rank"));
  EXPECT_THAT(refused("0 99999999999999999999"), HasSubstr("is neither a rank"));
  EXPECT_THAT(refused("# one\n3 3"), HasSubstr("line 2: the edge leads from '3' to itself"));
  EXPECT_THAT(refused("0 1\n2 3"), HasSubstr("there is no route from rank"));
}

std::string platform(const std::string& attributes) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
         "  <zone id=\"world\" routing=\"Full\">\n    <cluster id=\"a\" prefix=\"n\" suffix=\"\" speed=\"1Gf\" bw=\"1GBps\" "
         "lat=\"1us\"\n " +
         attributes + "/>\n  </zone>\n</platform>\n";
}

std::string cluster_of(const std::string& kind, const std::string& parameters, const std::string& radical) {
  return platform(fmt::format("topology=\"{}\" topo_parameters=\"{}\" radical=\"{}\"", kind, parameters, radical));
}

TEST(Topology, ReadsCapacitiesAndDeadVertices) {
  const Topology graph = parse_edge_list("0 1 1/4\n1 2 0.75\n2 3 2\n3 4 0\n3 5\n4 5\n!1\n0 2\n!hub\nhub 0\nhub 2\n", "a list");
  EXPECT_EQ(graph.ranks(), 5);
  EXPECT_EQ(graph.vertices(), 5) << "the dead switch is left out";
  EXPECT_EQ(graph.capacities().of_machine, 4);
  std::map<std::pair<Vertex, Vertex>, Count> found;
  for (Vertex vertex = 0; vertex < 5; ++vertex)
    for (const Link& link : graph.links_from(vertex)) found[{link.from, link.to}] = graph.capacities().of(link.number);
  const std::map<std::pair<Vertex, Vertex>, Count> expected{{{0, 1}, 4}, {{1, 0}, 4}, {{1, 2}, 8}, {{2, 1}, 8},
                                                            {{2, 4}, 4}, {{4, 2}, 4}, {{3, 4}, 4}, {{4, 3}, 4}};
  EXPECT_EQ(found, expected) << "2 is rank 1, and so on; the edge of capacity 0 is left out";
  EXPECT_EQ(parse_edge_list("0 1 1\n1 2 1.0\n", "equal").capacities(), Capacities{});
  EXPECT_EQ(parse_edge_list("0 1 1/4\n1 2\n", "mean").exchange_load(6), 48) << "rank 0 sends 12 bytes over a quarter of a link";
}

TEST(Topology, ReadsPlatforms) {
  const Topology torus = parse_platform(cluster_of("TORUS", "3,2,4", "0-23"), "a file");
  EXPECT_EQ(torus.name(), "torus:4x2x3,last");
  EXPECT_THAT(way(torus, 0, 1 + 3 + 6), ElementsAre(1, 4, 10)) << "the side that turns fastest is crossed first";

  // Four leaf switches with four ranks each; each is connected to each of two switches by two cables.
  const Topology tree = parse_platform(cluster_of("FAT_TREE", "2;4,4;1,2;1,2", "0-9,20,30-34"), "a file");
  EXPECT_EQ(tree.ranks(), 16);
  EXPECT_EQ(tree.vertices(), 16 + 4 + 2);
  EXPECT_EQ(tree.link_count(), 2 * (16 + 4 * 2 * 2));
  EXPECT_EQ(tree.distance(0, 3), 2);
  EXPECT_EQ(tree.distance(3, 4), 4);
  EXPECT_THAT(tree.neighbours(17), ElementsAre(4, 5, 6, 7, 20, 21));
  EXPECT_EQ(tree.links_from(17).size(), 4u + 4u);

  // The fat tree of switches with four ports is a special case.
  const Topology own = parse_topology("fat-tree:4"),
                 theirs = parse_platform(cluster_of("FAT_TREE", "3;2,2,4;1,2,2;1,1,1", "0-15"), "");
  EXPECT_EQ(theirs.vertices(), own.vertices());
  for (Rank from = 0; from < 16; ++from)
    for (Rank to = 0; to < 16; ++to) EXPECT_EQ(theirs.distance(from, to), own.distance(from, to)) << from << ' ' << to;

  const Topology dragonfly = parse_platform(cluster_of("DRAGONFLY", "3,4;4,3;5,1;2", "0-119"), "a file");
  EXPECT_EQ(dragonfly.ranks(), 120);
  EXPECT_EQ(dragonfly.vertices(), 120 + 60);
  EXPECT_EQ(dragonfly.link_count(), 2 * (120 + 12 * 10 * 1 + 3 * 5 * 6 * 3 + 3 * 4));
  EXPECT_EQ(dragonfly.distance(0, 1), 2);
  EXPECT_EQ(dragonfly.distance(0, 9), 3) << "one chassis";
  EXPECT_EQ(dragonfly.distance(0, 10), 3) << "the same place in another chassis";
  EXPECT_EQ(dragonfly.distance(0, 12), 4);
  EXPECT_EQ(dragonfly.distance(2, 40), 3) << "router 1 of group 0 and router 0 of group 1";
  EXPECT_EQ(parse_platform(cluster_of("DRAGONFLY", "1,1;1,1;1,1;3", "0-2"), "").vertices(), 4);
}

TEST(Topology, RefusesPlatforms) {
  const auto refused = [](const std::string& text) -> std::string {
    try {
      parse_platform(text, "a file");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto parameters = [&](const std::string& kind, const std::string& list, const std::string& radical = "0-11") {
    return refused(cluster_of(kind, list, radical));
  };
  EXPECT_THAT(refused("<platform>\n<cluster\n</platform>"), HasSubstr("a file, line 3: this is not XML: "));
  EXPECT_THAT(refused("0 1"), HasSubstr("a file, line 1: this is not XML"));
  EXPECT_THAT(refused("<platform/>"), HasSubstr("has no cluster"));
  EXPECT_THAT(refused("<platform>\n<cluster/>\n<zone><cluster/></zone></platform>"),
              HasSubstr("a file, line 3: a platform must have one cluster"));
  EXPECT_THAT(refused(platform("radical=\"0-3\"")), HasSubstr("line 5: the cluster's topology is 'FLAT'; there are: TORUS"));
  EXPECT_THAT(refused(platform("topology=\"TORUS\"")), HasSubstr("no topo_parameters"));
  EXPECT_THAT(refused(platform("topology=\"TORUS\" sharing_policy=\"SHARED\"")), HasSubstr("'SHARED'"));
  EXPECT_THAT(parameters("TORUS", "3,2"), HasSubstr("make 6 nodes, but radical=\"0-11\" names 12"));
  EXPECT_THAT(parameters("TORUS", "0,4"), HasSubstr("'0' is not an integer of at least 1"));
  EXPECT_THAT(parameters("TORUS", "3,,4"), HasSubstr("'' is not an integer"));
  EXPECT_THAT(parameters("TORUS", "99999999999999999999"), HasSubstr("is not an integer"));
  EXPECT_THAT(parameters("TORUS", "1000000,1000000,1000000"), HasSubstr("line 5: there are more than 2^20 nodes"));
  EXPECT_THAT(parameters("TORUS", "3,4", "0-x"), HasSubstr("'x' is not an integer of at least 0"));
  EXPECT_THAT(parameters("TORUS", "3,4", "11-0"), HasSubstr("'11-0' in radical"));
  EXPECT_THAT(parameters("TORUS", "3,4", "0-5-11"), HasSubstr("'0-5-11' in radical"));
  EXPECT_THAT(parameters("TORUS", "3,4", "0-9223372036854775807"), HasSubstr("2^63 hosts"));
  EXPECT_THAT(parameters("FAT_TREE", "2;4,3;1,2"), HasSubstr("four parameters: levels"));
  EXPECT_THAT(parameters("FAT_TREE", "2;4,3;1,2,3;1,1"), HasSubstr("'1,2,3' holds 3 numbers of parents, not 2"));
  EXPECT_THAT(parameters("FAT_TREE", "2;4,3;1,1000000;1,1"), HasSubstr("too many"));
  EXPECT_THAT(parameters("FAT_TREE", "2;4,3;1,2;1,9999999"), HasSubstr("cables"));
  EXPECT_THAT(parameters("DRAGONFLY", "3,1;4,1;1"), HasSubstr("four parameters: groups"));
  EXPECT_THAT(parameters("DRAGONFLY", "3;4,1;1,1;1"), HasSubstr("'3' holds 1 numbers, not 2"));
  EXPECT_THAT(parameters("DRAGONFLY", "3,1;2,1;1,1;2"), HasSubstr("3 groups, but 2 routers in a group"));
}

// Reading any file ends with a topology or an Error.
TEST(Topology, ReadsOrRefusesDamagedFiles) {
  std::mt19937_64 random(1);
  const std::string platforms[] = {cluster_of("TORUS", "3,2,4", "0-23"), cluster_of("FAT_TREE", "2;4,4;1,2;1,2", "0-15"),
                                   cluster_of("DRAGONFLY", "3,1;2,3;2,1;2", "0-23")};
  const std::string pieces[] = {"",  "<", ">",           "/",    "\"",         ",",  ";",   "-",
                                "0", "9", "99999999999", "&#0;", "<cluster/>", "\n", "\xff"};
  int read = 0, refused = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    std::string text = platforms[turn % 3];
    for (std::size_t edits = random() % 3 + 1; edits > 0; --edits)
      text.replace(random() % text.size(), random() % 3, pieces[random() % std::size(pieces)]);
    try {
      parse_platform(text, "a file");
      ++read;
    } catch (const Error& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()), "");
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
}

TEST(Topology, ReportsTheGridOfItsRanks) {
  EXPECT_THAT(parse_topology("torus:4x8").grid(), ElementsAre(4, 8));
  EXPECT_THAT(parse_topology("ring:8").grid(), ElementsAre(8));
  EXPECT_THAT(parse_topology("hypercube:8").grid(), ElementsAre());
}

}  // namespace
}  // namespace quadrille
