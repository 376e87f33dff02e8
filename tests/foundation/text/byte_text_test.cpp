// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/wording.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quadrille {
namespace {

std::string_view unit_of(const std::vector<Bytes>& sizes) { return common_unit(sizes).name; }

TEST(ByteText, TakesTheLargestUnitThatDividesTheSize) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(1025), "1025 B");
  EXPECT_EQ(bytes_text(Bytes{1} << 20), "1 MiB");
  EXPECT_EQ(bytes_text(Bytes{1} << 62), "4194304 TiB");
}

TEST(ByteText, OneUnitDividesAllSizes) {
  EXPECT_EQ(unit_of({}), "B");
  EXPECT_EQ(unit_of({0, 0}), "B");
  EXPECT_EQ(unit_of({0, 2048, Bytes{1} << 20}), "KiB");
  EXPECT_EQ(unit_of({2048, 100}), "B");
  EXPECT_EQ(bytes_text(2048, common_unit(std::vector<Bytes>{2048, 100})), "2048 B");
}

}  // namespace
}  // namespace quadrille
