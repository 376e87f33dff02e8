// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille bound, and of the ratios that other subcommands print.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, BoundsAreWrittenAndChecked) {
  const std::string text = prints({"bound", "alltoall", "--topology", "torus:4x8", "--block", "1KiB"});
  EXPECT_NE(text.find("C2 shared    32 KiB"), std::string::npos) << text;
  const std::string document = prints(
      {"bound", "alltoall", "--topology", "torus:4x8", "--node-sizes", "4x8", "--machine", "sp2", "--model", "linear", "--json"});
  const Json json = Json::parse(document);
  EXPECT_EQ(json.at("format"), "quadrille-bound/1");
  EXPECT_EQ(json.at("network").at("links").size(), 128u);
  const std::string checked = prints({"bound", "--check", "-"}, document);
  EXPECT_NE(checked.find("time at least"), std::string::npos);
  EXPECT_NE(checked.find(fmt::format("{0} of {0} bounds proved", json.at("bounds").size())), std::string::npos) << checked;
}

TEST_F(CommandTest, BoundsThatAreNotProvedAreFindings) {
  Json document = Json::parse(prints({"bound", "allgather", "--ranks", "8", "--json"}));
  document["bounds"][1]["value"] = {"57", "1"};
  const Outcome outcome = run({"bound", "--check", write("bounds.json", document.dump()).string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("c2 at least 57, crossing: NOT proved: the certificate proves 56"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 of 2 bounds proved"), std::string::npos);
  document["bounds"][1]["kind"] = "guess";
  EXPECT_EQ(run({"bound", "--check", write("bounds.json", document.dump()).string()}).exit_code, 2);
}

TEST_F(CommandTest, BoundRefusesWhatIsNotOneProblem) {
  refuses({"bound"}, "name a collective");
  refuses({"bound", "alltoall", "--ranks", "2..4"}, "not of 3");
  refuses({"bound", "alltoall", "--ranks", "8", "--machine", "sp2", "--model", "free-running"}, "free-running");
  refuses({"bound", "alltoall", "--ranks", "8", "--machine", "sp1", "--ports", "2"}, "--ports");
  refuses({"bound", "alltoall", "--ranks", "8", "--ports", "9223372036854775807"}, "--ports is at most");
  refuses({"bound", "alltoall", "--ranks", "8", "--model", "linear"}, "--machine");
  refuses({"bound", "alltoall", "--ranks", "8", "--steps", "9"}, "--topology");
}

// Options without effect are refused, so that nobody believes that they had one.
TEST_F(CommandTest, BoundRefusesOptionsWithoutEffect) {
  const std::vector<Words> without_effect{{"--ports", "2"}, {"--steps", "9"}, {"--model", "linear"}, {"--json"}};
  for (const Words& option : without_effect) {
    Words check{"bound", "--check", "-"}, worst{"bound", "alltoall", "--worst-ratios", "--ranks", "2"};
    check.insert(check.end(), option.begin(), option.end());
    worst.insert(worst.end(), option.begin(), option.end());
    refuses(check, "--check takes only a file");
    refuses(worst, "--worst-ratios takes only");
  }
  refuses({"bound", "alltoall", "--worst-ratios", "--node-sizes", "1,1"}, "--worst-ratios takes only");
  refuses({"bound", "alltoall", "--worst-ratios", "--block", "8,16"}, "one size, not 2");
}

TEST_F(CommandTest, BoundsOfNothingAndOfTooMuchAreSaidInWords) {
  EXPECT_NE(prints({"bound", "alltoall", "--ranks", "1"}).find("nothing has to move"), std::string::npos);
  const Outcome outcome = run({"bound", "--check", "-"}, prints({"bound", "alltoall", "--ranks", "100000", "--json"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("spread: not checked: "), std::string::npos) << outcome.out;
}

TEST_F(CommandTest, BoundsOfTimesHoldForNodesAndOverlappedParts) {
  for (const auto& [machine, model] : {std::pair("sp2", "flat"), std::pair("myrinet", "cluster")}) {
    const std::string document =
        prints({"bound", "alltoall", "--node-sizes", "2x4", "--block", "1KiB", "--machine", machine, "--model", model, "--json"});
    EXPECT_NE(prints({"bound", "--check", "-"}, document).find("time: proved"), std::string::npos) << document;
  }
}

TEST_F(CommandTest, WorstRatiosNameEveryAlgorithm) {
  const std::string text = prints({"bound", "broadcast", "--worst-ratios", "--ranks", "2..9"});
  for (const char* expected : {"C2 shared, hypercube", "binomial"}) EXPECT_NE(text.find(expected), std::string::npos) << text;
}

TEST_F(CommandTest, OtherSubcommandsSayHowFarSchedulesAreFromTheirBounds) {
  const Json verdict =
      Json::parse(prints({"verify", "allgather", "--algorithm", "ring", "--topology", "ring:8", "--block", "8B", "--json"}));
  EXPECT_EQ(verdict.at("ratios").at("c2"), 1.0);
  EXPECT_EQ(verdict.at("ratios").at("c2_shared"), 2.0) << "one direction of the ring is not used";
  std::string told = prints({"explain", "alltoall", "--ranks", "64", "--block", "64B", "--machine", "sp1"});
  const std::size_t last = told.rfind("\n  ");  // the sentence may be broken into lines
  if (last != std::string::npos && last > told.rfind("\n\n")) told.replace(last, 3, " ");
  EXPECT_NE(told.find("at most 1.05 times as long"), std::string::npos) << told;
  const Json explained =
      Json::parse(prints({"explain", "alltoall", "--ranks", "64", "--block", "64B", "--machine", "sp1", "--json"}));
  EXPECT_GE(explained.at("lower_bound").at("time_ratio"), 1.0);
  const Json simulated = Json::parse(prints(
      {"simulate", "alltoall", "--algorithm", "bruck:radix=8", "--ranks", "64", "--block", "64B", "--machine", "sp1", "--json"}));
  EXPECT_NEAR(simulated.at("ratio_to_least").get<double>(), 1.05, 0.01);
}

}  // namespace
}  // namespace quadrille
