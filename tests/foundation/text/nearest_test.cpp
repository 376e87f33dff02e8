// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/wording.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(Nearest, FindsAWordWithOneOrTwoMistakes) {
  const std::vector<std::string> known{"alltoall", "allgather", "ring"};
  EXPECT_EQ(nearest("altoall", known), "alltoall");      // a letter is missing
  EXPECT_EQ(nearest("allgatherr", known), "allgather");  // one too many
  EXPECT_EQ(nearest("rinh", known), "ring");             // another one
  EXPECT_EQ(nearest("alltaoll", known), "alltoall");     // two are exchanged
}

TEST(Nearest, AllowsThreeMistakesInALongWordOnly) {
  EXPECT_EQ(nearest("recursiv_doublin", {"recursive-doubling"}), "recursive-doubling");
  EXPECT_EQ(nearest("xyzg", {"ring"}), std::nullopt);
}

TEST(Nearest, AllowsFewerMistakesIfTheFirstLettersDiffer) {
  EXPECT_EQ(nearest("lltoall", {"alltoall"}), "alltoall");
  EXPECT_EQ(nearest("cost", {"list"}), std::nullopt);
  EXPECT_EQ(nearest("ksh", {"zsh"}), std::nullopt);
  EXPECT_EQ(nearest("", {"zsh"}), std::nullopt);
}

TEST(Nearest, TakesTheFirstOfEquallyNearWords) { EXPECT_EQ(nearest("sum", {"sun", "sub"}), "sun"); }

TEST(Nearest, MakesTheEndOfASentence) {
  EXPECT_EQ(guess_or_list("rinh", {"ring", "mesh"}), "did you mean 'ring'?");
  EXPECT_EQ(guess_or_list("torus", {"ring", "mesh"}), "there are: ring, mesh");
  EXPECT_EQ(guess_or_list("torus", {}), "there are: none");
  EXPECT_EQ(guess_or("torus", {"ring"}, "see --help"), "see --help");
}

TEST(Nearest, FindsNothingAmongNoWords) { EXPECT_EQ(nearest("ring", {}), std::nullopt); }

}  // namespace
}  // namespace quadrille
