// SPDX-License-Identifier: BSD-3-Clause
// Tests of files of schedules as subjects of commands: what docs/own-schedules.md shows, with its example, and what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/goal_text.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Words race_briefly{"--repetitions", "1", "--time", "0.02s", "--executor", "threads"};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class OwnSchedule : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    const Outcome right = run_program({"python3", script_});
    if (right.exit_code != 0) GTEST_SKIP() << "there is no python3";
    mine_ = write("mine.json", right.out).string();
    const Outcome wrong = run_program({"sed", "s/\"to\": at(r + 1, c)/\"to\": at(r + 1, c + 1)/", script_});
    broken_ = write("broken.json", run_program({"python3", "-"}, wrong.out).out).string();
    ASSERT_NE(contents(mine_), contents(broken_));
  }

  const std::string script_ = QUADRILLE_SOURCE_DIR "/examples/own_schedule.py";
  std::string mine_, broken_;
};

TEST_F(OwnSchedule, IsVerifiedPricedSimulatedAndDrawn) {
  EXPECT_THAT(prints({"verify", mine_}), HasSubstr("alltoall/rows-then-columns, 6 ranks, 1 KiB a block: no findings"));
  const Json price = Json::parse(prints({"price", mine_, "--machine", "sp2", "--json"}));
  ASSERT_EQ(price["candidates"].size(), 1u);
  EXPECT_EQ(price["candidates"][0]["algorithm"], "rows-then-columns");
  const Json simulated =
      Json::parse(prints({"simulate", "-", "--topology", "torus:2x3", "--machine", "paragon", "--json"}, contents(mine_)));
  ASSERT_EQ(simulated["candidates"].size(), 1u);
  EXPECT_EQ(simulated["candidates"][0]["algorithm"], "rows-then-columns");
  EXPECT_THAT(prints({"draw", mine_}), StartsWith("<svg"));
}

TEST_F(OwnSchedule, IsComparedWithTheTable) {
  const auto names = [](const Json& result) {
    std::vector<std::string> list;
    for (const Json& candidate : result["candidates"]) list.push_back(candidate["algorithm"]);
    return list;
  };
  const Words machine{"--machine", "sp2", "--json"}, problem{"--ranks", "6", "--block", "1KiB"};
  const Json both = Json::parse(prints(Words{"price", "alltoall", "--schedule", mine_, "--algorithm", "ring"} + problem + machine));
  EXPECT_THAT(names(both), ::testing::UnorderedElementsAre("rows-then-columns", "ring"));
  EXPECT_GT(names(Json::parse(prints(Words{"price", "alltoall", "--schedule", mine_} + problem + machine))).size(), 5u);
  EXPECT_EQ(names(Json::parse(prints(Words{"price", mine_, "--algorithm", "all"} + machine))).size(),
            names(Json::parse(prints(Words{"price", "alltoall", "--schedule", mine_} + problem + machine))).size());
  // There are two sizes, and the file's schedule is for one of them.
  const Json sizes = Json::parse(prints(
      Words{"price", "alltoall", "--ranks", "6", "--block", "1KiB,2KiB", "--schedule", mine_, "--algorithm", "ring"} + machine));
  EXPECT_EQ(names(sizes[0]).size(), 2u);
  EXPECT_EQ(names(sizes[1]).size(), 1u);
  const Json events = Json::parse(prints({"simulate", mine_, "--topology", "torus:2x3", "--machine", "sp2", "--model", "linear",
                                          "--by", "events", "--policy", "all", "--algorithm", "direct", "--json"}));
  EXPECT_EQ(events["candidates"].size(), 6u);
}

TEST_F(OwnSchedule, IsRacedWithItsDataChecked) {
  const Json result = Json::parse(prints(Words{"race", mine_, "--algorithm", "ring", "--policy", "all", "--json"} + race_briefly));
  EXPECT_EQ(result["ranks"], 6);
  const Json& entries = result["sizes"].at(0)["entries"];
  ASSERT_EQ(entries.size(), 6u);  // two candidates under three policies
  EXPECT_EQ(entries[0]["algorithm"], "rows-then-columns");
  EXPECT_EQ(entries[0]["c1"], 2);
  for (const Json& entry : entries) EXPECT_EQ(entry["checked"], true) << entry;
  const Outcome launched = run_program(
      {QUADRILLE_COMMAND, "run", "-n", "6", QUADRILLE_COMMAND, "race", "-", "--json", "--repetitions", "1", "--time", "0.02s"},
      contents(mine_));
  ASSERT_EQ(launched.exit_code, 0) << launched.talk;
  const Json shared = Json::parse(launched.out);
  EXPECT_EQ(shared["transport"], "shared");
  EXPECT_EQ(shared["sizes"].at(0)["entries"].at(0)["checked"], true);
  EXPECT_THAT(
      prints(Words{"race", "alltoall", "--ranks", "6", "--block", "1KiB", "--schedule", mine_, "--algorithm", "ring", "--csv"} +
             race_briefly),
      HasSubstr(",rows-then-columns,"));
}

TEST_F(OwnSchedule, IsRefusedIfItIsWrong) {
  const std::string finding =
      "rank 0, 1024 bytes from output[3072]: delivery: holds rank 3, bytes from 2048 at the end; expected rank 3";
  const Outcome verified = run({"verify", broken_});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.out, HasSubstr(finding));
  refuses({"price", broken_, "--machine", "sp2"}, finding);
  refuses({"simulate", broken_, "--machine", "sp2"}, finding);
  refuses({"race", "--executor", "threads", "--time", "0.02s", "-"}, "in stdin is wrong; 'quadrille verify' finds: " + finding,
          contents(broken_));
  refuses({"price", "alltoall", "--ranks", "6", "--block", "1KiB", "--machine", "sp2", "--schedule", broken_}, finding);
  const Outcome launched =
      run_program({"timeout", "60", QUADRILLE_COMMAND, "run", "-n", "6", QUADRILLE_COMMAND, "race", broken_, "--time", "0.02s"});
  EXPECT_EQ(launched.exit_code, 2);
  EXPECT_THAT(launched.talk, HasSubstr(fmt::format("in '{}' is wrong; 'quadrille verify' finds: {}", broken_, finding)));
  // Converting does not verify, so a wrong schedule can be converted.
  EXPECT_EQ(run({"verify", write("broken.sched", prints({"schedule", broken_}))}).exit_code, 1);
}

TEST_F(OwnSchedule, IsRefusedIfTheProblemDiffers) {
  refuses({"price", "alltoall", "--ranks", "6", "--block", "2KiB", "--machine", "sp2", "--schedule", mine_},
          "is for alltoall among 6 ranks, 1 KiB a block, and not for alltoall among 6 ranks, 2 KiB a block");
  refuses({"simulate", "allgather", "--ranks", "6,8", "--block", "1KiB", "--machine", "sp2", "--schedule", mine_},
          "and not for allgather among 6 ranks, 1 KiB a block, nor for the 1 others asked for");
  refuses({"race", "alltoall", "--ranks", "4", "--block", "1KiB", "--executor", "threads", "--schedule", mine_},
          "and not for alltoall among 4 ranks");
  refuses({"simulate", mine_, "--topology", "torus:2x4", "--machine", "paragon"}, "has 8 ranks, not 6");
  for (const std::string command : {"price", "simulate", "race", "schedule"}) {
    refuses({command, mine_, "--ranks", "6"},
            "a file says itself which problem it is for; leave --ranks, --block and the like out");
    refuses({command, "altoall"}, "did you mean 'alltoall'?");
    refuses({command, file("none.json").string()}, "No such file");
  }
  const Outcome launched = run_program({QUADRILLE_COMMAND, "run", "-n", "4", QUADRILLE_COMMAND, "race", mine_});
  EXPECT_EQ(launched.exit_code, 2);
  EXPECT_THAT(launched.talk, HasSubstr("is for 6 ranks, but the launcher started 4"));
}

TEST_F(OwnSchedule, IsRefusedIfStdinIsNamedTwice) {
  refuses({"price", "-", "--machine", "sp2", "--schedule", "-"}, "cannot read stdin: it is read already; name '-' once",
          contents(mine_));
  refuses({"verify", "-", "-"}, "name '-' once", contents(mine_));
}

TEST_F(OwnSchedule, IsDrawnOnlyIfTheFileHoldsNoOther) {
  const std::string two = write("two.json", fmt::format("[{0},{0}]", contents(mine_))).string();
  refuses({"draw", two}, fmt::format("a picture shows one schedule, and '{}' holds 2", two));
}

TEST_F(OwnSchedule, IsRefusedIfARegionEndsBeyond64Bits) {
  std::string text = prints({"schedule", mine_});
  text.replace(text.find("[1024:1024]"), 11, "[1024:9223372036854775807]");
  const std::string sentence =
      "a region reaches beyond 2^63 bytes; 'quadrille verify' finds: rank 0, stage 'along the rows', round 0, "
      "9223372036854775807 bytes from input[1024]: out-of-buffer: ";
  refuses({"draw", "-"}, sentence, text);
  refuses({"schedule", "-", "--json"}, sentence, text);
}

TEST_F(OwnSchedule, IsShownWithoutControlCharacters) {
  Json document = Json::parse(contents(mine_));
  document["algorithm"] = "a\x1b[31m\nname";
  document["stages"][0]["name"] = "a\nstage";
  const auto is_printable = [](const std::string& text) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find("a\nstage"), std::string::npos) << text;
  };
  EXPECT_THAT(prints({"verify", "-"}, document.dump()), StartsWith("alltoall/a\\x1b[31m\\x0aname, 6 ranks"));
  const std::string simulated = prints({"simulate", "-", "--machine", "sp2"}, document.dump());
  EXPECT_THAT(simulated, HasSubstr("a\\x0astage"));
  is_printable(simulated);
  document["stages"][0]["rounds"][0]["local"] = Json::array();
  const Outcome found = run({"verify", "-"}, document.dump());
  EXPECT_EQ(found.exit_code, 1);
  is_printable(found.out);
}

TEST_F(CommandTest, DocumentsAreConvertedBothWays) {
  const Words bruck{"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "5"};
  const std::string text = prints(bruck), json = prints(bruck + Words{"--json"});
  EXPECT_EQ(prints({"schedule", "-", "--json"}, json), json);
  EXPECT_EQ(prints({"schedule", "-"}, text), text);
  EXPECT_EQ(prints({"schedule", write("bruck.sched", text), "--format", "json"}), json);
  EXPECT_EQ(prints({"schedule", "-", "--json"}, prints({"schedule", "-"}, json)), json);
  const std::string several = prints(bruck + Words{"--algorithm", "ring", "--json"});
  EXPECT_EQ(prints({"schedule", "-", "--json"}, several), several);
  refuses({"schedule", "-"}, "the text form holds one schedule, not 2", several);
}

TEST_F(CommandTest, ScheduleWritesGoal) {
  const Words ring{"schedule", "allgather", "--algorithm", "ring", "--ranks", "4", "--block", "8B", "--format", "goal"};
  const GoalReplay replay = GoalText(prints(ring)).replay();
  EXPECT_EQ(replay.trouble, "");
  EXPECT_EQ(replay.messages.size(), 12u);
  EXPECT_EQ(replay.depth, 3);
  EXPECT_EQ(prints(ring + Words{"--policy", "blocking"}), prints(ring));
  EXPECT_NE(prints(ring + Words{"--policy", "dataflow"}), prints(ring));
  refuses(ring + Words{"--policy", "all"}, "one policy");
  refuses(ring + Words{"--json"}, "exclude each other");
  refuses({"schedule", "allgather", "--algorithm", "ring", "--ranks", "4", "--policy", "dataflow"}, "--format goal");
  refuses({"schedule", "allgather", "--algorithm", "ring", "--ranks", "4,5", "--format", "goal"}, "GOAL holds one schedule");
}

TEST_F(CommandTest, SchedulesWithTheSameNameAreNumbered) {
  const Words ring{"schedule", "alltoall", "--algorithm", "ring", "--ranks", "3"};
  const std::string one = write("one.json", prints(ring + Words{"--json"})).string();
  const std::string two = write("two.json", fmt::format("[{0},{0}]", contents(one))).string();
  const Json raced = Json::parse(prints(Words{"race", two, "--schedule", one, "--algorithm", "ring", "--json"} + race_briefly));
  const Json& entries = raced["sizes"].at(0)["entries"];
  ASSERT_EQ(entries.size(), 1u) << "all have the same steps";
  EXPECT_EQ(entries[0]["algorithm"], "two.json/ring");
  EXPECT_EQ(entries[0]["same_as"], Json::array({"two.json#1/ring", "one.json/ring", "ring"}));
}

TEST_F(CommandTest, NamesOfSchedulesArePrintable) {
  const Words ring{"schedule", "alltoall", "--algorithm", "ring", "--ranks", "3", "--json"};
  const auto name_of = [&](const std::string& algorithm) {
    Json document = Json::parse(prints(ring));
    document["algorithm"] = algorithm;
    const Json priced = Json::parse(prints({"price", "-", "--machine", "sp2", "--json"}, document.dump()));
    return priced["candidates"].at(0)["algorithm"].get<std::string>();
  };
  EXPECT_EQ(name_of("Zeilen → Spalten"), "Zeilen → Spalten");
  EXPECT_EQ(name_of("two\nlines"), "two\\x0alines");
  EXPECT_EQ(name_of(""), "stdin");
}

TEST_F(CommandTest, FilesOfReductionsRaceWithTheOperatorAskedFor) {
  const Words sums{"schedule", "allreduce", "--algorithm", "recursive-doubling", "--ranks", "4", "--block", "64B", "--type", "f32"};
  const std::string document = prints(sums + Words{"--json"});
  const Json raced = Json::parse(prints(Words{"race", "-", "--type", "f32", "--op", "max", "--json"} + race_briefly, document));
  EXPECT_EQ(raced["op"], "max");
  EXPECT_EQ(raced["sizes"].at(0)["entries"].at(0)["checked"], true);
  refuses(Words{"race", "-"} + race_briefly, "the elements in stdin have 4 bytes, and those of sum of f64 have 8", document);
}

}  // namespace
}  // namespace quadrille
