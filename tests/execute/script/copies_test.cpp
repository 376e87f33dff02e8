// SPDX-License-Identifier: BSD-3-Clause
// Compares prepared copies with moving single bytes, for random lists of regions.
#include "execute/script/copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace quadrille {
namespace {

std::vector<Bytes> positions(const Regions& regions) {
  std::vector<Bytes> list;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) {
      for (Bytes i = 0; i < length; ++i) list.push_back(static_cast<Bytes>(region.buffer) * 4096 + offset + i);
    });
  return list;
}

class RandomRegions {
 public:
  // Returns disjoint regions with `total` bytes together.
  Regions make(Bytes total, Buffer buffer) {
    Regions regions;
    Bytes place = 0;
    while (total > 0) {
      Region region{buffer, place + below(3), std::min<Bytes>(total, 1 + below(17)), {}};
      const Count count = std::max<Count>(1, std::min<Count>(1 + below(5), total / region.length));
      const Bytes stride = region.length + below(4);
      region.levels[0] = {count, stride};
      if (below(3) == 0 && 2 * count * region.length <= total) region.levels[1] = {2, count * stride + below(3)};
      place = hull(region).second;
      if (below(4) == 0 && region.levels[1].count == 1) {  // the same runs in reverse order
        region.offset += (count - 1) * stride;
        region.levels[0].stride = -stride;
      }
      total -= bytes(region);
      regions.push_back(region);
    }
    return regions;
  }
  Bytes below(std::uint64_t n) { return static_cast<Bytes>(random_() % n); }

 private:
  std::mt19937_64 random_{11};
};

TEST(Copies, MoveTheSameBytesAsSingleByteCopies) {
  RandomRegions random;
  for (int i = 0; i < 5000; ++i) {
    const Bytes total = 1 + random.below(300);
    const bool one_source = random.below(4) == 0, one_target = random.below(4) == 0, same = random.below(5) == 0;
    const Regions source = one_source ? Regions{{Buffer::input, random.below(9), total, {}}} : random.make(total, Buffer::input);
    Regions target = one_target ? Regions{{Buffer::output, random.below(9), total, {}}} : random.make(total, Buffer::output);
    if (same) {
      target = source;
      for (Region& region : target) region.buffer = Buffer::output;
    }
    std::vector<std::byte> memory(4 * 4096), expected;
    for (std::size_t j = 0; j < memory.size(); ++j) memory[j] = static_cast<std::byte>(random.below(256));
    expected = memory;
    const auto from = positions(source), to = positions(target);
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t j = 0; j < from.size(); ++j)
      expected[static_cast<std::size_t>(to[j])] = memory[static_cast<std::size_t>(from[j])];

    std::vector<StridedCopy> copies;
    append_copies(copies, source, target);
    const Bases bases{memory.data(), memory.data() + 4096, memory.data() + 8192, memory.data() + 12288};
    for (const StridedCopy& copy : copies) run_copy(copy, bases, bases);
    ASSERT_EQ(memory, expected) << i;
  }
}

TEST(Copies, FoldRepeatedRuns) {
  std::vector<StridedCopy> copies;
  Regions blocks;
  for (Bytes i = 0; i < 1000; ++i) blocks.push_back({Buffer::input, 16 * i, 8, {}});
  append_copies(copies, blocks, {{Buffer::output, 0, 4000, {}}, {Buffer::output, 5000, 4000, {}}});
  EXPECT_LE(copies.size(), 3u);
}

// Some distances need another instruction.
TEST(Copies, LongOnesCopyEachByteAtEachDistance) {
  std::vector<std::byte> source(20'000), target(20'000 + 8192);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + i / 256 + 1);
  std::byte* const page =
      target.data() + (reinterpret_cast<std::uintptr_t>(source.data()) - reinterpret_cast<std::uintptr_t>(target.data())) % 4096;
  for (const std::size_t behind : {0, 1, 16, 31, 32, 4095})
    for (const std::size_t length : {1, 2047, 2048, 2049, 4096, 20'000}) {
      std::fill(target.begin(), target.end(), std::byte{0});
      copy_long(page + behind, source.data(), length);
      EXPECT_TRUE(std::equal(source.data(), source.data() + length, page + behind)) << behind << ' ' << length;
      EXPECT_EQ(std::count(target.begin(), target.end(), std::byte{0}),
                size(target) - static_cast<Count>(length) + std::count(source.data(), source.data() + length, std::byte{0}));
    }
}

TEST(Contiguous, IsDecidedByTheOrderOfBytes) {
  EXPECT_TRUE(is_contiguous({{Buffer::input, 3, 5}}));
  EXPECT_TRUE(is_contiguous({{Buffer::input, 3, 5}, {Buffer::input, 8, 2}}));
  EXPECT_TRUE(is_contiguous({{Buffer::input, 0, 4, {{{3, 4}, {}, {}}}}}));
  EXPECT_FALSE(is_contiguous({{Buffer::input, 8, 4, {{{3, -4}, {}, {}}}}})) << "the bytes are in another order";
  EXPECT_FALSE(is_contiguous({{Buffer::input, 3, 5}, {Buffer::output, 8, 2}}));
  EXPECT_FALSE(is_contiguous({{Buffer::input, 3, 5}, {Buffer::input, 9, 2}}));
  RandomRegions random;
  for (int i = 0; i < 2000; ++i) {
    const Regions regions = random.make(1 + random.below(12), Buffer::input);
    const auto list = positions(regions);
    bool contiguous = true;
    for (std::size_t j = 1; j < list.size(); ++j) contiguous = contiguous && list[j] == list[j - 1] + 1;
    ASSERT_EQ(is_contiguous(regions), contiguous);
  }
}

TEST(Copies, NeedListsOfEqualLength) {
  std::vector<StridedCopy> copies;
  const Regions eight{{Buffer::input, 0, 8, {}}}, two_times_five{{Buffer::output, 0, 5, {{{2, 8}, {}, {}}}}};
  EXPECT_DEATH(append_copies(copies, eight, two_times_five), "broken contract.*bytes\\(source\\) == bytes\\(target\\)");
}

}  // namespace
}  // namespace quadrille
