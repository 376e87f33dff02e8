// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts as bytes.
#include "recording/definitions.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace quadrille::recording {
namespace {

TEST(RecordingBytes, AreReadAsTheyWereWritten) {
  ByteWriter to;
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::numeric_limits<std::uint64_t>::max()})
    to.number(number);
  to.rank(-1);
  to.text("a text");
  to.text("");
  ByteReader from(to.bytes());
  EXPECT_EQ(from.number(), 0u);
  EXPECT_EQ(from.number(), 127u);
  EXPECT_EQ(from.number(), 128u);
  EXPECT_EQ(from.number(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(from.rank(), -1);
  EXPECT_EQ(from.text(), "a text");
  EXPECT_EQ(from.text(), "");
  EXPECT_THROW(from.number(), Error);
}

TEST(RecordingBytes, EndWhereTheyEnd) {
  EXPECT_THROW(ByteReader("").number(), Error);
  EXPECT_THROW(ByteReader("\x80").number(), Error);
  EXPECT_THROW(ByteReader("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01").number(), Error);
  EXPECT_EQ(ByteReader("\x03"
                       "abc")
                .text(),
            "abc");
  EXPECT_THROW(ByteReader("\x04"
                          "abc")
                   .text(),
               Error);  // one byte less than the length says
  EXPECT_THROW(ByteReader("\x05").number_below(5), Error);
  EXPECT_THROW(ByteReader("\x02").flag(), Error);
}

}  // namespace
}  // namespace quadrille::recording
