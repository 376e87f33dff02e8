// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille schedule, verify and draw: schedules can be printed and read again, for problems of all kinds.
#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// The output of one call is the input of another, in both forms, through a file and through stdin.
TEST_F(CommandTest, PrintedSchedulesOfAllAlgorithmsAreVerified) {
  for (const Algorithm* algorithm : algorithms_for(Collective::alltoall)) {
    SCOPED_TRACE(algorithm->id);
    if (!applies(Problem::alltoall(8, 12), parse_choice(Problem::alltoall(8, 12), algorithm->id))) continue;
    const Words question{"alltoall",     "--algorithm", std::string(algorithm->id), "--ranks", "8", "--block", "12B",
                         "--node-sizes", "1,4,3"};
    const auto ask = [&](Words words, const Words& rest) {
      words.insert(words.end(), question.begin(), question.end());
      words.insert(words.end(), rest.begin(), rest.end());
      return prints(words);
    };
    Json direct = Json::parse(ask({"verify"}, {"--json"}));
    EXPECT_EQ(direct["ok"], true);
    EXPECT_EQ(direct["verdict"], "right");
    EXPECT_EQ(direct["findings"], Json::array());
    EXPECT_LE(direct["lower_bounds"]["c1"], direct["c1"]);
    EXPECT_LE(direct["lower_bounds"]["c2"], direct["c2"]);
    for (const Words& form : {Words{"--json"}, Words{"--format", "text"}}) {
      const std::string document = ask({"schedule"}, form);
      direct["coverage"] = {
          {"symmetry", nullptr}, {"replayed", 8}, {"compared", 0}, {"sampled", false}};  // documents state no symmetry
      EXPECT_EQ(Json::parse(prints({"verify", write("document", document).string(), "--json"})), direct);
      EXPECT_EQ(Json::parse(prints({"verify", "-", "--json"}, document)), direct);
    }
  }
}

// `scratch`, and scratch with the output: in a 1 KiB exchange among 64 ranks, no rank needs more than twice the data.
TEST_F(CommandTest, ShowsScratchAloneAndWithTheOutput) {
  Words words{"verify", "alltoallv", "--ranks", "64", "--pattern", "transpose:1KiB", "--algorithm", "four-stage:grain=1"};
  EXPECT_NE(prints(words).find("with output   2048 B"), std::string::npos) << prints(words);
  words.push_back("--json");
  const Json verdict = Json::parse(prints(words));
  EXPECT_EQ(verdict["scratch"], 1024);
  EXPECT_EQ(verdict["output_and_scratch"], 2048);
}

// The short name of an algorithm gives the same schedule as the long one.
TEST_F(CommandTest, LeavesDefaultsOutOfNames) {
  const auto name_of = [&](const std::string& algorithm) {
    const std::string text = prints({"verify", "alltoall", "--node-sizes", "2,3", "--algorithm", algorithm});
    return text.substr(0, text.find(", 5 ranks"));
  };
  EXPECT_EQ(name_of("clustered:adapters=1,mode=inter,factor=concentrated"), "alltoall/clustered");
  EXPECT_EQ(name_of("clustered:mode=exchange,factor=basic"), "alltoall/clustered:mode=exchange");
  EXPECT_EQ(name_of("clustered:mode=exchange,factor=concentrated"), "alltoall/clustered:factor=concentrated,mode=exchange");
}

// Figures between nodes are there if the problem, or a file, names nodes.
TEST_F(CommandTest, CountsWhatGoesBetweenNodes) {
  const Words ring{"allgather", "--algorithm", "ring", "--block", "1KiB"};
  const auto ask = [&](Words words, const Words& rest) {
    words.insert(words.end(), ring.begin(), ring.end());
    words.insert(words.end(), rest.begin(), rest.end());
    return prints(words);
  };
  const Json verdict = Json::parse(ask({"verify"}, {"--node-sizes", "3,1,2", "--json"}));
  EXPECT_EQ(verdict.at("node_rounds"), 5);
  EXPECT_EQ(verdict.at("node_ports"), 1);
  EXPECT_EQ(verdict.at("node_startups"), 5);
  EXPECT_EQ(verdict.at("node_traffic_out"), 5120);
  EXPECT_EQ(verdict.at("node_traffic_in"), 5120);
  EXPECT_EQ(verdict.at("lower_bounds").at("node_rounds"), 2);
  EXPECT_EQ(verdict.at("lower_bounds").at("node_traffic_in"), 5120) << "the node of one rank needs the other five blocks";
  EXPECT_EQ(verdict.at("lower_bounds").at("node_traffic_out"), 4096) << "a third of 5 + 4 + 3 blocks";
  EXPECT_EQ(ask({"verify"}, {"--ranks", "6", "--json"}).find("node_"), std::string::npos);

  const std::string one = ask({"verify"}, {"--node-sizes", "3,1,2"});
  EXPECT_NE(one.find("rounds between nodes      5         2"), std::string::npos) << one;
  EXPECT_NE(one.find("into a node           5 KiB     5 KiB   1.00  what a node needs of other nodes"), std::string::npos) << one;
  const std::string document = ask({"schedule"}, {"--node-sizes", "3,1,2"});
  EXPECT_NE(prints({"verify", "-"}, document).find("rounds between nodes      5"), std::string::npos);
  const std::string two = ask({"verify"}, {"--node-sizes", "3,1,2", "--algorithm", "direct"});
  EXPECT_NE(two.find("node rounds  >=  node start-ups  node out     >=  node in     >=  verdict"), std::string::npos) << two;
}

TEST_F(CommandTest, ChecksThePortsOfNodes) {
  const Words flat{"verify", "alltoall", "--algorithm", "one-factor", "--node-sizes", "2x2", "--node-ports"};
  const auto with = [&](const std::string& ports) {
    Words words = flat;
    words.push_back(ports);
    return words;
  };
  EXPECT_EQ(run(with("2")).exit_code, 0);
  const Outcome outcome = run(with("1"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("node-port-limit: node 0 has 2 exchanges with other nodes on 1 port"), std::string::npos)
      << outcome.out;
  refuses(with("0"), "at least 1");
}

TEST_F(CommandTest, ChecksTheLinksOfANetwork) {
  const auto verify_on = [&](const std::string& algorithm, const std::string& topology) {
    return run({"verify", "alltoall", "--algorithm", algorithm, "--topology", topology, "--block", "4B", "--strict", "--json"});
  };
  const Outcome free = verify_on("torus", "torus:4x8");
  EXPECT_EQ(free.exit_code, 0) << free.talk;
  const Json figures = Json::parse(free.out);
  EXPECT_EQ(figures.at("ranks"), 32);
  EXPECT_EQ(figures.at("parameters").at("order"), "at2") << "the topology's sides are the grid's";
  EXPECT_EQ(figures.at("sharing"), 1);
  EXPECT_EQ(figures.at("c2_shared"), 128);
  EXPECT_EQ(figures.at("lower_bounds").at("c2_shared"), 128);

  const Outcome shared = verify_on("shift", "ring:6");
  EXPECT_EQ(shared.exit_code, 1);
  EXPECT_EQ(Json::parse(shared.out).at("findings").at(0).at("rule"), "link-contention");

  EXPECT_EQ(verify_on("clustered", "cluster:4x3").exit_code, 0) << "the topology's nodes are the problem's";
  EXPECT_EQ(verify_on("one-factor", "cluster:4x3").exit_code, 1);

  const Outcome graph = run({"verify", "alltoall", "--algorithm", "shift", "--topology", "edges:-", "--json"}, "0 a\n1 a\n2 a\n");
  EXPECT_EQ(graph.exit_code, 0) << graph.talk;
  EXPECT_EQ(Json::parse(graph.out).at("ranks"), 3);
  refuses({"verify", "alltoall", "--algorithm", "shift", "--topology", "edges:" + write("list", "0 1\n0\n").string()}, "line 2");

  const std::string platform = "<platform>\n<cluster topology='TORUS' topo_parameters='4,2' radical='0-7'/></platform>";
  const Outcome torus =
      run({"verify", "alltoall", "--algorithm", "torus", "--topology", write("a.xml", platform).string(), "--strict"});
  EXPECT_EQ(torus.exit_code, 0) << torus.out << torus.talk;
  EXPECT_EQ(torus.out, prints({"verify", "alltoall", "--algorithm", "torus", "--topology", "platform:-", "--strict"}, platform));
  refuses({"verify", "alltoall", "--topology", write("b.xml", "<platform>\n<cluster/></platform>").string()}, "line 2");

  // A document keeps its ports, and with them the routes of its messages.
  const Outcome document = run({"schedule", "alltoall", "--algorithm", "torus:kernel=ar", "--topology", "ring:8", "--json"});
  const Outcome read = run({"verify", "-", "--topology", "ring:8", "--strict"}, document.out);
  EXPECT_EQ(read.exit_code, 0) << read.out << read.talk;
  EXPECT_NE(read.out.find("sharing"), std::string::npos);
}

TEST_F(CommandTest, DrawsOneSchedule) {
  const Words bruck{"draw", "alltoall", "--algorithm", "bruck", "--ranks", "5"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::string picture = prints(bruck);
  EXPECT_EQ(picture.rfind("<svg ", 0), 0u);
  EXPECT_NE(picture.find("round 0: 0 to 1, 16 B"), std::string::npos);
  EXPECT_EQ(prints(with(bruck, {"--as", "space-time", "-o", file("bruck.svg").string()})), "");
  EXPECT_EQ(contents(file("bruck.svg")), picture);
  EXPECT_NE(prints(with(bruck, {"--as", "blocks"})).find("from 4 to 0"), std::string::npos);
  EXPECT_NE(prints(with(bruck, {"--as", "traffic", "--round", "2"})).find("0 to 4: 8 B"), std::string::npos);
  EXPECT_NE(prints(with(bruck, {"--as", "links", "--topology", "ring:5"})).find("0 -&gt; 1 (dimension 0, +): 48 B in 3 messages"),
            std::string::npos);

  const std::string kept = file("kept.svg").string();
  const std::string text = prints({"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "5"});
  // A document's picture has the same messages, but not the sentences of the algorithm, which the document may not follow.
  const auto messages_of = [](const std::string& svg) {
    std::vector<std::string> found;
    for (std::size_t at = 0; (at = svg.find("<path", at)) != std::string::npos; ++at)
      found.push_back(svg.substr(at, svg.find("</path>", at) - at));
    return found;
  };
  const std::string of_document = prints({"draw", "-"}, text);
  EXPECT_EQ(messages_of(of_document), messages_of(picture));
  EXPECT_EQ(of_document.find("Every rank sends"), std::string::npos);
  EXPECT_NE(prints({"draw", "-", "--as", "links", "--topology", "ring:5"}, text).find("48 B in 3 messages"), std::string::npos);
  std::string wrong = text;
  wrong.replace(wrong.find("send to 1"), 9, "send to 2");
  const Outcome drawn = run({"draw", "-"}, wrong);
  EXPECT_EQ(drawn.exit_code, 1) << "the exit code of verify with findings";
  EXPECT_NE(drawn.talk.find("the schedule of stdin is wrong, and its picture shows 19 findings, one cause: "), std::string::npos);
  EXPECT_NE(drawn.out.find("unmatched-message: rank 2 has no receive"), std::string::npos);
  refuses({"draw", "-", "--ranks", "5"}, "a file says itself", text);
  refuses({"draw", "alltoal"}, "did you mean 'alltoall'?");
  refuses(with(bruck, {"--limit", "3"}), "--limit goes with --round each");
  const auto rounds = [&](const std::string& limit) {
    return prints(with(bruck, {"--as", "links", "--topology", "ring:5", "--round", "each", "--limit", limit}));
  };
  EXPECT_NE(rounds("2").find(">1 more round with messages, up to round 2, is left out<"), std::string::npos);
  EXPECT_EQ(rounds("3").find("left out"), std::string::npos);
  EXPECT_EQ(rounds("3"), rounds("0"));
  refuses({"draw"}, "name a collective");
  refuses({"draw", "alltoall", "--ranks", "5", "-o", kept}, "say which algorithm");
  refuses(with(bruck, {"--as", "block", "-o", kept}), "did you mean 'blocks'?");
  refuses(with(bruck, {"--as", "links", "-o", kept}), "name one: --topology");
  refuses(with(bruck, {"--as", "links", "--topology", "ring:6", "-o", kept}), "has 6 ranks, not 5");
  refuses(with(bruck, {"--as", "blocks", "--round", "1", "-o", kept}), "--as blocks shows all rounds");
  refuses(with(bruck, {"--as", "traffic", "--round", "7", "-o", kept}), "nothing is sent in round 7");
  refuses(with(bruck, {"--as", "traffic", "--round", "-1", "-o", kept}), "at least 0");
  refuses({"draw", "alltoall", "--algorithm", "bruck", "--ranks", "5,6", "-o", kept}, "one schedule, not 2");
  refuses({"draw", "alltoall", "--algorithm", "bruck", "--ranks", "5000", "-o", kept}, "5000 ranks are too many");
  EXPECT_FALSE(fs::exists(kept));
}

TEST_F(CommandTest, SeveralCasesAreAnArray) {
  const Json schedules =
      Json::parse(prints({"schedule", "alltoall", "--algorithm", "bruck:radix=2..5", "--ranks", "2..3,5", "--json"}));
  EXPECT_EQ(schedules.size(), 1u + 2u + 4u);
  const Json verdicts = Json::parse(prints({"verify", write("all", schedules.dump()).string(), "--json"}));
  ASSERT_EQ(verdicts.size(), 7u);
  for (const Json& verdict : verdicts) EXPECT_EQ(verdict["ok"], true);
}

TEST_F(CommandTest, VerifiesAllThatApplyAndSaysWhatDoesNot) {
  const Outcome outcome = run({"verify", "alltoall", "--ranks", "2..4,6", "--json", "--all"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.talk.find("left out: xor among 3 ranks"), std::string::npos) << outcome.talk;
  EXPECT_NE(outcome.talk.find("; also among 6 ranks"), std::string::npos) << outcome.talk;
  std::size_t applying = 0;
  for (const Count p : {2, 3, 4, 6})
    for (const Algorithm* algorithm : algorithms_for(Collective::alltoall))
      applying += applies(Problem::alltoall(p, 1), parse_choice(Problem::alltoall(p, 1), algorithm->id)) ? 1 : 0;
  EXPECT_EQ(Json::parse(outcome.out).size(), applying);
  const Outcome brief = run({"verify", "alltoall", "--ranks", "6"});
  EXPECT_EQ(brief.talk, "") << "all were asked for";
  EXPECT_NE(brief.out.find("cases without findings"), std::string::npos);
  const std::string wide = prints({"verify", "alltoall", "--ranks", "6", "--all"});
  for (const std::string column : {"scratch", "with output", "control"}) {
    EXPECT_EQ(brief.out.find(column), std::string::npos) << brief.out;
    EXPECT_NE(wide.find(column), std::string::npos) << wide;
  }
  EXPECT_NE(prints({"verify", "alltoall", "--ranks", "5", "--algorithm", "bruck"}).find("no findings"), std::string::npos);
}

TEST_F(CommandTest, FindingsHavePlacesAndExitCodeOne) {
  Json document = Json::parse(prints({"schedule", "alltoall", "--algorithm", "shift", "--ranks", "4", "--json"}));
  Json& messages = document["stages"][0]["rounds"][1]["messages"];
  ASSERT_EQ(messages.size(), 4u);
  messages.erase(messages.begin());  // rank 0's block for rank 2, or one like it
  const std::string bad = write("bad", document.dump()).string();

  const Outcome text = run({"verify", bad});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("1 finding, one cause\n"), std::string::npos) << text.out;
  const Outcome outcome = run({"verify", bad, "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const Json verdict = Json::parse(outcome.out);
  EXPECT_EQ(verdict["ok"], false);
  EXPECT_EQ(verdict["verdict"], "wrong");
  ASSERT_EQ(verdict["findings"].size(), 1u);
  EXPECT_EQ(verdict["findings"][0]["rule"], "delivery");
  EXPECT_TRUE(verdict["findings"][0]["rank"].is_number());

  const Outcome limited = run({"verify", "alltoall", "--algorithm", "direct", "--ranks", "4", "--ports", "2", "--json"});
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_EQ(Json::parse(limited.out)["findings"][0]["rule"], "port-limit");
}

// A rank receives two blocks at each other's places. verify and draw say the same number of findings.
TEST_F(CommandTest, LimitsFindingsAndSaysSo) {
  std::string text = prints({"schedule", "alltoall", "--algorithm", "shift", "--ranks", "4", "--block", "8B"});
  const std::size_t first = text.find("receive from");
  ASSERT_NE(first, std::string::npos);
  const std::size_t place = text.find("output[", first);
  ASSERT_NE(place, std::string::npos);
  text.replace(place, text.find(':', place) - place, "output[0");
  const std::string bad = write("bad", text).string();
  const Json verdict = Json::parse(run({"verify", bad, "--json"}).out);
  const auto count = verdict.at("finding_count").get<std::size_t>();
  ASSERT_EQ(count, 2u) << "one block overwritten, one absent";
  EXPECT_EQ(verdict.at("findings").size(), count);
  ASSERT_EQ(verdict.at("causes").size(), 1u);
  EXPECT_EQ(verdict.at("causes")[0].at("kind"), "overwrites");
  EXPECT_EQ(verdict.at("findings")[1].at("cause"), 0);
  const Json& finding = verdict.at("findings")[0];
  EXPECT_EQ(finding.at("buffer"), "output");
  EXPECT_EQ(finding.at("offset"), 0);
  EXPECT_EQ(finding.at("length"), 8);
  EXPECT_EQ(finding.at("region"), "output[0:8]");
  const auto with_limit = [&](const std::string& limit) { return run({"verify", bad, "--limit", limit}).out; };
  EXPECT_NE(with_limit("1").find("2 findings, one cause\n"), std::string::npos);
  EXPECT_NE(with_limit("1").find("and 1 more; --limit 0 lists all\n"), std::string::npos);
  EXPECT_EQ(with_limit("2").find("--limit 0"), std::string::npos);
  EXPECT_EQ(with_limit("2"), with_limit("0"));
  EXPECT_EQ(Json::parse(run({"verify", bad, "--limit", "1", "--json"}).out).at("findings").size(), 1u);
  const Outcome drawn = run({"draw", bad}), traced = run({"trace", bad});
  EXPECT_NE(drawn.out.find(": wrong, 2 findings, one cause<"), std::string::npos);
  EXPECT_NE(drawn.out.find("Cause: block "), std::string::npos);
  EXPECT_NE(drawn.out.find("First of 2 findings"), std::string::npos);
  const std::string cause = "2 findings, one cause: " + verdict.at("causes")[0].at("message").get<std::string>() + "\n";
  for (const Outcome& outcome : {drawn, traced}) {
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.talk.find(cause), std::string::npos) << outcome.talk;
  }
  refuses({"verify", bad, "--limit", "-1"}, "at least 0");
}

TEST_F(CommandTest, TracesOneBlock) {
  const Words bruck{"verify", "alltoall", "--algorithm", "bruck", "--ranks", "5", "--block", "8B"};
  const auto with = [&](const std::string& trace, const Words& more = {}) {
    Words words = bruck;
    words.insert(words.end(), {"--trace", trace});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::string way = prints(with("0,3"));
  EXPECT_NE(way.find("byte 0 of block 0 to 3\n  start: rank 0, input[24]\n"), std::string::npos) << way;
  EXPECT_NE(way.find("  end: rank 3, output[0], as required\n"), std::string::npos) << way;
  const Json json = Json::parse(prints(with("0,3,7", {"--json"})));
  EXPECT_EQ(json.at("arrives"), true);
  EXPECT_EQ(json.at("steps").front().at("offset"), 31);
  EXPECT_EQ(json.at("steps").back().at("offset"), 7);
  for (const char* wrong : {"0", "0,1,2,3", "a,b", "0,-1", "0,1..3", "0,"}) refuses(with(wrong), "--trace takes two ranks");
  refuses(with("0,5"), "there is no rank 5; ranks are 0 to 4");
  refuses(with("0,3,8"), "go 8 bytes; there is no byte 8");
  refuses({"verify", "alltoall", "--algorithm", "bruck", "--ranks", "4,5", "--trace", "0,1"}, "one schedule, not of 2");
}

TEST_F(CommandTest, FlowsNeedANetworkAndACollectiveThatMovesBlocks) {
  refuses({"verify", "alltoall", "--algorithm", "flow", "--ranks", "4"}, "flow needs the links of the network");
  refuses({"verify", "allreduce", "--algorithm", "flow", "--topology", "ring:4"}, "forms with counts, not for allreduce");
  refuses({"schedule", "alltoall", "--algorithm", "flow:x=1", "--topology", "ring:4"}, "flow has no parameter 'x'");
}

}  // namespace
}  // namespace quadrille
