// SPDX-License-Identifier: BSD-3-Clause
// Tests of commands that print schedules (--generator), and of files that hold schedules of one algorithm for several problems:
// each is one candidate in all commands.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/command.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class GeneratorTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (run_program({"python3", "-c", ""}).exit_code != 0) GTEST_SKIP() << "there is no python3";
  }

  // The words with the example as --generator.
  Words with_example(Words words, const Words& more = {}) const {
    words.insert(words.end(), {"--generator", fmt::format("python3 {} {{ranks}} {{block}}", script_)});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  const std::string script_ = QUADRILLE_SOURCE_DIR "/examples/both_sides.py";
  const std::string name_ = "python3 both_sides.py";
};

std::vector<std::string> names_in(const Json& candidates) {
  std::vector<std::string> names;
  for (const Json& candidate : candidates) names.push_back(candidate["algorithm"]);
  return names;
}

TEST_F(GeneratorTest, IsVerifiedForAllSizesAndRanks) {
  const Json verdicts = Json::parse(prints(with_example({"verify", "alltoall", "--ranks", "1..9", "--block", "1,1KiB", "--json"})));
  ASSERT_EQ(verdicts.size(), 18u);
  for (const Json& verdict : verdicts) {
    EXPECT_EQ(verdict["algorithm"], name_);
    EXPECT_EQ(verdict["findings"].size(), 0u) << verdict;
  }
  EXPECT_EQ(verdicts[17]["ranks"], 9);
  EXPECT_EQ(verdicts[17]["c1"], 4);  // distances 1 to 4
  const Json both = Json::parse(prints(with_example({"verify", "alltoall", "--ranks", "4", "--algorithm", "bruck", "--json"})));
  EXPECT_EQ(both.size(), 2u);
}

TEST_F(GeneratorTest, IsOneCandidateInPricesAndSimulations) {
  for (const std::string command : {"price", "simulate"}) {
    const Words problem{command, "alltoall", "--ranks", "4,8", "--block", "8,1KiB", "--machine", "sp2", "--json"};
    for (const Json& list : Json::parse(prints(with_example(problem))))
      EXPECT_THAT(names_in(list["candidates"]), ElementsAre(name_));
    const Json compared = Json::parse(prints(with_example(problem, {"--algorithm", "ring"})));
    ASSERT_EQ(compared.size(), 4u);
    for (const Json& list : compared) EXPECT_THAT(names_in(list["candidates"]), ::testing::UnorderedElementsAre(name_, "ring"));
  }
}

TEST_F(GeneratorTest, IsComparedWithTheChosenWay) {
  const Words problem{"explain", "alltoall", "--ranks", "8", "--block", "1KiB", "--machine", "hdr", "--time", "0.01"};
  const Json told = Json::parse(prints(with_example(problem, {"--json"})));
  ASSERT_EQ(told["families"].size(), 1u);
  EXPECT_EQ(told["families"][0]["family"], name_);
  EXPECT_GT(told["families"][0]["predicted_s"], 0.0);
  EXPECT_GT(told["families"][0]["ratio"], 0.0);
  EXPECT_THAT(prints(with_example(problem)), HasSubstr("Your " + name_));
  Words wrong = problem;
  wrong.insert(wrong.end(), {"--generator", "echo {ranks}"});
  refuses(wrong, "echo");
}

TEST_F(GeneratorTest, IsOneCurveOfARaceAndItsPlot) {
  const Words race{"race",          "alltoall", "--ranks", "4",     "--block",    "8..64",   "--json",
                   "--repetitions", "1",        "--time",  "0.02s", "--executor", "threads", "-o"};
  Words words = race;
  words.push_back(file("race.json").string());
  prints(with_example(words, {"--algorithm", "direct"}));
  const Json raced = Json::parse(contents(file("race.json")));
  ASSERT_EQ(raced["sizes"].size(), 4u);
  for (const Json& size : raced["sizes"]) {
    EXPECT_THAT(names_in(size["entries"]), ElementsAre(name_, "direct:segments=1"));
    EXPECT_EQ(size["entries"][0]["checked"], true);
  }
  const auto texts = Read(prints({"plot", file("race.json").string(), "--panel", "times"})).texts();
  EXPECT_EQ(std::count(texts.begin(), texts.end(), name_), 1) << "one curve has one name";
}

TEST_F(GeneratorTest, RunsOnceForEachSizeUnderALauncher) {
  const std::string log = file("log").string();
  const std::string command = fmt::format("sh -c 'echo $1 $2 >> {}; exec python3 {} $1 $2' sh {{ranks}} {{block}}", log, script_);
  const Outcome raced = run_program({QUADRILLE_COMMAND, "run", "-n", "3", QUADRILLE_COMMAND, "race", "alltoall", "--block", "8,16",
                                     "--generator", command, "--json", "--repetitions", "1", "--time", "0.02s"});
  ASSERT_EQ(raced.exit_code, 0) << raced.talk;
  for (const Json& size : Json::parse(raced.out)["sizes"]) EXPECT_EQ(size["entries"].at(0)["checked"], true);
  EXPECT_EQ(contents(log), "3 8\n3 16\n");
}

TEST_F(GeneratorTest, IsDrawnTracedPrintedAndViewed) {
  const Words problem{"alltoall", "--ranks", "5", "--block", "8"};
  const auto of = [&](const std::string& command, const Words& more = {}) {
    Words words{command};
    words.insert(words.end(), problem.begin(), problem.end());
    return prints(with_example(words, more));
  };
  EXPECT_THAT(of("draw"), AllOf(StartsWith("<svg"), HasSubstr("both_sides.py")));
  EXPECT_EQ(Json::parse(of("trace"))["format"], "quadrille-trace/1");
  EXPECT_THAT(of("schedule"), HasSubstr("algorithm \"" + name_ + "\"\n"));
  EXPECT_EQ(Json::parse(of("schedule", {"--algorithm", "ring", "--json"})).size(), 2u);
  EXPECT_THAT(of("view"), HasSubstr("both_sides.py"));
}

TEST_F(GeneratorTest, ThatPrintsNoScheduleOfTheProblemIsRefused) {
  const Words price{"price", "alltoall", "--ranks", "4", "--block", "8", "--machine", "sp2", "--generator"};
  const auto refuses_command = [&](const std::string& command, const std::string& hint) {
    Words words = price;
    words.push_back(command);
    refuses(words, hint);
  };
  refuses_command("false {ranks}", "'false 4' failed with exit code 1");
  refuses_command("/no/such {ranks}", "cannot start '/no/such 4': No such file");
  refuses_command("true", "'true' prints nothing; it must print a schedule");
  refuses_command("echo {ranks}", "'echo 4' does not print a schedule: ");
  refuses_command("x {rnaks}", "there is no placeholder {rnaks}; did you mean {ranks}?");
  refuses_command("x {nodes}", "{nodes} has no value here: the problem names no nodes");
  refuses_command(fmt::format("python3 {} 4 16", script_),
                  "prints a schedule for alltoall among 4 ranks, 16 B a block instead of alltoall among 4 ranks, 8 B a block");
  refuses_command(fmt::format("python3 {} 5 {{block}}", script_), "prints a schedule for alltoall among 5 ranks");
  refuses({"price", "alltoall", "--ranks", "4097", "--machine", "sp2", "--generator", "x {ranks}"}, "the limit is 4096");
  for (const std::string command : {"verify", "price", "simulate", "draw", "schedule", "trace", "view", "race"})
    refuses({command, write("mine.sched", "x").string(), "--generator", "true"},
            "a file holds its schedules itself; name a collective with --generator");
}

TEST_F(GeneratorTest, ThatIsWrongIsRefusedWithItsCause) {
  const std::string script =
      write("wrong.py", run_program({"sed", "s/send to {partner}/send to {(partner + (rank == 2)) % p}/", script_}).out).string();
  const std::string command = fmt::format("python3 {} {{ranks}} {{block}}", script);
  const std::string hint =
      "the schedule that python3 wrong.py prints for alltoall among 6 ranks, 8 B a block is wrong; 'quadrille verify' finds: ";
  const Words problem{"alltoall", "--ranks", "6", "--generator", command};
  const auto with = [&](Words words, const Words& more = {}) {
    words.insert(words.end(), problem.begin(), problem.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Outcome verified = run(with({"verify"}));
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.out, HasSubstr("cause of "));
  refuses(with({"price"}, {"--machine", "sp2"}), hint);
  refuses(with({"simulate"}, {"--machine", "sp2"}), "; probable cause: the message ");
  refuses(with({"race"}, {"--executor", "threads"}), hint);
  const Outcome launched = run_program(
      {"timeout", "60", QUADRILLE_COMMAND, "run", "-n", "6", QUADRILLE_COMMAND, "race", "alltoall", "--generator", command});
  EXPECT_EQ(launched.exit_code, 2);
  EXPECT_THAT(launched.talk, HasSubstr(hint));
  EXPECT_EQ(run(with({"draw"})).exit_code, 1);
  EXPECT_EQ(run(with({"trace"})).exit_code, 1);
  EXPECT_EQ(run(with({"view"})).exit_code, 1);
}

TEST_F(GeneratorTest, IsEndedBeyondItsLimits) {
  const Words verify{"verify", "alltoall", "--ranks", "4"};
  const auto with = [&](const Words& more) {
    Words words = verify;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  refuses(with({"--generator", "yes", "--generator-limits", "1MiB,60s"}),
          "'yes' prints more than 1 MiB; --generator-limits raises this limit");
  refuses(with({"--generator", "sleep 60", "--generator-limits", "1MiB,0.1s"}),
          "'sleep 60' has not ended after 0.1 s; --generator-limits raises this limit");
  refuses(with({"--generator", "yes", "--generator-limits", "1MiB"}), "a size and a time, such as 1GiB,600s, not '1MiB'");
  refuses(with({"--generator", "yes", "--generator-limits", "1MiB,x"}), "the time of --generator-limits 'x' is not a time");
}

TEST_F(GeneratorTest, HasItsOwnWordsOnStderr) {
  const Outcome outcome = run({"verify", "alltoall", "--ranks", "2", "--generator", "sh -c 'echo my reason >&2; exit 7'"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.talk, AllOf(StartsWith("my reason\nquadrille: 'sh -c "), HasSubstr("failed with exit code 7")));
  const Outcome launched = run_program({"timeout", "60", QUADRILLE_COMMAND, "run", "-n", "3", QUADRILLE_COMMAND, "race", "alltoall",
                                        "--generator", "sh -c 'echo my reason >&2; exit 7'"});
  EXPECT_EQ(launched.exit_code, 2);
  EXPECT_THAT(launched.talk, AllOf(HasSubstr("my reason\n"), HasSubstr("failed with exit code 7")));
}

TEST_F(GeneratorTest, IsNotReadByAShell) {
  const std::string touched = file("touched").string();
  refuses({"verify", "alltoall", "--ranks", "2", "--generator", fmt::format("true; touch {}", touched)},
          "cannot start 'true; touch");
  EXPECT_FALSE(fs::exists(touched));
}

TEST_F(GeneratorTest, NeedsANameOfItsOwn) {
  const std::string bruck = write("bruck", fmt::format("#!/bin/sh\nexec python3 {} $1 $2\n", script_)).string();
  fs::permissions(bruck, fs::perms::owner_all);
  const Json priced =
      Json::parse(prints({"price", "alltoall", "--ranks", "4", "--block", "8", "--machine", "sp2", "--json", "--generator",
                          bruck + " {ranks} {block}", "--generator", bruck + " {ranks} 8", "--algorithm", "bruck"}));
  const auto names = names_in(priced["candidates"]);
  const std::set<std::string> all(names.begin(), names.end());
  EXPECT_TRUE(all.contains("command/bruck")) << priced;
  EXPECT_EQ(all.size(), 3u);
}

// Files of schedules, each for one size, of one algorithm.
class FileFamily : public CommandTest {
 protected:
  std::string document(const std::string& name, const std::string& block, const std::string& algorithm = "mine") const {
    std::string text = prints({"schedule", "alltoall", "--algorithm", "shift", "--ranks", "4", "--block", block});
    text.replace(text.find("algorithm shift"), 15, "algorithm " + algorithm);
    return write(name, text).string();
  }
};

TEST_F(FileFamily, IsOneCandidateOverItsSizes) {
  const std::string small = document("small.sched", "8"), large = document("large.sched", "1KiB");
  const Words files{"--schedule", small, "--schedule", large, "--algorithm", "ring"};
  const auto with = [&](Words words) {
    words.insert(words.end(), files.begin(), files.end());
    return words;
  };
  const Json priced =
      Json::parse(prints(with({"price", "alltoall", "--ranks", "4", "--block", "8,16,1KiB", "--machine", "sp2", "--json"})));
  ASSERT_EQ(priced.size(), 3u);
  EXPECT_EQ(priced[0]["candidates"].size(), 2u);
  EXPECT_EQ(priced[2]["candidates"].size(), 2u);
  // The size for which there is no schedule says so.
  EXPECT_THAT(names_in(priced[1]["candidates"]), ElementsAre("ring"));
  EXPECT_EQ(priced[1]["left_out"],
            Json::array(
                {{{"algorithm", "mine"}, {"reason", "none of the given schedules is for alltoall among 4 ranks, 16 B a block"}}}));
  const Outcome raced = run(with({"race", "alltoall", "--ranks", "4", "--block", "8,16,1KiB", "--json", "--repetitions", "1",
                                  "--time", "0.02s", "--executor", "threads"}));
  EXPECT_EQ(raced.exit_code, 0);
  EXPECT_THAT(raced.talk, HasSubstr("left out: mine: none of the given schedules is for alltoall among 4 ranks, 16 B a block"));
  const Json sizes = Json::parse(raced.out)["sizes"];
  EXPECT_THAT(names_in(sizes[0]["entries"]), ElementsAre("mine", "ring"));
  EXPECT_THAT(names_in(sizes[1]["entries"]), ElementsAre("ring"));
  EXPECT_THAT(names_in(sizes[2]["entries"]), ElementsAre("mine", "ring"));
}

TEST_F(FileFamily, HasOneNameIfItsAlgorithmIsOneOfTheTable) {
  const std::string small = document("small.sched", "8", "bruck"), large = document("large.sched", "1KiB", "bruck");
  const Json priced = Json::parse(prints({"price", small, "--schedule", large, "--machine", "sp2", "--json"}));
  ASSERT_EQ(priced.size(), 2u);
  for (const Json& list : priced) EXPECT_THAT(names_in(list["candidates"]), ElementsAre("small.sched/bruck"));
  const std::string again = document("again.sched", "8", "bruck");
  const Json three = Json::parse(prints({"price", small, "--schedule", large, "--schedule", again, "--machine", "sp2", "--json"}));
  EXPECT_THAT(names_in(three[0]["candidates"]), ElementsAre("small.sched/bruck", "again.sched/bruck"));
}

TEST_F(FileFamily, NamesTheFileThatIsWrong) {
  const std::string small = document("small.sched", "8");
  std::string text = contents(document("large.sched", "1KiB"));
  text.replace(text.find("send to 1"), 9, "send to 2");
  const std::string large = write("large.sched", text).string();
  refuses({"price", small, "--schedule", large, "--machine", "sp2"}, fmt::format("the schedule of mine in '{}' is wrong", large));
}

}  // namespace
}  // namespace quadrille
