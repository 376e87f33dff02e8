// SPDX-License-Identifier: BSD-3-Clause
// Columns: each is written in the shortest form, and read back as it was.
#include "trace/trace_format.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "quadrille/error.hpp"
#include "schedule/forms/json.hpp"
#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

Column read_back(const std::string& text) {
  const nlohmann::json tree = json_tree(text);
  return read_column(JsonValue(tree));
}

std::string column_refusal(const std::string& text) {
  return testing::sentence_of([&] { read_back(text); });
}

TEST(Column, TakesTheShortestForm) {
  EXPECT_EQ(column_text({}), "[]");
  EXPECT_EQ(column_text({7}), "[7]");
  EXPECT_EQ(column_text({0, 0, 0, 0}), "[0,0,0,0]");
  EXPECT_EQ(column_text(Column(100, 5)), R"({"runs": [5,0,100]})");
  EXPECT_EQ(column_text({0, 8, 16, 24, 32, 40, 48, 7, 6, 5, 4, 3, 2, 1}), R"({"runs": [0,8,7,7,-1,7]})");
  EXPECT_EQ(column_text({1'000'000, 1'000'001, 1'000'003, 1'000'004, 1'000'006}), R"({"deltas": [1000000,1,2,1,2]})");
}

TEST(Column, IsReadBackAsItWas) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  std::mt19937_64 random(1);
  for (int length = 0; length < 200; ++length)
    for (const std::uint64_t range : {2, 10, 1'000'000'000}) {
      Column column;
      for (int i = 0; i < length; ++i)
        column.push_back(random() % 3 == 0 || column.empty() ? static_cast<std::int64_t>(random() % range) : column.back() + 4);
      if (random() % 20 == 0) column.push_back(random() % 2 == 0 ? least : most);
      EXPECT_EQ(read_back(column_text(column)), column);
    }
  EXPECT_EQ(read_back(column_text({least, most, least})), (Column{least, most, least}));
  EXPECT_EQ(read_back(R"({"deltas": [3, -5, 2]})"), (Column{3, -2, 0}));
  EXPECT_EQ(read_back(R"({"runs": [3, -5, 3, 9, 0, 1]})"), (Column{3, -2, -7, 9}));
}

TEST(Column, RefusesWhatIsNone) {
  EXPECT_NE(column_refusal("7").find("expected an array of numbers"), std::string::npos) << column_refusal("7");
  EXPECT_NE(column_refusal("[1, 2.5]").find("[1]: expected a number that fits in 64 bits, found 2.5"), std::string::npos)
      << column_refusal("[1, 2.5]");
  EXPECT_NE(column_refusal("{}").find("expected an array of numbers"), std::string::npos);
  EXPECT_NE(column_refusal(R"({"runs": [1, 1]})").find("first, step and count"), std::string::npos);
  EXPECT_NE(column_refusal(R"({"runs": [1, 1, 0]})").find("runs[2]: expected a number of values"), std::string::npos);
  EXPECT_NE(column_refusal(R"({"runs": [9223372036854775807, 1, 2]})").find("values of 64 bits"), std::string::npos);
  EXPECT_NE(column_refusal(R"({"deltas": [9223372036854775807, 1]})").find("values of 64 bits"), std::string::npos);
  // The most rows, and one more.
  EXPECT_EQ(read_back(R"({"runs": [0, 0, 16777216]})").size(), 16777216u);
  EXPECT_NE(column_refusal(R"({"runs": [0, 0, 16777217]})").find("a number of values"), std::string::npos);
  EXPECT_NE(column_refusal(R"({"runs": [0, 0, 16777216, 0, 0, 1]})").find("expected 16777216 values at most"), std::string::npos);
  const nlohmann::json three = json_tree("[1, 2, 3]");
  EXPECT_EQ(read_column(JsonValue(three), 3).size(), 3u);
  EXPECT_NE(testing::sentence_of([&] { read_column(JsonValue(three), 2); }).find("expected 2 values at most"), std::string::npos);
}

}  // namespace
}  // namespace quadrille
