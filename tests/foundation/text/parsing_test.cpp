// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/parsing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace quadrille {
namespace {

using ::testing::ElementsAre;

TEST(Parsing, BlanksAtBothEndsAreTrimmed) {
  EXPECT_EQ(trimmed(" \t\r\n a b\tc \n"), "a b\tc");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Parsing, PartsMayBeEmpty) {
  EXPECT_THAT(split("a,bc,d", ','), ElementsAre("a", "bc", "d"));
  EXPECT_THAT(split(",a,,", ','), ElementsAre("", "a", "", ""));
  EXPECT_THAT(split("a,b", ';'), ElementsAre("a,b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Parsing, ANumberIsTheWholeText) {
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<double>("1.5e3"), 1500);
  for (const char* text : {"", " 1", "1 ", "+1", "1.5", "0x1", "1,000", "one", "1\n"})
    EXPECT_EQ(number_in<int>(text), std::nullopt) << text;
  EXPECT_EQ(number_in<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(number_in<double>("1.5s"), std::nullopt);
}

TEST(Parsing, ANumberThatDoesNotFitIsNone) {
  EXPECT_EQ(number_in<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(number_in<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(number_in<std::uint64_t>("9223372036854775808"), std::uint64_t{1} << 63);
  EXPECT_EQ(number_in<double>("1e999"), std::nullopt);
}

}  // namespace
}  // namespace quadrille
