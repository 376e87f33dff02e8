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
  const std::string solver =
      write("solver", "#!/bin/sh\necho 'first step'\necho unsat\necho 'second step'\necho ${ANSWER:-unsat}\n").string();
  fs::permissions(solver, fs::perms::owner_all);
  const std::string proof = file("proof.smt2").string();
  const Words words{"prove", "alltoall/one-factor", "--solver", solver, "-o", proof};
  const Outcome good = run(words);
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.out, HasSubstr("2 of 2 steps proved by"));
  EXPECT_EQ(contents(proof), prints({"prove", "alltoall/one-factor", "-o", "-"}));
  for (const auto& [answer, told] :
       {std::pair{"sat", "false for some numbers: second step\n"}, {"unknown", "not decided: second step\n"}}) {
    Words with_answer{"env", std::string("ANSWER=") + answer, QUADRILLE_COMMAND};
    with_answer.insert(with_answer.end(), words.begin(), words.end());
    const Outcome bad = run_program(with_answer);
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_THAT(bad.out, HasSubstr(told));
    EXPECT_THAT(bad.out, HasSubstr("1 of 2 steps proved by"));
  }
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
