// SPDX-License-Identifier: BSD-3-Clause
// Subcommands that are not collective ignore the variables that launchers set.
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class LauncherTest : public CommandTest {
 protected:
  Outcome run_among(const Words& environment, const Words& arguments) const {
    Words words{"env"};
    words.insert(words.end(), environment.begin(), environment.end());
    words.emplace_back(QUADRILLE_COMMAND);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(words);
  }

  static const std::vector<Words>& environments() {
    static const std::vector<Words> list{{"PMI_RANK=1"},
                                         {"PMI_RANK=1", "PMI_SIZE=2"},
                                         {"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4"},
                                         {"QUADRILLE_RANK=1", "QUADRILLE_RANKS=2", "QUADRILLE_SEGMENT=99"},
                                         {"PMI_RANK=x", "PMI_SIZE="}};
    return list;
  }
};

TEST_F(LauncherTest, WhatIsNotCollectiveIsDoneByEveryProcess) {
  const std::string document = file("schedule.json").string();
  prints({"schedule", "alltoall", "--ranks", "4", "--algorithm", "bruck", "--format", "json", "--output", document});
  const std::vector<Words> commands{{"--help"},
                                    {"--version"},
                                    {"list", "alltoall"},
                                    {"schedule", "alltoall", "--ranks", "4", "--algorithm", "bruck"},
                                    {"verify", document},
                                    {"draw", "alltoall", "--ranks", "4", "--algorithm", "bruck"},
                                    {"price", "alltoall", "--ranks", "4", "--machine", "sp1"},
                                    {"simulate", "alltoall", "--ranks", "4", "--machine", "sp1"},
                                    {"reproduce", "bruck1997-table1"},
                                    {"run", "-n", "1", "echo", "here"},
                                    {"completion", "bash"}};
  for (const Words& command : commands) {
    const Outcome alone = run(command);
    EXPECT_EQ(alone.exit_code, 0) << command[0] << ": " << alone.talk;
    EXPECT_NE(alone.out, "") << command[0];
    for (const Words& environment : environments()) {
      const Outcome outcome = run_among(environment, command);
      EXPECT_EQ(outcome.exit_code, 0) << command[0] << ' ' << environment[0] << ": " << outcome.talk;
      EXPECT_EQ(outcome.out, alone.out) << command[0] << ' ' << environment[0];
    }
  }
  // Not the same everywhere, but never nothing.
  const std::vector<Words> others{
      {"info"},
      {"race", "alltoall", "--executor", "threads", "--ranks", "2", "--rounds", "1", "--time", "0.01s", "--algorithm", "direct"},
      {"calibrate", "--executor", "threads", "--ranks", "2", "--time", "0.01s"}};
  for (const Words& command : others)
    for (const Words& environment : environments()) {
      const Outcome outcome = run_among(environment, command);
      EXPECT_EQ(outcome.exit_code, 0) << command[0] << ' ' << environment[0] << ": " << outcome.talk;
      EXPECT_NE(outcome.out, "") << command[0] << ' ' << environment[0];
    }
}

TEST_F(LauncherTest, EveryProcessSaysWhatIsWrong) {
  const std::string missing = file("nowhere").string();
  for (const Words& command :
       {Words{"list", "alltoal"}, Words{"info", "more"}, Words{"schedule", missing}, Words{"verify", missing},
        Words{"draw", missing}, Words{"price", "alltoallv", "--counts", missing, "--machine", "sp1"},
        Words{"simulate", "alltoallv", "--counts", missing, "--machine", "sp1"}, Words{"reproduce", "nothing-of-this-name"},
        Words{"run", "-n", "1", missing}, Words{"completion", "fish"}, Words{"race", "alltoal", "--executor", "threads"},
        Words{"calibrate", "--executor", "threads", "--output", missing + "/file"}, Words{"--versio"},
        Words{"nothing-of-this-name"}})
    for (const Words& environment : environments()) {
      const Outcome outcome = run_among(environment, command);
      EXPECT_EQ(outcome.exit_code, 2) << command[0] << ' ' << environment[0];
      EXPECT_EQ(outcome.out, "") << command[0] << ' ' << environment[0];
      EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1)
          << command[0] << ' ' << environment[0] << outcome.talk;
      EXPECT_EQ(outcome.talk.rfind("quadrille: ", 0), 0u) << command[0] << ' ' << outcome.talk;
    }
}

// Ranks that run a race together say once what is wrong.
TEST_F(LauncherTest, TheFirstRankTalksForACollectiveSubcommand) {
  for (const Words& command : {Words{"race", "alltoal"}, Words{"race", "alltoall", "--foo"}}) {
    Words words{"run", "-n", "3", QUADRILLE_COMMAND};
    words.insert(words.end(), command.begin(), command.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
  }
}

// A whole pair of remainders names a rank that nobody started: the process says that it could not join.
TEST_F(LauncherTest, AProcessThatCannotJoinSaysSo) {
  const Outcome outcome = run_among({"QUADRILLE_RANK=1", "QUADRILLE_RANKS=2", "QUADRILLE_SEGMENT=99"}, {"race", "alltoall"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.talk, "");
}

}  // namespace
}  // namespace quadrille
