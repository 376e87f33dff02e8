// SPDX-License-Identifier: BSD-3-Clause
// Parsing the user's rules for the drop-in.
#include "mpi_face/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace quadrille::mpi_face {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ChooseRules, TheFirstMatchingRuleIsTaken) {
  const ChoiceRules rules = parse_rules("alltoall:0-1KiB=bruck:radix=4; alltoall=direct ;broadcast:8-8=vendor;");
  EXPECT_TRUE(rules.refused.empty());
  ASSERT_NE(rules.find("alltoall", 1024), nullptr);
  EXPECT_EQ(rules.find("alltoall", 1024)->algorithm, "bruck:radix=4");
  EXPECT_EQ(rules.find("alltoall", 1025)->algorithm, "direct");
  EXPECT_EQ(rules.find("broadcast", 8)->algorithm, "vendor");
  EXPECT_EQ(rules.find("broadcast", 7), nullptr);
  EXPECT_EQ(rules.find("allgather", 8), nullptr);
}

TEST(ChooseRules, InvalidRulesAreLeftOutWithASentence) {
  const ChoiceRules rules =
      parse_rules("nonsense;alltoal=direct;alltoall:1KiB=direct;alltoall:9-8=direct;alltoall:x-8=direct;alltoall=;scan=linear");
  EXPECT_EQ(rules.rules.size(), 1u);
  EXPECT_NE(rules.find("scan", 1), nullptr);
  EXPECT_THAT(rules.refused, ElementsAre(HasSubstr("'nonsense' is invalid: a rule is"), HasSubstr("no collective 'alltoal'"),
                                         HasSubstr("'1KiB' is not a range of sizes"), HasSubstr("ends before it begins"),
                                         HasSubstr("'x'"), HasSubstr("a rule is")));
}

// Exchanges that have no collective of ours have the names of MPI's functions.
TEST(ChooseRules, NameExchanges) {
  const ChoiceRules rules = parse_rules(
      "alltoallw=vendor;neighbor_alltoallv=vendor;neighbor_alltoal=vendor;ineighbor_alltoall=vendor;alltoallv:0-8=vendor");
  EXPECT_NE(rules.find("alltoallw", 0), nullptr);
  EXPECT_NE(rules.find("neighbor_alltoallv", 0), nullptr);
  EXPECT_EQ(rules.find("neighbor_alltoallw", 0), nullptr);
  EXPECT_THAT(rules.refused,
              ElementsAre(HasSubstr("no collective 'neighbor_alltoal'"), HasSubstr("no collective 'ineighbor_alltoall'"),
                          HasSubstr("all calls of alltoallv are one kind, whatever their sizes; leave the range out")));
}

TEST(ChooseRules, AnyTextIsReadOrRefused) {
  std::mt19937 random(7);
  const std::string letters = "alltoall:=;-08KiB \tbruck,radix";
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int length = static_cast<int>(random() % 40); length > 0; --length) text += letters[random() % letters.size()];
    const ChoiceRules rules = parse_rules(text);
    for (const ChoiceRule& rule : rules.rules) EXPECT_LE(rule.smallest, rule.largest) << text;
  }
}

}  // namespace
}  // namespace quadrille::mpi_face
