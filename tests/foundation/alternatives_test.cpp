// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/wording.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace quadrille {
namespace {

TEST(Alternatives, JoinsWordsForASentence) {
  EXPECT_EQ(alternatives(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(alternatives(std::vector<std::string_view>{"a", "b"}), "a or b");
  EXPECT_EQ(alternatives(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace quadrille
