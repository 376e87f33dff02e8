// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/lookup.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace quadrille {
namespace {

// Few different hashes, so that many values share one.
std::uint64_t hash_of(int key) { return static_cast<std::uint64_t>(key) % 7; }

int* find(const HashTable<int>& table, int key) {
  return table.find(hash_of(key), [&](int each) { return each == key; });
}

void add(HashTable<int>& table, int key) { table.add(hash_of(key), std::make_unique<int>(key)); }

TEST(HashTable, FindsNothingBeforeTheFirstValue) { EXPECT_EQ(find(HashTable<int>(), 0), nullptr); }

TEST(HashTable, TellsValuesWithOneHashApart) {
  HashTable<int> table;
  for (int key = 0; key < 100; ++key) add(table, key);
  for (int key = 0; key < 100; ++key) ASSERT_TRUE(find(table, key) && *find(table, key) == key) << key;
  EXPECT_EQ(find(table, 100), nullptr);
}

TEST(HashTable, KeepsAddressesAndOrderWhenItGrows) {
  HashTable<int> table;
  add(table, 5);
  const int* const first = find(table, 5);
  for (int key = 6; key < 1000; ++key) add(table, key);
  EXPECT_EQ(find(table, 5), first);
  ASSERT_EQ(table.values().size(), 995u);
  for (int i = 0; i < 995; ++i) EXPECT_EQ(*table.values()[static_cast<std::size_t>(i)], 5 + i);
}

// A removed value leaves a gap in the slots, behind which the others must be found.
TEST(HashTable, FindsTheOthersAfterOneIsRemoved) {
  for (int removed = 0; removed < 20; ++removed) {
    HashTable<int> table;
    for (int key = 0; key < 20; ++key) add(table, key);
    table.remove(*find(table, removed));
    EXPECT_EQ(table.values().size(), 19u);
    for (int key = 0; key < 20; ++key) EXPECT_EQ(find(table, key) != nullptr, key != removed) << key << " of " << removed;
    add(table, removed);
    EXPECT_TRUE(find(table, removed));
  }
}

}  // namespace
}  // namespace quadrille
