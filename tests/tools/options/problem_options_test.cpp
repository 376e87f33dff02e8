// SPDX-License-Identifier: BSD-3-Clause
// Tests of the options that state a problem: numbers, sizes, places of ranks, roots, shares and patterns.
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, RefusesBadNumbers) {
  const auto schedule = [](const std::string& ranks, const std::string& block) {
    return Words{"schedule", "alltoall", "--algorithm", "bruck", "--ranks", ranks, "--block", block};
  };
  refuses(schedule("0", "8B"), "it must be at least 1");
  refuses(schedule("-3", "8B"), "it must be at least 1");
  refuses(schedule("", "8B"), "not a whole number");
  refuses(schedule("4x", "8B"), "not a whole number");
  refuses(schedule("4,,5", "8B"), "not a whole number");
  refuses(schedule("8..2", "8B"), "write 2..8");
  refuses(schedule("99999999999999999999", "8B"), "does not fit");
  refuses(schedule("1..9000000000000000000", "8B"), "ask for fewer");
  refuses(schedule("4", "8b"), "unknown unit 'b'");
  refuses(schedule("4", "B"), "is not a size");
  refuses(schedule("4", "-8B"), "negative");
  refuses(schedule("4", "8B,"), "is not a size");
  refuses(schedule("4", "9999999999TiB"), "2^63");
  refuses(schedule("4", "99999999999999999999B"), "2^63");
  refuses(schedule("4000", "1TiB"), "2^62");
  refuses(schedule("3037000500", "1B"), "2^62");
  refuses({"schedule", "alltoall", "--algorithm", "bruck", "--ranks"}, "--ranks needs a value");
  refuses({"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "3", "--ranks", "4"}, "more than once");
}

TEST_F(CommandTest, RefusesContradictions) {
  const auto direct = [](const std::string& option, const std::string& value) {
    return Words{"schedule", "alltoall", "--algorithm", "direct", "--ranks", "4", option, value};
  };
  refuses(direct("--root", "1"), "has no root");
  refuses(direct("--grid", "2x3"), "6 places for 4 ranks");
  refuses(direct("--grid", "2x"), "not a whole number");
  refuses(direct("--topology", "torus:3x4"), "has 12 ranks, not 4");
  refuses(direct("--topology", "torus:0x4"), "is not a side");
  refuses({"verify", "alltoall", "--ranks", "4", "--algorithm", "direct", "--strict"}, "--topology");
  refuses(direct("--node-sizes", "3,3"), "hold 6 ranks, not 4");
  refuses(direct("--node-sizes", "3"), "hold 3 ranks, not 4");
  refuses(direct("--node-sizes", "9000000000000000000"), "hold more than");
  refuses(direct("--node-sizes", "9000000000000000000x4"), "hold more than");
  refuses(direct("--node-sizes", "2x"), "not a whole number");
  refuses(direct("--node-sizes", "0x2"), "at least 1");
  refuses(direct("--nodes", "0,1,0"), "hold 3 ranks, not 4");
  refuses(direct("--nodes", "0,-1,0,0"), "at least 0");
  refuses({"schedule", "alltoall", "--algorithm", "direct", "--nodes", "0", "--node-sizes", "1"}, "exclude each other");
  refuses(direct("--format", "jsn"), "did you mean 'json'?");
  refuses({"schedule", "alltoall", "--algorithm", "direct", "--ranks", "4", "--format", "text", "--json"}, "exclude each other");
  refuses({"verify", "alltoall"}, "--ranks");
  refuses({"verify", "alltoall", "x.json", "--ranks", "4"}, "one argument too many");
  refuses({"verify", "alltoall", "--ranks", "4", "--ports", "0"}, "at least 1");
  refuses({"verify", "alltoall", "--ranks", "4", "--policy", "blockin"}, "did you mean 'blocking'?");
  refuses({"race", "alltoall", "--ranks", "2,3"}, "one number of ranks");
  refuses({"race", "alltoall", "--ranks", "100000"}, "the limit is");
  refuses({"race", "alltoall", "--executor", "thread"}, "did you mean 'threads'?");
  refuses({"race", "alltoall", "--algorithm", "vendor", "--executor", "threads"}, "mpirun");
  refuses({"race", "alltoall", "--algorithm", "xor", "--ranks", "6"}, "power of two");
  refuses({"race", "alltoall", "--repetitions", "0"}, "at least 1");
  refuses({"race", "alltoall", "--timeout", "0"}, "seconds");
  refuses({"race", "alltoall", "--ranks", "2", "--block", "8B,1000TiB"}, "this machine has");
}

TEST_F(CommandTest, NodesImplyTheNumberOfRanks) {
  const auto verdict = [&](const Words& nodes, const std::string& algorithm) {
    Words words{"verify", "alltoall", "--json", "--algorithm", algorithm};
    words.insert(words.end(), nodes.begin(), nodes.end());
    return Json::parse(prints(words));
  };
  const Json equal = verdict({"--node-sizes", "6x4"}, "clustered");
  EXPECT_EQ(equal["ranks"], 24);
  EXPECT_EQ(equal["c1"], 80 + 3);
  EXPECT_EQ(verdict({"--node-sizes", "4,4x4,4"}, "clustered")["c1"], equal["c1"]);
  EXPECT_EQ(verdict({"--nodes", "3,5,5,0,0,0"}, "clustered:mode=exchange")["c1"], 13);  // 2 of the 15 steps are copies
  EXPECT_EQ(verdict({"--node-sizes", "1..3", "--ranks", "6"}, "clustered:mode=exchange")["c1"], 13);
  EXPECT_EQ(Json::parse(prints({"schedule", "alltoall", "--algorithm", "direct", "--nodes", "0,1,0", "--json"}))["nodes"],
            Json::array({0, 1, 0}));
}

TEST_F(CommandTest, TrafficByPattern) {
  const auto counts_of = [&](const Words& more) {
    Words words{"schedule", "alltoallv", "--algorithm", "shift", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(prints(words))["counts"];
  };
  EXPECT_EQ(counts_of({"--ranks", "4", "--pattern", "transpose:1KiB,2B"}),
            Json::parse("[[1024, 2, 2, 2], [2, 2, 1024, 2], [2, 1024, 2, 2], [2, 2, 2, 1024]]"));
  EXPECT_EQ(counts_of({"--ranks", "2", "--pattern", "equal", "--block", "5B"}), Json::parse("[[5, 5], [5, 5]]"));
  const Words spike{"--ranks", "9", "--pattern", "spike:64KiB"};
  EXPECT_EQ(counts_of(spike), counts_of(spike));
  EXPECT_NE(counts_of(spike), counts_of({"--ranks", "9", "--pattern", "spike:64KiB,seed=2"}));
  prints({"verify", "alltoallv", "--ranks", "6", "--pattern", "sparse:0.3,seed=4", "--block", "100B"});
  const Json groups = counts_of({"--ranks", "3", "--pattern", "groups:1", "--block", "100B"});
  EXPECT_EQ(groups[1], Json::parse("[0, 0, 0]"));
  EXPECT_EQ(groups[2], Json::parse("[0, 0, 0]"));
  EXPECT_EQ(groups[0][0], 0);
  EXPECT_EQ(counts_of({"--ranks", "3", "--pattern", "groups", "--block", "100B"}), groups) << "half of three ranks is one";
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "groups:0"}, "the number of senders");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "groups:5"}, "5 of 4 ranks cannot be senders");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "spike"}, "needs its largest size");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "spkie:8B"}, "did you mean 'spike'?");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "uniform:8B"}, "too much");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "sparse:2"}, "not a number from 0 to 1");
  refuses({"verify", "alltoallv", "--ranks", "4", "--pattern", "uniform", "--counts", "1B"}, "exclude each other");
  refuses({"verify", "allgatherv", "--ranks", "4", "--pattern", "uniform"}, "for alltoallv");
}

TEST_F(CommandTest, RootsAndSharesOfOtherCollectives) {
  const Json all = Json::parse(prints({"verify", "broadcast", "--ranks", "1..4", "--root", "all", "--json"}));
  const auto known = algorithms_for(Collective::broadcast);
  const auto for_nodes = std::count_if(known.begin(), known.end(), [](const Algorithm* each) { return each->node_ports; });
  EXPECT_EQ(all.size(), (1 + 2 + 3 + 4) * (known.size() - static_cast<std::size_t>(for_nodes))) << "no nodes are named";
  EXPECT_EQ(all.back()["root"], 3);
  const Json some =
      Json::parse(prints({"verify", "scatter", "--ranks", "2..4", "--root", "1,3", "--algorithm", "binomial", "--json"}));
  EXPECT_EQ(some.size(), 4u);  // root 3 exists only among four ranks
  refuses({"verify", "broadcast", "--ranks", "2..4", "--root", "2"}, "the root is 2");
  refuses({"verify", "broadcast", "--ranks", "2", "--root", "2,3"}, "no root of '2,3'");
  refuses({"race", "broadcast", "--ranks", "2", "--root", "all"}, "one root");

  const Json given =
      Json::parse(prints({"schedule", "gatherv", "--algorithm", "linear", "--ranks", "3", "--counts", "3B,0,1KiB", "--json"}));
  EXPECT_EQ(given["counts"], Json({3, 0, 1024}));
  const Words drawn{"schedule", "scatterv", "--algorithm", "binomial", "--ranks", "6", "--block", "8B", "--json"};
  const Json first = Json::parse(prints(drawn));
  EXPECT_EQ(first["counts"].size(), 6u);
  EXPECT_EQ(first, Json::parse(prints(drawn)));
  EXPECT_EQ(Json::parse(prints({"verify", "-", "--json"}, first.dump()))["ok"], true);
  refuses({"verify", "scatterv", "--ranks", "3", "--counts", "1B,2B"}, "needs 3 counts");
  refuses({"verify", "scatter", "--ranks", "3", "--counts", "1B,2B,3B"}, "blocks of one size");
  refuses({"verify", "scatterv", "--ranks", "100000000"}, "too many shares");
  EXPECT_EQ(Json::parse(prints({"verify", "barrier", "--ranks", "9", "--algorithm", "dissemination:ports=2", "--json"}))["c1"], 2);
}

}  // namespace
}  // namespace quadrille
