// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille simulate.
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, SimulatesWhatMpiLibrariesTake) {
  const Words words{"simulate", "broadcast",   "--ranks",        "16",          "--block", "64B", "--machine",
                    "hdr",      "--algorithm", "vendor:openmpi", "--algorithm", "knomial"};
  const std::string text = prints(words);
  EXPECT_NE(text.find("vendor:openmpi: Open MPI 4.1 takes knomial here"), std::string::npos) << text;
  Words json = words;
  json.push_back("--json");
  const Json object = Json::parse(prints(json));
  EXPECT_EQ(object["candidates"][0]["end_ps"], object["candidates"][1]["end_ps"]);
  EXPECT_EQ(object["notes"].size(), 1u);
}

TEST_F(CommandTest, SimulatesByRoundsAndByEvents) {
  const auto simulate = [](const Words& more) {
    Words words{"simulate", "alltoall", "--ranks", "16", "--block", "64B", "--machine", "sp1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Json rounds = Json::parse(prints(simulate({"--algorithm", "bruck", "--json"})));
  EXPECT_EQ(rounds["by"], "rounds");
  EXPECT_EQ(rounds["candidates"][0]["end_ps"], 4 * (29'000'000 + 8 * 64 * 120'000));
  EXPECT_EQ(rounds["candidates"][0]["stages"].size(), 4u);
  const Json events = Json::parse(prints(simulate({"--algorithm", "bruck", "--by", "events", "--barriers", "--json"})));
  EXPECT_EQ(events["candidates"][0]["end_ps"], rounds["candidates"][0]["end_ps"]);
  EXPECT_EQ(events["candidates"][0]["messages"], 64);
  const std::string ranking =
      prints(simulate({"--by", "events", "--policy", "all", "--late", "2:1ms", "--jitter", "0.1", "--seed", "3"}));
  EXPECT_NE(ranking.find("2 ranks 1.00 ms late, jitter of up to 0.1 times, drawn from seed 3"), std::string::npos) << ranking;
  EXPECT_NE(ranking.find("dataflow"), std::string::npos);
  const std::string links =
      prints({"simulate", "alltoall", "--topology", "torus:4x4", "--machine", "paragon", "--algorithm", "shift"});
  EXPECT_NE(links.find("busiest link"), std::string::npos) << links;
  EXPECT_NE(links.find("0 -> "), std::string::npos) << links;
  EXPECT_EQ(Json::parse(prints({"simulate", "alltoall", "--ranks", "2..4", "--machine", "sp1", "--json"})).size(), 3u);
  prints(simulate({"--topology", "ring:16", "--by", "events", "--slow-links", "2:4", "--output", file("slow").string()}));
  EXPECT_NE(contents(file("slow")).find("2 links 4 times as slow"), std::string::npos);

  const Words on_ring{"--topology", "ring:16", "--by", "events", "--algorithm", "shift"};
  const auto switched = [&](const char* way) {
    Words words = simulate(on_ring);
    words.insert(words.end(), {"--switching", way});
    return words;
  };
  EXPECT_NE(prints(switched("wormhole")).find("wormhole switching"), std::string::npos);
  EXPECT_EQ(prints(switched("cut-through")), prints(simulate(on_ring)));
  refuses(switched("wormhole:1"), "shift: the network is in a deadlock");
  refuses(switched("wormhole:3"), "--switching is cut-through, wormhole or wormhole:1, not 'wormhole:3'");
  refuses(simulate({"--by", "events", "--switching", "wormhole"}), "needs a network");
  refuses(simulate({"--switching", "wormhole"}), "need --by events");
  Words several = switched("wormhole:1");
  several.insert(several.end(), {"--algorithm", "ring"});
  EXPECT_NE(prints(several).find("shift does not apply: the network is in a deadlock"), std::string::npos);

  refuses({"simulate"}, "name a collective");
  refuses({"simulate", "alltoall", "--ranks", "4"}, "name a machine");
  refuses(simulate({"--by", "event"}), "--by is 'rounds' or 'events', not 'event'");
  refuses(simulate({"--policy", "dataflow"}), "--by events");
  refuses(simulate({"--by", "events", "--late", "3"}), "such as 3:50us");
  refuses(simulate({"--by", "events", "--late", "17:1us"}), "17 of 16 ranks");
  refuses(simulate({"--by", "events", "--late", "3:5"}), "'5' is not a time");
  refuses(simulate({"--by", "events", "--slow-links", "1:2"}), "--topology");
  refuses(simulate({"--by", "events", "--jitter", "-1"}), "the jitter '-1' is not a number from 0 to 1");
  refuses(simulate({"--by", "events", "--seed", "x"}), "not a whole number");
  refuses(simulate({"--by", "events", "--barriers", "--policy", "blocking"}), "leave --policy out");
  refuses(simulate({"--by", "events", "--model", "cluster"}), "says nothing for the model cluster");
  refuses({"simulate", "alltoall", "--ranks", "4", "--machine", "sp2", "--model", "free-running", "--by", "events"},
          "flat, loggp or linear");
  refuses({"simulate", "alltoall", "--topology", "ring:4", "--machine", "sp2", "--model", "flat", "--by", "events"},
          "know no links");
  refuses({"simulate", "alltoall", "--ranks", "4", "--machine", "sp2", "--block", "2305843009213693952B"}, "2^62");
}

TEST_F(CommandTest, JitterIsAFraction) {
  const auto simulate = [](const std::string& jitter) {
    return Words{"simulate",    "alltoall", "--ranks", "4",      "--machine", "sp1",
                 "--algorithm", "shift",    "--by",    "events", "--jitter",  jitter};
  };
  prints(simulate("0"));
  prints(simulate("1"));
  refuses(simulate("5"), "the jitter '5' is not a number from 0 to 1");
  refuses(simulate("1.01"), "the jitter '1.01' is not a number from 0 to 1");
}

}  // namespace
}  // namespace quadrille
