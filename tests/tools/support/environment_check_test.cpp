// SPDX-License-Identifier: BSD-3-Clause
// The command refuses environment variables of ours with wrong names and values. Other programs that use the library are warned.
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class EnvironmentCheckTest : public CommandTest {
 protected:
  Outcome run_with(const std::string& variable, Words arguments) const {
    arguments.insert(arguments.begin(), {"env", variable, QUADRILLE_COMMAND});
    return run_program(arguments);
  }
};

TEST_F(EnvironmentCheckTest, RefusesWrongNamesAndValues) {
  struct Case {
    std::string variable, sentence;
  };
  for (const auto& [variable, sentence] :
       {Case{"QUADRILLE_WISDM=off", "Quadrille has no environment variable QUADRILLE_WISDM; did you mean QUADRILLE_WISDOM?"},
        Case{"QUADRILLE_PROGRESS=5", "QUADRILLE_PROGRESS is '5'; it may be thread"},
        Case{"QUADRILLE_PROGRESS_SECONDS=fast",
             "QUADRILLE_PROGRESS_SECONDS is 'fast'; it may be a number of seconds from 0.01 to 1000000"},
        Case{"QUADRILLE_CHECK=yes", "QUADRILLE_CHECK is 'yes'; it may be 0 or 1"},
        Case{"QUADRILLE_MACHINE=epic",
             "QUADRILLE_MACHINE is 'epic', but there is no machine 'epic', and no such file; did you mean 'epyc'?"},
        Case{"QUADRILLE_MACHINE=paragon",
             "QUADRILLE_MACHINE is 'paragon', but the machine paragon has no figures for a model that applies: the model torus "},
        Case{"QUADRILLE_MPI=lam", "QUADRILLE_MPI is 'lam'; it may be openmpi, mpich, "},
        Case{"QUADRILLE_PLAN_MEMORY=much", "QUADRILLE_PLAN_MEMORY: 'much' is not a size"},
        Case{"QUADRILLE=of", "QUADRILLE is 'of'; it may be on, off or profile"},
        Case{"QUADRILLE_ADMIT=yes", "QUADRILLE_ADMIT is 'yes'; it may be 0, 1 or anywhere"},
        Case{"QUADRILLE_REPORT=yes", "QUADRILLE_REPORT is 'yes'; it may be off, summary, full, summary:FILE or full:FILE"},
        Case{"QUADRILLE_CHOOSE=all=direct", "QUADRILLE_CHOOSE: the rule 'all=direct' is invalid: there is no collective 'all'"},
        Case{"QUADRILLE_TUNE=60%", "QUADRILLE_TUNE=60% is invalid; it may be run, or run:2%"}}) {
    const Outcome outcome = run_with(variable, {"info"});
    EXPECT_EQ(outcome.exit_code, 2) << variable;
    EXPECT_EQ(outcome.out, "") << variable;
    EXPECT_EQ(outcome.talk.rfind("quadrille: " + sentence, 0), 0u) << outcome.talk;
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
    for (const Words& words : {Words{"help"}, Words{"list", "environment"}})
      EXPECT_EQ(run_with(variable, words).exit_code, 0) << "what explains the variables must run: " << variable;
  }
}

TEST_F(EnvironmentCheckTest, TakesRightValuesAndOtherNames) {
  for (const char* variable :
       {"QUADRILLE_PROGRESS=thread", "QUADRILLE_PROGRESS_SECONDS=5", "QUADRILLE_CHECK=", "QUADRILLE_MACHINE=hdr",
        "QUADRILLE_REPORT=off", "QUADRILLE_TUNE=run:2%", "QUADRILLE_ROOT=/opt/quadrille", "QUADRILLES=4"}) {
    const Outcome outcome = run_with(variable, {"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "2"});
    EXPECT_EQ(outcome.exit_code, 0) << variable << ": " << outcome.talk;
  }
}

// Ranks that run a subcommand together print the sentence once.
TEST_F(EnvironmentCheckTest, OnlyTheFirstRankPrintsIt) {
  const Outcome outcome = run({"run", "-n", "3", "env", "QUADRILLE_CHECK=yes", QUADRILLE_COMMAND, "race", "alltoall"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.talk, "quadrille: QUADRILLE_CHECK is 'yes'; it may be 0 or 1\n");
}

// The test below starts this one in processes of its own.
TEST(Library, MakesTwoGroups) {
  for (int i = 0; i < 2; ++i) run_threads(3, [](Communicator& communicator) { communicator.barrier(); });
}

TEST_F(EnvironmentCheckTest, ALibraryWarnsOnceInAProcess) {
  const auto warnings = [&](Words variables) {
    variables.insert(variables.begin(), "env");
    variables.insert(variables.end(), {fs::read_symlink("/proc/self/exe").string(), "--gtest_filter=Library.MakesTwoGroups"});
    const Outcome outcome = run_program(variables);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
    return outcome.talk;
  };
  EXPECT_EQ(warnings({"QUADRILLE_CHECK=1"}), "");
  EXPECT_EQ(warnings({"QUADRILLE_CHECK=yes", "QUADRILLE_WISDM=off"}),
            "quadrille: Quadrille has no environment variable QUADRILLE_WISDM; did you mean QUADRILLE_WISDOM?\n"
            "quadrille: QUADRILLE_CHECK is 'yes'; it may be 0 or 1; it is ignored\n");
  EXPECT_NE(warnings({"QUADRILLE_WISDM=off", "PMI_RANK=0"}), "");
  EXPECT_EQ(warnings({"QUADRILLE_WISDM=off", "PMI_RANK=1"}), "") << "only rank 0 of the launcher warns";
}

}  // namespace
}  // namespace quadrille
