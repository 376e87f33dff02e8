// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/parsing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShellWords, AreCutAtBlanksOutsideOfQuotes) {
  EXPECT_THAT(shell_words("  a\tb\nc  "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(shell_words(" \n"), IsEmpty());
  EXPECT_THAT(shell_words(R"('a b' "c 'd'" 'e "f"' g\ h '' "" i"j"k)"),
              ElementsAre("a b", "c 'd'", "e \"f\"", "g h", "", "", "ijk"));
  EXPECT_THAT(shell_words(R"("a\"b" '\n' \\ c\)"), ElementsAre("a\"b", "\\n", "\\", "c\\"));
}

TEST(ShellWords, GiveNoOtherSignAMeaning) {
  EXPECT_THAT(shell_words("$HOME * | > ; `x` $(x) ~ #"), ElementsAre("$HOME", "*", "|", ">", ";", "`x`", "$(x)", "~", "#"));
}

TEST(ShellWords, NeedTheEndOfAQuote) {
  EXPECT_EQ(sentence_of([] { shell_words("m 'a b"); }), "a quote ' has no end in the command: m 'a b");
  EXPECT_EQ(sentence_of([] { shell_words("m \"a\\\""); }), "a quote \" has no end in the command: m \"a\\\"");
}

}  // namespace
}  // namespace quadrille
