// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille price.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, PricesWhatMpiLibrariesTake) {
  const Words words{"price", "alltoall", "--ranks", "16", "--block", "64B", "--machine", "hdr"};
  const auto with = [&](std::initializer_list<const char*> algorithms) {
    Words all = words;
    for (const char* algorithm : algorithms) all.insert(all.end(), {"--algorithm", algorithm});
    return all;
  };
  Words asked = with({"vendor:openmpi", "bruck", "vendor:openmpi:pairwise", "shift"});
  const std::string text = prints(asked);
  EXPECT_NE(text.find("Open MPI 4.1 takes modified_bruck here, with the messages of bruck; assumed"), std::string::npos) << text;
  asked.push_back("--json");
  const Json object = Json::parse(prints(asked));
  std::map<std::string, double> seconds;
  for (const Json& each : object["candidates"]) seconds[each["short_name"]] = each["blocking_s"];
  ASSERT_EQ(seconds.size(), 4u);
  EXPECT_EQ(seconds["vendor:openmpi"], seconds["bruck"]);
  EXPECT_EQ(seconds["vendor:openmpi:pairwise"], seconds["shift"]);
  refuses(with({"vendor"}), "vendor:openmpi, vendor:openmpi5 or vendor:mpich");
  refuses(with({"vendor:lam"}), "vendor:openmpi, vendor:openmpi5 or vendor:mpich");
  refuses(with({"vendor:openmpi:quick"}), "no algorithm 'quick'");
  refuses({"price", "broadcast", "--ranks", "300", "--block", "16KiB", "--machine", "hdr", "--algorithm", "vendor:mpich:smp"},
          "vendor:mpich:smp has no schedule: MPICH would run smp here");
}

TEST_F(CommandTest, PricesAndSaysWhy) {
  const Words words{"price", "alltoallv", "--pattern", "transpose:8KiB,64B", "--ranks", "64", "--machine", "sp2"};
  Words papers = words;
  for (const char* algorithm : {"shift", "two-phase", "grid", "four-stage"})
    papers.insert(papers.end(), {"--algorithm", algorithm});
  const std::string text = prints(papers);
  EXPECT_NE(text.find("Fastest: four-stage"), std::string::npos) << text;
  EXPECT_NE(text.find("Next:"), std::string::npos) << text;
  Words more = words;
  more.push_back("--json");
  const Json object = Json::parse(prints(more));
  EXPECT_EQ(object["left_out"].size(), 3u);  // groups, multicast without shared blocks, torus without a grid
  EXPECT_EQ(object["candidates"].size() + 3, algorithms_for(Collective::alltoallv).size());
  EXPECT_EQ(object["machine"], "sp2");
  EXPECT_EQ(object["model"], "flat");
  EXPECT_EQ(
      Json::parse(prints({"price", "alltoall", "--ranks", "2..4", "--block", "8B,1KiB", "--machine", "t3e", "--json"})).size(), 6u);
  refuses({"price", "alltoallv", "--ranks", "4"}, "name a machine");
  refuses({"price", "alltoallv", "--ranks", "4", "--machine", "sp22"}, "did you mean 'sp2'?");
  refuses({"price", "alltoallv", "--ranks", "4", "--machine", "sp2", "--contention", "0.5"}, "not a number from 1 on");
  refuses({"price", "alltoallv", "--ranks", "4", "--machine", write("bad.toml", "]").string()}, "line 1");
  refuses({"price"}, "name a collective");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "sp2", "--model", "flta"}, "did you mean 'flat'?");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "sp2", "--model", "loggp"},
          "it does for: fitted, flat, free-running, linear");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "sp2", "--model", "linear", "--contention", "2"},
          "knows no contention");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "paragon"}, "--topology");
  refuses({"race", "alltoall", "--ranks", "4", "--machine", "paragon"}, "says nothing for the model max-rate");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "myrinet", "--model", "cluster"}, "--node-sizes");
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "sp2", "--block", "2305843009213693952B"}, "2^62");
  refuses({"price", "alltoallv", "--ranks", "4", "--pattern", "spike:1KiB", "--block", "8B", "--machine", "sp2"},
          "leave --block out");
}

// The terms in the sentence must add up to the price of the policy that it names.
TEST_F(CommandTest, NamesOnlyTheTermsThatCountIfMessagesOverlap) {
  const auto price = [](const std::string& factors) {
    return Words{"price",   "alltoallv",    "--pattern",    "transpose:2KiB", "--ranks",     "16",    "--machine",   "sp2",
                 "--model", "free-running", "--contention", factors,          "--algorithm", "shift", "--algorithm", "grid"};
  };
  const std::string long_wire = prints(price("1.5,1.2"));
  EXPECT_NE(long_wire.find("Fastest: shift, nonblocking: 2 KiB of wire bytes (86.0 µs)."), std::string::npos) << long_wire;
  EXPECT_NE(long_wire.find("hidden behind these"), std::string::npos) << long_wire;
  const std::string one = prints({"price", "alltoallv", "--pattern", "transpose:64B", "--ranks", "16", "--machine", "sp2",
                                  "--model", "free-running", "--algorithm", "shift"});
  EXPECT_NE(one.find("Fastest: shift, nonblocking: 1 start-up (44.0 µs)."), std::string::npos) << one;
}

TEST_F(CommandTest, RefusesTheFreeRunningModelUnlessForExchanges) {
  for (const char* subcommand : {"price", "simulate"})
    refuses({subcommand, "scan", "--ranks", "16", "--block", "1KiB", "--machine", "sp2", "--model", "free-running"},
            "take --model flat");
  prints({"price", "alltoall", "--ranks", "4", "--machine", "sp1", "--model", "fitted"});
  EXPECT_NE(prints({"list", "models"}).find("needs alltoall or alltoallv"), std::string::npos);
}

TEST_F(CommandTest, AcceptsOneContentionFactorOrTwo) {
  const auto price = [](const std::string& model, const std::string& factors) {
    return Words{"price",   "alltoallv", "--pattern",    "transpose:8KiB", "--ranks",     "16",    "--machine", "sp2",
                 "--model", model,       "--contention", factors,          "--algorithm", "shift", "--json"};
  };
  const Json two = Json::parse(prints(price("free-running", "1.5,1.2"))), one = Json::parse(prints(price("free-running", "2")));
  EXPECT_EQ(two["coefficients"]["blocking_contention"], 1.5);
  EXPECT_EQ(two["coefficients"]["contention"], 1.2);
  EXPECT_EQ(one["coefficients"]["blocking_contention"], 2);
  EXPECT_EQ(one["coefficients"]["contention"], 2);
  const double bytes_s = 8192 * 0.035e-6;  // each rank sends one message; the others are empty and not sent
  EXPECT_NEAR(two["candidates"][0]["blocking_s"].get<double>(), 44e-6 + 1.5 * bytes_s, 1e-11);
  EXPECT_NEAR(two["candidates"][0]["nonblocking_s"].get<double>(), 1.2 * bytes_s, 1e-11);
  const Json flat = Json::parse(prints(price("flat", "2")));
  EXPECT_EQ(flat["coefficients"]["contention"], 2);
  EXPECT_FALSE(flat["coefficients"].contains("blocking_contention"));
  const std::string stages = prints({"simulate", "alltoallv", "--pattern", "transpose:8KiB", "--ranks", "16", "--machine", "sp2",
                                     "--model", "free-running", "--algorithm", "grid"});
  EXPECT_NE(stages.find("collect along rows          –"), std::string::npos) << "prints stages, but no rounds\n" << stages;
  refuses(price("flat", "1.5,1.2"), "the model flat knows one contention factor");
  refuses(price("free-running", "1.5,"), "the contention factor '' is not a number from 1 on");
  refuses(price("free-running", "0.9,2"), "'0.9' is not a number");
  refuses(price("free-running", "1,2,3"), "two contention factors at most");
}

TEST_F(CommandTest, RanksCandidatesAndSaysWhereTheWinnerChanges) {
  const Json object = Json::parse(prints({"price", "alltoall", "--ranks", "64", "--block", "64B", "--machine", "sp1", "--algorithm",
                                          "bruck:radix=2", "--algorithm", "bruck:radix=64", "--json"}));
  EXPECT_EQ(object["fastest_by_block"], Json::parse(R"([{"from_block_bytes": 1, "algorithm": "bruck"},
                                                        {"from_block_bytes": 107, "algorithm": "bruck:radix=64"}])"));
  double before = 0;
  for (const Json& candidate : object["candidates"]) {
    EXPECT_GE(candidate["blocking_s"].get<double>(), before);
    before = candidate["blocking_s"];
  }
  const std::string text =
      prints({"price", "alltoall", "--ranks", "6", "--machine", "sp2", "--algorithm", "xor", "--algorithm", "shift"});
  EXPECT_NE(text.find("xor does not apply: it pairs"), std::string::npos) << text;
  EXPECT_NE(text.find("Fastest: shift"), std::string::npos) << text;
  refuses({"price", "alltoall", "--ranks", "6", "--machine", "sp2", "--algorithm", "xor"}, "xor does not apply");
  refuses({"price", "alltoall", "--ranks", "6", "--machine", "sp2", "--algorithm", "xr", "--algorithm", "shift"}, "'xr'");
  const std::string segments = prints({"price", "broadcast", "--ranks", "8", "--block", "64KiB", "--machine", "sp2", "--algorithm",
                                       "chain:segments=64", "--algorithm", "binomial"});
  EXPECT_NE(segments.find("binomial; from "), std::string::npos) << "short blocks have no 64 segments\n" << segments;
  const std::string nothing = prints({"price", "alltoallv", "--pattern", "transpose:0B", "--ranks", "9", "--machine", "sp2",
                                      "--algorithm", "direct", "--algorithm", "two-phase"});
  EXPECT_NE(nothing.find("which takes no time at all"), std::string::npos) << nothing;
  const std::string allreduce = prints({"price", "allreduce", "--ranks", "8", "--block", "8B", "--machine", "sp2"});
  EXPECT_NE(allreduce.find("recursive-doubling; from "), std::string::npos) << allreduce;
}

// Price, simulation and explanation have one default placement and one model.
TEST_F(CommandTest, OneMachineHasOnePrice) {
  struct Setting {
    const char *machine, *option, *value, *place;
  };
  for (const auto& [machine, option, value, place] :
       {Setting{"hdr", "--ranks", "64", "one node"}, Setting{"hdr", "--node-sizes", "16x1", "16 nodes, one rank each"},
        Setting{"hdr", "--node-sizes", "4x8", "4 nodes, 8 ranks each"},
        Setting{"hdr", "--topology", "torus:4x4", "16 nodes, one rank each"},
        Setting{"sp2", "--ranks", "16", "16 nodes, one rank each"},
        Setting{"myrinet", "--node-sizes", "4x4", "4 nodes, 4 ranks each"},
        Setting{"paragon", "--topology", "torus:4x4", "16 nodes, one rank each"}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", machine, option, value));
    const auto of = [&](const std::string& subcommand, const Words& more) {
      Words words{subcommand, "alltoall", option, value, "--block", "64B", "--machine", machine};
      words.insert(words.end(), more.begin(), more.end());
      return prints(words);
    };
    const Words some{"--algorithm", "bruck", "--algorithm", "shift"};  // direct needs more ports than a paper's machine has
    const auto as_json = [](Words words) {
      words.push_back("--json");
      return words;
    };
    const Json priced = Json::parse(of("price", as_json(some))), simulated = Json::parse(of("simulate", as_json(some))),
               told = Json::parse(of("explain", {"--all", "--time", "0.001", "--json"}));
    std::map<std::string, double> simulated_s, told_s;
    for (const Json& each : simulated["candidates"]) simulated_s[each["algorithm"]] = 1e-12 * each["end_ps"].get<double>();
    for (const Json& each : told["candidates"])
      if (!each["predicted_s"].is_null()) told_s.try_emplace(each["algorithm"], each["predicted_s"]);  // the best policy is first
    for (const Json& each : priced["candidates"]) {
      const double best_s =
          std::min({each["blocking_s"].get<double>(), each["nonblocking_s"].get<double>(), each["dataflow_s"].get<double>()});
      EXPECT_DOUBLE_EQ(told_s.at(each["algorithm"]), best_s) << each;
      EXPECT_NEAR(simulated_s.at(each["algorithm"]), each["blocking_s"], 1e-11) << each;
    }
    for (const Json* each : {&simulated, &told}) {
      EXPECT_EQ((*each)["model"], priced["model"]);
      EXPECT_EQ((*each)["nodes"], priced["nodes"]);
    }
    for (const std::string& text : {of("price", some), of("simulate", some), of("explain", {"--time", "0.001"})}) {
      EXPECT_NE(text.substr(0, text.find('\n')).find(place), std::string::npos) << text;
    }
  }
  const std::string several = prints({"price", "alltoall", "--ranks", "2,4", "--machine", "sp2", "--algorithm", "direct"});
  EXPECT_NE(several.find("\nalltoall, 2 ranks, 8 B a block, 2 nodes, one rank each\n"), std::string::npos) << several;
}

// The machine is that of docs/prices.md.
TEST_F(CommandTest, SaysIfAModelIgnoresNodes) {
  const std::string docs = contents(fs::path(QUADRILLE_SOURCE_DIR) / "docs/prices.md");
  const std::size_t begin = docs.find("```toml\n") + 8;
  const std::string rack = write("rack.toml", docs.substr(begin, docs.find("```", begin) - begin)).string();
  const auto outcome_of = [&](const std::string& subcommand, const Words& more) {
    Words words{subcommand, "alltoall",    "--node-sizes", "8x8",         "--block", "4KiB",
                "--json",   "--algorithm", "bruck",        "--algorithm", "combined"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
    return outcome;
  };
  const auto time_of = [](const Json& candidate) {
    return candidate.contains("end_ps") ? candidate["end_ps"].get<double>() : 1e12 * candidate["blocking_s"].get<double>();
  };
  const auto first_is = [](const Json& list, const std::string& algorithm) {
    return list["candidates"][0]["algorithm"].get<std::string>().starts_with(algorithm);
  };
  for (const std::string subcommand : {"price", "simulate"}) {
    const Outcome by_nodes = outcome_of(subcommand, {"--machine", rack});
    const Json list = Json::parse(by_nodes.out);
    EXPECT_EQ(by_nodes.talk, "");
    EXPECT_EQ(list["model"], "cluster");
    EXPECT_TRUE(first_is(list, "combined")) << list;
    EXPECT_NEAR(time_of(list["candidates"][1]) / time_of(list["candidates"][0]), 1.93, 0.05);

    const Outcome flat = outcome_of(subcommand, {"--machine", rack, "--model", "linear"});
    const Json flat_list = Json::parse(flat.out);
    EXPECT_TRUE(first_is(flat_list, "bruck")) << flat_list;
    EXPECT_NEAR(time_of(flat_list["candidates"][0]), 90e6, 0.1e6);
    EXPECT_EQ(flat.talk, "nodes are ignored: the model linear does not count them; --model cluster does\n");

    const Outcome unknown = outcome_of(subcommand, {"--machine", "sp2"});
    EXPECT_EQ(Json::parse(unknown.out)["model"], "flat");
    EXPECT_NE(unknown.talk.find("nodes are ignored"), std::string::npos) << unknown.talk;
    EXPECT_NE(unknown.talk.find("the machine sp2 has no figures for it"), std::string::npos) << unknown.talk;

    // With one node, or none named, there is nothing to ignore.
    for (const Words& ranks : {Words{"--node-sizes", "64"}, Words{"--ranks", "64"}}) {
      Words words{subcommand, "alltoall", "--machine", rack, "--json", "--algorithm", "bruck"};
      words.insert(words.end(), ranks.begin(), ranks.end());
      const Outcome outcome = run(words);
      EXPECT_EQ(outcome.talk, "");
      EXPECT_EQ(Json::parse(outcome.out)["model"], "linear");
    }
    refuses({subcommand, "alltoall", "--node-sizes", "8x8", "--machine", "sp2", "--model", "cluster"},
            "says nothing for the model");
  }
  const Outcome events = outcome_of("simulate", {"--machine", rack, "--by", "events"});
  EXPECT_EQ(Json::parse(events.out)["model"], "linear");
  EXPECT_NE(events.talk.find("cluster does, but events are simulated by the models loggp, linear and flat"), std::string::npos)
      << events.talk;
  refuses({"simulate", "alltoall", "--ranks", "4", "--machine", "paragon", "--by", "events"}, "has no figures for a model");
}

TEST_F(CommandTest, PricesNodesOfTodayAndNamesAssumptions) {
  const Words words{"price", "alltoall", "--ranks", "64", "--node-sizes", "8x8", "--block", "64KiB", "--machine", "hdr"};
  const std::string text = prints(words);
  EXPECT_NE(text.find("max-rate: "), std::string::npos) << text;
  EXPECT_NE(text.find("Fastest, with assumed figures: "), std::string::npos) << text;
  EXPECT_NE(text.find("inside_startup_us: about three transfers"), std::string::npos) << text;
  Words as_json = words;
  as_json.push_back("--json");
  const Json json = Json::parse(prints(as_json));
  EXPECT_EQ(json["model"], "max-rate");
  EXPECT_TRUE(json["assumed"].contains("inside_startup_us"));
  EXPECT_FALSE(json["assumed"].contains("startup_us"));
  EXPECT_EQ(json["candidates"][0]["nodes_sampled"], 0);
}

}  // namespace
}  // namespace quadrille
