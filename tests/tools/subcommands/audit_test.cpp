// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille audit.
#include <gtest/gtest.h>

#include <map>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

const Words brief{"--ranks", "3", "--repetitions", "6", "--time", "0.01"};

Words audit_of(Words words) {
  words.insert(words.begin(), "audit");
  words.insert(words.end(), brief.begin(), brief.end());
  return words;
}

TEST_F(CommandTest, AuditsSumUpInText) {
  const std::string text = prints(audit_of({"allgather", "barrier", "--block", "8B,64B"}));
  EXPECT_NE(text.find("3 ranks on threads"), std::string::npos) << text;
  // Seven guidelines are measured at two sizes each; two guidelines of the barrier have no data.
  EXPECT_NE(text.find("ours: of 14 guidelines and sizes "), std::string::npos) << text;
}

TEST_F(CommandTest, AuditsAsJson) {
  const Json report = Json::parse(prints(audit_of({"scan", "gather", "--block", "64B", "--tolerance", "1.1", "--json"})));
  EXPECT_EQ(report["tolerance"], 1.1);
  std::map<std::string, int> verdicts;
  ASSERT_EQ(report["findings"].size(), 3u + 5u);
  for (const Json& finding : report["findings"]) {
    const Json& ratio = finding["ratio"];
    EXPECT_LE(ratio["lower"], ratio["median"]) << finding;
    EXPECT_LE(ratio["median"], ratio["upper"]) << finding;
    const std::string verdict = ratio["lower"] > 1.1 ? "violated" : ratio["upper"] <= 1.1 ? "held" : "open";
    EXPECT_EQ(finding["verdict"], verdict) << finding;
    EXPECT_FALSE(finding["left"].empty()) << finding;
    ++verdicts[verdict];
  }
  for (const std::string verdict : {"held", "violated", "open"}) EXPECT_EQ(report["summary"]["ours"][verdict], verdicts[verdict]);
  EXPECT_EQ(report["summary"]["ours"]["wrong data"], 0);
}

TEST_F(CommandTest, AuditsSayWhatTheyLeaveOut) {
  const Outcome outcome = run(audit_of({"reduce", "--block", "8B"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.talk.find("1 guideline left out: 8 bytes have no halves of whole elements"), std::string::npos) << outcome.talk;
}

TEST_F(CommandTest, StrictAuditsAnswerByTheirExitCode) {
  const Outcome outcome = run(audit_of({"scan", "broadcast", "--block", "8KiB", "--tolerance", "1", "--strict", "--json"}));
  EXPECT_EQ(outcome.exit_code, Json::parse(outcome.out)["summary"]["ours"]["violated"] > 0 ? 1 : 0);
  EXPECT_EQ(run(audit_of({"scan", "--tolerance", "1000", "--strict"})).exit_code, 0);
}

TEST_F(CommandTest, AuditsRunOnLaunchedRanks) {
  const Outcome outcome =
      run({"run", "-n", "2", QUADRILLE_COMMAND, "audit", "barrier", "--repetitions", "6", "--time", "0.01", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["transport"], "shared");
  EXPECT_EQ(report["ranks"], 2);
  EXPECT_EQ(report["findings"].size(), 2u);
}

TEST_F(CommandTest, AuditListsGuidelines) {
  const std::string text = prints({"audit", "--list"});
  for (const std::string part : {"allgather", "gather + broadcast", "hunold2016", "gatherv, rising shares"})
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
}

TEST_F(CommandTest, AuditsRefuseInOneSentence) {
  refuses({"audit", "--side", "vendor"}, "there is no vendor here");
  refuses({"audit", "--side", "both"}, "there is no vendor here");
  refuses({"audit", "--side", "mine"}, "there is no side 'mine'");
  refuses({"audit", "gathr"}, "gather");
  refuses({"audit", "--repetitions", "5"}, "take 6 at least");
  refuses({"audit", "--tolerance", "0.5"}, "the tolerance is a factor from 1 to 1000");
  refuses({"audit", "--tolerance", "1.1x"}, "the tolerance is a factor from 1 to 1000");
  refuses({"audit", "scan", "--block", "12B"}, "blocks of 12 bytes do not hold whole elements");
  refuses({"audit", "scan", "--block", "0B"}, "let blocks have a byte at least");
  refuses({"audit", "scan", "--ranks", "2000"}, "too many for the threads of one process");
}

}  // namespace
}  // namespace quadrille
