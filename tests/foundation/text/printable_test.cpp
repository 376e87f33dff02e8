// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/printable.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(Printable, TextStaysAsItIs) {
  for (const char* text : {"", "plain ~", "µs", "日本", "😀", "\u00a0", "\ud7ff\ue000\U0010ffff"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable(std::string("\0\t\n\x1b[31m\x1f \x7f", 11)), "\\x00\\x09\\x0a\\x1b[31m\\x1f \\x7f");
  EXPECT_EQ(printable("é\u0080\u009fé"), "é\\xc2\\x80\\xc2\\x9fé") << "the second set of control characters";
}

TEST(Printable, InvisibleCharactersAreEscaped) {
  EXPECT_EQ(printable("a\u200bb\u202ec\u2066d\ufeff"), "a\\xe2\\x80\\x8bb\\xe2\\x80\\xaec\\xe2\\x81\\xa6d\\xef\\xbb\\xbf");
  for (const char* visible : {"\u200a", "\u2010", "\u2027", "\u202f", "\u205f", "\u2070", "\ufefe", "\u00ae"})
    EXPECT_EQ(printable(visible), visible);
}

TEST(Printable, CharactersThatXmlDoesNotAllowAreEscaped) {
  EXPECT_EQ(printable("a\ufffe\uffffb"), "a\\xef\\xbf\\xbe\\xef\\xbf\\xbfb");
  EXPECT_EQ(printable("\ufffd"), "\ufffd");
}

TEST(Printable, WhatIsNotUtf8IsEscaped) {
  EXPECT_EQ(printable("a\xff\x80z"), "a\\xff\\x80z");
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut";
  EXPECT_EQ(printable("\xe6\x97 x"), "\\xe6\\x97 x") << "cut";
  EXPECT_EQ(printable("\xc0\xaf\xe0\x80\xaf"), "\\xc0\\xaf\\xe0\\x80\\xaf") << "longer than necessary";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above the last character";
}

TEST(Printable, ExcerptsAreAsciiAndHaveALimit) {
  EXPECT_EQ(excerpt("plain"), "plain");
  EXPECT_EQ(excerpt(std::string("\0\n\xff", 3)), "\\x00\\x0a\\xff");
  EXPECT_EQ(excerpt("é"), "\\xc3\\xa9");
  EXPECT_EQ(excerpt("123", 3), "123");
  EXPECT_EQ(excerpt("123456", 3), "123...");
  EXPECT_EQ(excerpt(std::string(40, 'a')).size(), 40u);
  EXPECT_EQ(excerpt(std::string(41, 'a')).size(), 43u);
}

}  // namespace
}  // namespace quadrille
