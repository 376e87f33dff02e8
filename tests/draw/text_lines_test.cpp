// SPDX-License-Identifier: BSD-3-Clause
#include "draw/geometry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quadrille {
namespace {

using ::testing::ElementsAre;

double room_for(const char* words) { return text_width(words) + 0.001; }

TEST(TextLines, CountLettersAndNotBytes) { EXPECT_EQ(text_width("µs…"), text_width("abc")); }

TEST(TextLines, AreBrokenAtSpaces) {
  EXPECT_THAT(lines_of("one two three", room_for("one two")), ElementsAre("one two", "three"));
  EXPECT_THAT(lines_of("one two three", room_for("one tw")), ElementsAre("one", "two", "three"));
  EXPECT_THAT(lines_of("", 10), ElementsAre(""));
}

TEST(TextLines, BreakLongWordsAfterCommas) {
  EXPECT_THAT(lines_of("a:bb=1,cc=2,dd=3, x", room_for("a:bb=1,cc=2,")), ElementsAre("a:bb=1,cc=2,", "dd=3, x"));
  EXPECT_THAT(lines_of("on a:bb=1,cc=2", room_for("a:bb=1,")), ElementsAre("on", "a:bb=1,", "cc=2"));
  EXPECT_THAT(lines_of("abcdefgh,", room_for("abc")), ElementsAre("abcdefgh,")) << "there is no place to break it";
  EXPECT_THAT(lines_of("abcdefgh,i", room_for("abc")), ElementsAre("abcdefgh,i"));
}

TEST(TextLines, CutWordsThatCannotBeBroken) {
  const std::string whole(60, 'x'), name(5000, 'x');
  EXPECT_THAT(lines_of("a " + whole, room_for("abc")), ElementsAre("a", whole));
  const std::vector<std::string> lines = lines_of("a " + name + " b", room_for("abc"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_LE(text_width(lines[1]), text_width(whole));
  EXPECT_TRUE(lines[1].ends_with("x…"));
}

TEST(TextLines, AreFittedWithAnEllipsis) {
  EXPECT_EQ(fitted("µµµµµµ", room_for("abcdef")), "µµµµµµ");
  EXPECT_EQ(fitted("µµµµµµ", room_for("abcde")), "µµµ…");
  EXPECT_EQ(fitted("abcdef", 10), "");
}

}  // namespace
}  // namespace quadrille
