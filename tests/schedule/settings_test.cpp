// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/settings.hpp"

#include <gtest/gtest.h>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

std::string shown(std::string_view specification) {
  const SpecificationParts parts = parts_of_specification(specification);
  std::string text(parts.id);
  for (const ParameterSetting& setting : parts.settings)
    text += " | " + std::string(setting.name) + " -> " + std::string(setting.value.value_or("none"));
  return text;
}

TEST(Settings, AreCutAtCommasOutsideParentheses) {
  EXPECT_EQ(shown("bruck"), "bruck");
  EXPECT_EQ(shown("bruck:radix=8,ports=2"), "bruck | radix -> 8 | ports -> 2");
  EXPECT_EQ(shown("h:between=(bruck:radix=8,ports=2),lanes=4"), "h | between -> bruck:radix=8,ports=2 | lanes -> 4");
  EXPECT_EQ(shown("h:a=(x:b=(y:c=1,d=2),e=3),f=4"), "h | a -> x:b=(y:c=1,d=2),e=3 | f -> 4");
}

TEST(Settings, LoseOnlyParenthesesAroundTheWholeValue) {
  EXPECT_EQ(shown("h:a=(ring)"), "h | a -> ring");
  EXPECT_EQ(shown("h:a=ring"), "h | a -> ring");
  EXPECT_EQ(shown("h:a=(b)(c)"), "h | a -> (b)(c)");
  EXPECT_EQ(shown("h:a=()"), "h | a -> ");
}

TEST(Settings, AreSplitOutsideParentheses) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split_outside_parentheses("", '+'), Parts{""});
  EXPECT_EQ(split_outside_parentheses("a+b", '+'), (Parts{"a", "b"}));
  EXPECT_EQ(split_outside_parentheses("a:x=(b+c)+d", '+'), (Parts{"a:x=(b+c)", "d"}));
  EXPECT_EQ(split_outside_parentheses("+", '+'), (Parts{"", ""}));
  EXPECT_THROW(split_outside_parentheses("a)+(b", '+'), Error);
}

TEST(Settings, MayLackAValueOrAName) {
  EXPECT_EQ(shown("h:a"), "h | a -> none");
  EXPECT_EQ(shown("h:a=,b"), "h | a ->  | b -> none");
  EXPECT_EQ(shown("h:"), "h |  -> none");
}

TEST(Settings, RefuseParenthesesThatDoNotMatch) {
  for (const char* wrong : {"h:a=(b", "h:a=b)", "h:a=(b,c", "h:a=((b)", "h:a=(b)),c=1", "h:a=)b("})
    EXPECT_THROW(parts_of_specification(wrong), Error) << wrong;
}

TEST(Settings, AreWrittenInParenthesesIfTheyHaveACommma) {
  EXPECT_EQ(value_in_specification("ring"), "ring");
  EXPECT_EQ(value_in_specification("chain:segments=4"), "chain:segments=4");
  EXPECT_EQ(value_in_specification("bruck:radix=8,ports=2"), "(bruck:radix=8,ports=2)");
  for (const char* text : {"ring", "chain:segments=4", "bruck:radix=8,ports=2", "h:a=(b:c=1,d=2)"})
    EXPECT_EQ(parts_of_specification("h:x=" + value_in_specification(text)).settings.at(0).value, text);
}

}  // namespace
}  // namespace quadrille
