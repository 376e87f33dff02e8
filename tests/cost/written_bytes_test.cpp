// SPDX-License-Identifier: BSD-3-Clause
// The set of written bytes, compared with a list of single bytes.
#include "cost/work.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace quadrille {
namespace {

TEST(WrittenBytes, OverlapWithWhatWasAdded) {
  constexpr Bytes end = 24;
  std::mt19937 random(1);
  const auto draw = [&](Bytes below) { return static_cast<Bytes>(random() % static_cast<std::uint64_t>(below)); };
  for (int trial = 0; trial < 300; ++trial) {
    WrittenBytes written;
    std::vector<bool> bytes(end);
    for (int i = 0; i < 6; ++i) {
      const Bytes first = draw(end), length = draw(end - first);
      written.add({{Buffer::scratch, first, length, {}}});
      std::fill_n(bytes.begin() + first, length, true);
      for (Bytes begin = 0; begin < end; ++begin)
        for (Bytes stop = begin; stop <= end; ++stop)
          EXPECT_EQ(written.overlaps({{Buffer::scratch, begin, stop - begin, {}}}),
                    std::find(bytes.begin() + begin, bytes.begin() + stop, true) != bytes.begin() + stop)
              << begin << " to " << stop;
    }
    EXPECT_FALSE(written.overlaps({{Buffer::input, 0, end, {}}, {Buffer::output, 0, end, {}}}));
  }
}

TEST(WrittenBytes, TakeTheHullOfStridedRegions) {
  WrittenBytes written;
  written.add({{Buffer::output, 10, 2, {{{3, -5}}}}});  // bytes 0, 1, 5, 6, 10, 11
  EXPECT_TRUE(written.overlaps({{Buffer::output, 3, 1, {}}}));
  EXPECT_TRUE(written.overlaps({{Buffer::output, 11, 1, {}}}));
  EXPECT_FALSE(written.overlaps({{Buffer::output, 12, 5, {}}}));
}

}  // namespace
}  // namespace quadrille
