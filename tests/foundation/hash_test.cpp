// SPDX-License-Identifier: BSD-3-Clause
// The values of hashes must not change, because files and documentation contain them.
#include "foundation/hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "schedule/comparison.hpp"

namespace quadrille {
namespace {

TEST(Hash, TextsHaveTheValuesOfFnv1a) {
  EXPECT_EQ(text_hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(text_hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(text_hash("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(text_hash("bar", text_hash("foo")), text_hash("foobar"));
  EXPECT_EQ(text_hash("\xff"), (0xcbf29ce484222325u ^ 0xff) * 0x100000001b3u) << "bytes have no sign";
}

// The first two numbers that splitmix64 generates from the seed 0.
TEST(Hash, MixedNumbersAreThoseOfSplitmix64) {
  EXPECT_EQ(mixed(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mixed(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}

TEST(Hash, SequencesHaveKnownValues) {
  std::uint64_t hash = 0;
  for (const std::uint64_t number : {1u, 2u, 3u}) hash = hash_with(hash, number);
  EXPECT_EQ(hash, 0x1bd423e2a4bd1a0au);
  EXPECT_NE(hash_with(hash_with(0, 1), 2), hash_with(hash_with(0, 2), 1));
  ContentHash content;
  for (const int number : {5, 3, -1}) content.add(number);
  EXPECT_EQ(content.value(), 0xd14d25322515b4edu);
  ContentHash text;
  text.add("abc");
  EXPECT_EQ(text.value(), 0x57590f8293fc6f1bu);
}

// Tables of 16 entries take their index from the upper bits. Addresses of handles differ by small powers of two.
TEST(Hash, TextsOfWordsDifferInEachByteAndInLength) {
  EXPECT_EQ(words_hash(""), 0u);
  EXPECT_NE(words_hash("a"), words_hash(std::string_view("a\0", 2)));
  std::string text(100, 'x');
  std::set<std::uint64_t> seen{words_hash(text)};
  for (char& letter : text) {
    letter = 'y';
    EXPECT_TRUE(seen.insert(words_hash(text)).second);
    letter = 'x';
  }
}

TEST(Hash, UpperBitsOfSpreadNumbersDiffer) {
  for (const int shift : {0, 4, 8}) {
    unsigned found = 0;
    for (std::uint64_t i = 0; i < 256; ++i) found |= 1U << (spread(i << shift) >> 60);
    EXPECT_EQ(found, 0xffffu) << shift;
  }
}

}  // namespace
}  // namespace quadrille
