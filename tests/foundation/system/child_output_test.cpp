// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/child_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::StartsWith;

std::string output(const std::vector<std::string>& words) { return output_of(words, 1, "the program"); }

TEST(ChildOutput, IsAllThatTheProgramPrints) {
  EXPECT_EQ(output({"printf", "%s|", "one two", "$HOME", "*", "'", ""}), "one two|$HOME|*|'||");
  EXPECT_EQ(output({"true"}), "");
  EXPECT_EQ(output({"cat"}), "") << "its stdin is empty";
  EXPECT_EQ(output({"head", "-c", "1048576", "/dev/zero"}).size(), 1u << 20);  // more than a pipe holds
}

TEST(ChildOutput, OfAProgramThatFailsIsAnError) {
  EXPECT_EQ(sentence_of([] { output({"sh", "-c", "exit 3"}); }), "the program failed with exit code 3");
  EXPECT_THAT(sentence_of([] { output({"sh", "-c", "kill -9 $$"}); }), StartsWith("the program was ended by signal 9 (Killed"));
  EXPECT_EQ(sentence_of([] { output({"/no/such/program"}); }), "cannot start the program: No such file or directory");
  EXPECT_EQ(sentence_of([] { output({"head", "-c", "1048577", "/dev/zero"}); }), "the program prints more than 1 MiB");
  EXPECT_EQ(sentence_of([] { output({"cat", "/dev/zero"}); }), "the program prints more than 1 MiB") << "it would never end";
  EXPECT_EQ(sentence_of([] {
              output({"sh", "-c", "cat /dev/zero; true"});
            }),
            "the program prints more than 1 MiB")
      << "its own child does not keep us waiting";
}

}  // namespace
}  // namespace quadrille
