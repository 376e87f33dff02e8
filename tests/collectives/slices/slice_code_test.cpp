// SPDX-License-Identifier: BSD-3-Clause
// Headers are decoded to what was encoded, are short, and malformed headers are refused.
#include "collectives/slices/slice_code.hpp"

#include <gtest/gtest.h>

#include <random>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

TEST(SliceCode, DecodesWhatWasEncoded) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    const Bytes grain = 1 + static_cast<Bytes>(random() % 300);
    SliceCoder coder(grain);
    std::vector<CodedSlice> slices;
    CodedSlice slice{0, -1, 0, 0};
    for (std::uint64_t i = random() % 40; i > 0; --i) {
      if (random() % 4 == 0) slice = {slice.target_place + 1 + static_cast<Count>(random() % 500), -1, 0, 0};
      slice.source += 1 + static_cast<Rank>(random() % 300);
      slice.first = static_cast<Bytes>(random() % 50) * grain;
      slice.last = slice.first + 1 + static_cast<Bytes>(random() % 5000);
      slices.push_back(slice);
      coder.add(slice);
    }
    EXPECT_EQ(decode_slices(coder.code(), grain), slices);
    EXPECT_EQ(static_cast<std::size_t>(coder.size()), coder.code().size());
  }
}

TEST(SliceCode, JoinsAdjacentSlices) {
  SliceCoder coder(10);
  coder.add({3, 1, 0, 20});
  coder.add({3, 1, 20, 50});
  coder.add({3, 2, 50, 60});
  EXPECT_EQ(decode_slices(coder.code(), 10), (std::vector<CodedSlice>{{3, 1, 0, 50}, {3, 2, 50, 60}}));
  EXPECT_EQ(coder.size(), 4 + 3);
  EXPECT_EQ(SliceCoder(10).size(), 1) << "an empty list of slices takes one byte";
  EXPECT_TRUE(decode_slices(SliceCoder(10).code(), 10).empty());
}

TEST(SliceCode, NumbersHaveSevenBitsAByte) {
  for (const std::uint64_t number : {0ull, 1ull, 127ull, 128ull, 16383ull, 16384ull, 1ull << 40, (1ull << 63) - 1}) {
    std::vector<std::uint8_t> code;
    append_number_code(code, number);
    EXPECT_EQ(static_cast<Bytes>(code.size()), number_code_bytes(number)) << number;
  }
}

TEST(SliceCode, RefusesMalformedCodes) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> code(random() % 20);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    try {
      decode_slices(code, 1 + static_cast<Bytes>(random() % 1000));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed);
    }
  }
  EXPECT_THROW(decode_slices({1, 0, 2}, 1), Error) << "a source follows the end of the list";
  EXPECT_THROW(decode_slices({0, 0, 0}, 1), Error) << "incomplete";
}

}  // namespace
}  // namespace quadrille
