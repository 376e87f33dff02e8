// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <random>

#include "schedule/regions.hpp"

namespace quadrille {
namespace {

// The offset of each byte of the regions, in order.
std::vector<Bytes> offsets(const Regions& regions) {
  std::vector<Bytes> all;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) {
      for (Bytes i = 0; i < length; ++i) all.push_back(offset + i);
    });
  return all;
}

std::vector<Bytes> mapped_byte_by_byte(const Regions& places, const Region& region) {
  const std::vector<Bytes> there = offsets(places);
  std::vector<Bytes> mapped;
  for (const Bytes offset : offsets({region})) mapped.push_back(there.at(static_cast<std::size_t>(offset)));
  return mapped;
}

TEST(BufferMap, MovesARegionWithinOneRun) {
  const BufferMap map({{Buffer::scratch, 100, 50, {}}});
  const Region strided{Buffer::input, 3, 2, {{{4, 10}, {}, {}}}};
  EXPECT_EQ(map(strided), (Regions{{Buffer::scratch, 103, 2, {{{4, 10}, {}, {}}}}}));
  EXPECT_TRUE(map({Buffer::input, 3, 0, {}}).empty());
}

TEST(BufferMap, KeepsStridesInAStridedPlace) {
  // Blocks of 4 bytes, 10 blocks 16 bytes apart, in 3 columns.
  const BufferMap map({{Buffer::output, 0, 4, {{{10, 16}, {3, 4}, {}}}}});
  EXPECT_EQ(map.size(), 120);
  EXPECT_EQ(map({Buffer::input, 40, 40, {}}), (Regions{{Buffer::output, 4, 4, {{{10, 16}, {}, {}}}}})) << "a whole column";
  EXPECT_EQ(map({Buffer::input, 0, 120, {}}), (Regions{{Buffer::output, 0, 4, {{{10, 16}, {3, 4}, {}}}}})) << "everything";
  EXPECT_EQ(map({Buffer::input, 8, 4, {{{3, 40}, {}, {}}}}), (Regions{{Buffer::output, 32, 4, {{{3, 4}, {}, {}}}}})) << "a row";
  EXPECT_EQ(map({Buffer::input, 9, 2, {{{4, 8}, {}, {}}}}), (Regions{{Buffer::output, 33, 2, {{{4, 32}, {}, {}}}}}))
      << "a part of every other block";
  EXPECT_EQ(map({Buffer::input, 76, 4, {{{10, -4}, {}, {}}}}), (Regions{{Buffer::output, 148, 4, {{{10, -16}, {}, {}}}}}))
      << "backwards";
}

TEST(BufferMap, IsTheMappingOfEachByte) {
  const std::uint64_t seed = 20261126;
  std::mt19937_64 random(seed);
  const auto any = [&](Count least, Count most) { return std::uniform_int_distribution<Count>(least, most)(random); };
  for (int i = 0; i < 20000; ++i) {
    Regions places;
    Bytes size = 0;
    for (Count place = any(1, 3); place > 0; --place) {
      Region region{Buffer::scratch, any(0, 100), any(0, 5), {}};
      for (Level& level : region.levels)
        if (any(0, 1) == 1) level = {any(1, 4), any(-60, 60)};
      size += bytes(region);
      places.push_back(region);
    }
    if (size == 0) continue;
    Region region{Buffer::input, 0, any(1, std::min<Bytes>(size, 8)), {}};
    for (Level& level : region.levels)
      if (any(0, 2) == 1) level = {any(1, 4), any(-12, 12)};
    const auto [first, end] = hull(region);
    if (end - first > size) continue;
    region.offset = any(0, size - (end - first)) - first;
    const Regions mapped = BufferMap(places)(region);
    ASSERT_EQ(offsets(mapped), mapped_byte_by_byte(places, region))
        << "seed " << seed << ", case " << i << ": " << to_string(region);
    for (const Region& part : mapped) ASSERT_EQ(part.buffer, Buffer::scratch);
  }
}

TEST(BufferMap, ComparesBytesAndNotRegions) {
  const Regions strided{{Buffer::input, 0, 4, {{{3, 4}, {}, {}}}}}, plain{{Buffer::input, 0, 12, {}}};
  EXPECT_TRUE(are_same_bytes(strided, plain));
  EXPECT_FALSE(are_same_bytes(strided, {{Buffer::output, 0, 12, {}}}));
  EXPECT_FALSE(are_same_bytes({{Buffer::input, 0, 4, {{{3, 8}, {}, {}}}}}, plain));
}

}  // namespace
}  // namespace quadrille
