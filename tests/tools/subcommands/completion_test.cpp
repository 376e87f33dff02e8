// SPDX-License-Identifier: BSD-3-Clause
// Tests of the completion scripts: what they know, and that the shells read them.
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, CompletionKnowsOptionsAndTheirValues) {
  const std::string script = prints({"completion", "bash"});
  for (const std::string word : {"schedule", "--algorithm", "alltoall", "bruck", "nonblocking"})
    EXPECT_NE(script.find(word), std::string::npos) << word;
  for (const std::string values : {"--executor) words='threads mpi shared hybrid", "--memory) words='private shared'",
                                   "--topology) words='torus:4x8 mesh:4x4 ring:8 ",
                                   "--policy) words='blocking nonblocking dataflow all'", "--format) words='text json'"})
    EXPECT_NE(script.find(values), std::string::npos) << values;
}

// Every script names every subcommand; zsh and fish are not installed everywhere, so only bash reads its own.
TEST_F(CommandTest, CompletionIsForThreeShells) {
  for (const std::string shell : {"bash", "fish", "zsh"}) {
    const std::string script = prints({"completion", shell});
    for (const std::string word : {"verify", "race", "completion", "alltoall", "wisdom"})
      EXPECT_NE(script.find(word), std::string::npos) << shell << ": " << word;
    EXPECT_EQ(script.back(), '\n') << shell;
  }
  EXPECT_EQ(run_program({"bash", "-n", write("script", prints({"completion", "bash"})).string()}).exit_code, 0);
}

// Bash completes what a user has begun to type.
TEST_F(CommandTest, CompletionCompletesInBash) {
  const std::string script = write("script", prints({"completion", "bash"})).string();
  const auto completed = [&](const std::string& words, const std::string& begun) {
    const std::string lines = ". " + script + "; COMP_WORDS=(quadrille " + words + " '" + begun +
                              "'); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _quadrille; echo ${COMPREPLY[@]}";
    return run_program({"bash", "-c", lines}).out;
  };
  EXPECT_EQ(completed("", "veri"), "verify\n");
  EXPECT_EQ(completed("verify", "alltoallv"), "alltoallv\n");
  EXPECT_EQ(completed("verify alltoall", "--node-p"), "--node-ports\n");
  EXPECT_EQ(completed("verify alltoall --policy", "non"), "nonblocking\n");
}

}  // namespace
}  // namespace quadrille
