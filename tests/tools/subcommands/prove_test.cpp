// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille prove.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

using ProveTest = CommandTest;

TEST_F(ProveTest, PrintsTheDocument) {
  const std::string document = prints({"prove", "alltoall/bruck", "-o", "-"});
  EXPECT_THAT(document, HasSubstr("; alltoall/bruck: quadrille prove alltoall/bruck\n"));
  EXPECT_THAT(document, HasSubstr("(check-sat)"));
}

TEST_F(ProveTest, SaysWhatTheSolverAnswers) {
  // Answers each step of the document; the first one with $ANSWER.
  const std::string solver = write("solver",
                                   "#!/bin/sh\nsed -n 's/^(echo \"\\(.*\\)\")$/\\1/p' $1 | "
                                   "while read -r step; do echo \"$step\"; echo ${ANSWER:-unsat}; ANSWER=unsat; done\n")
                                 .string();
  fs::permissions(solver, fs::perms::owner_all);
  const std::string proof = file("proof.smt2").string();
  const Words words{"prove", "alltoall/one-factor", "--solver", solver, "-o", proof};
  const Outcome good = run(words);
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.out, HasSubstr("8 of 8 steps proved by"));
  EXPECT_EQ(contents(proof), prints({"prove", "alltoall/one-factor", "-o", "-"}));
  for (const auto& [answer, told] :
       {std::pair{"sat", "false for some numbers: p rounds: both"}, {"unknown", "not decided: p rounds: both"}}) {
    Words with_answer{"env", std::string("ANSWER=") + answer, QUADRILLE_COMMAND};
    with_answer.insert(with_answer.end(), words.begin(), words.end());
    const Outcome bad = run_program(with_answer);
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_THAT(bad.out, HasSubstr(told));
    EXPECT_THAT(bad.out, HasSubstr("7 of 8 steps proved by"));
  }
}

// Else a program that prints nothing would prove everything.
TEST_F(ProveTest, RefusesASolverThatLeavesOutSteps) {
  const std::string proof = file("proof.smt2").string();
  refuses({"prove", "alltoall/one-factor", "--solver", "true", "-o", proof}, "does not answer the step 'p rounds: both");
  const std::string one =
      write("one", "#!/bin/sh\necho 'p rounds: both ranks of a pair name the same round'\necho unsat\n").string();
  fs::permissions(one, fs::perms::owner_all);
  refuses({"prove", "alltoall/one-factor", "--solver", one, "-o", proof}, "does not answer the step 'p rounds: each pair");
}

TEST_F(ProveTest, SaysHowToGetASolver) {
  refuses({"prove", "alltoall/one-factor", "--solver", "no-such-solver", "-o", file("proof.smt2").string()}, "apt install z3");
  EXPECT_FALSE(contents(file("proof.smt2")).empty());
}

TEST_F(ProveTest, RefusesUnknownFamilies) {
  refuses({"prove"}, "name a family; there are: alltoall/bruck");
  refuses({"prove", "alltoall/brook"}, "alltoall/bruck");
}

}  // namespace
}  // namespace quadrille
