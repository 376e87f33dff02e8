// SPDX-License-Identifier: BSD-3-Clause
// Tests the memory of the program in a shared file: when it returns to the system, growth in place, holes, core dumps and copies in
// forked children.
#include "support/file_probes.hpp"

namespace quadrille {
namespace {

using namespace file_probes;

// Released pages of the program stay for a second, up to 64 MiB of them in a small file, and are allocated again.
TEST(SharedFile, KeepsPagesOfTheProgramForAWhile) {
  SharedFile file(FileKind::heap, id, 1024 * mebibyte);
  const Place small = *file.allocate_pages(8 * mebibyte);
  std::memset(file.at(small), 1, 8 << 20);
  file.release_pages(small);
  EXPECT_GE(resident_bytes(file), 8 * mebibyte);
  EXPECT_EQ(file.taken_bytes(), 0);
  EXPECT_EQ(file.allocate_pages(8 * mebibyte), small);
  file.release_pages(small);
  file.release_pages(small);  // a program's error, which changes nothing
  EXPECT_EQ(file.allocate_pages(8 * mebibyte), small);
  EXPECT_NE(file.allocate_pages(8 * mebibyte), small);
  file.release_pages(small);
  file.return_released_pages();
  EXPECT_LE(resident_bytes(file), mebibyte / 2);
  const Place large = *file.allocate_pages(65 * mebibyte);
  std::memset(file.at(large), 1, 65 << 20);
  file.release_pages(large);
  EXPECT_LE(resident_bytes(file), mebibyte / 2);
  EXPECT_FALSE(file.allocate_pages(513 * mebibyte));
  EXPECT_FALSE(file.allocate_pages(INT64_MAX));
}

// In a large file more pages stay, as long as no block needs new ones.
TEST(SharedFile, ReturnsLongBlocksBeforeItTakesNewPages) {
  SharedFile file(FileKind::heap, id, Bytes{1} << 44);
  const auto write_and_release = [&](Bytes bytes) {
    const Place place = *file.allocate_pages(bytes);
    std::memset(file.at(place), 1, static_cast<std::size_t>(bytes));
    file.release_pages(place);
    return place;
  };
  const Place first = write_and_release(70 * mebibyte);
  EXPECT_GE(resident_bytes(file), 70 * mebibyte);
  EXPECT_EQ(write_and_release(70 * mebibyte), first);
  write_and_release(80 * mebibyte);
  EXPECT_LE(resident_bytes(file), 81 * mebibyte);
}

TEST(SharedFile, ResizesPagesInPlace) {
  SharedFile file(FileKind::heap, id, 16 * mebibyte);
  const Place place = *file.allocate_pages(100), next = *file.allocate_pages(1);
  EXPECT_EQ(file.length_of(place), 4096);
  EXPECT_EQ(file.length_of(place + 4096), file.length_of(next));
  EXPECT_FALSE(file.resize_pages(place, 4097));
  EXPECT_TRUE(file.resize_pages(next, 10 * 4096));
  EXPECT_TRUE(file.resize_pages(next, 4096 + 1));
  EXPECT_EQ(file.length_of(next), 2 * 4096);
  EXPECT_FALSE(file.resize_pages(next, 2 * mebibyte));
  EXPECT_FALSE(file.resize_pages(next, INT64_MAX));
  EXPECT_EQ(file.taken_bytes(), 3 * 4096);
}

TEST(SharedFile, ClearsAndCopiesPagesWithoutTouchingHoles) {
  SharedFile file(FileKind::heap, id, 256 * mebibyte);
  const Place from = *file.allocate_pages(64 * mebibyte), to = *file.allocate_pages(64 * mebibyte);
  const auto set = [&](Place place) { *file.at(place) = std::byte{9}; };
  for (const Place place : {Place{0}, Place{5000}, Place{30} << 20}) set(from + place);
  for (const Place place : {Place{70000}, Place{1} << 20, Place{30} << 20, (Place{63} << 20)}) set(to + place);
  file.copy_pages(to, from, 64 * mebibyte);
  EXPECT_LE(resident_bytes(file), 2 * mebibyte);
  EXPECT_EQ(std::memcmp(file.at(to), file.at(from), 64 << 20), 0);
  set(from + (Place{40} << 20));
  file.clear_pages(from, 40 * mebibyte);
  for (Place place = 0; place < Place{40} << 20; place += 8) ASSERT_EQ(*file.at(from + place), std::byte{0});
  EXPECT_EQ(*file.at(from + (Place{40} << 20)), std::byte{9});
}

// A program may close descriptors that are not its own, and open other files.
TEST(SharedFile, DoesWithoutItsDescriptor) {
  SharedFile file(FileKind::heap, id, 256 * mebibyte);
  EXPECT_GE(file.descriptor(), 100);
  const Place place = *file.allocate_pages(mebibyte);
  std::memset(file.at(place), 1, 1 << 20);
  const SharedFile other(FileKind::heap, id, 256 * mebibyte);  // has holes where the first one has data
  ASSERT_EQ(::dup2(other.descriptor(), file.descriptor()), file.descriptor());
  file.clear_pages(place, mebibyte);
  EXPECT_EQ(std::count(file.at(place), file.at(place) + mebibyte, std::byte{0}), mebibyte);
  EXPECT_FALSE(file.allocate_pages(64 * mebibyte));  // in an extent that is not mapped
  *file.at(place) = std::byte{7};
  EXPECT_EQ(in_child([&] { return file.copy_into_child() && *file.at(place) == std::byte{7}; }), 0);
}

// Reading a hole for a dump would allocate it.
TEST(SharedFile, DumpsOnlyWhatWasTaken) {
  SharedFile file(FileKind::heap, id, 1024 * mebibyte);
  const Place place = *file.allocate_pages(300 * mebibyte);
  EXPECT_FALSE(has_flag(file.at(0), "dd"));
  EXPECT_FALSE(has_flag(file.at(place) + (300 << 20) - 1, "dd"));
  EXPECT_TRUE(has_flag(file.at(place) + (309 << 20), "dd"));
  EXPECT_TRUE(file.resize_pages(place, 310 * mebibyte));
  EXPECT_FALSE(has_flag(file.at(place) + (309 << 20), "dd"));
  file.release_pages(place);
  EXPECT_TRUE(has_flag(file.at(place) + (100 << 20), "dd"));
  EXPECT_FALSE(has_flag(file.at(0), "dd"));
}

TEST(SharedFile, IsCopiedIntoAChild) {
  SharedFile file(FileKind::heap, id, 1024 * mebibyte);
  const Place place = *file.allocate_pages(30 * mebibyte), last = place + (Place{30} << 20) - 1;
  *file.at(place) = *file.at(last) = std::byte{1};
  const Place released = *file.allocate_pages(20 * mebibyte);
  std::memset(file.at(released), 1, 20 << 20);
  file.release_pages(released);
  file.hold();
  EXPECT_LE(resident_bytes(file), mebibyte);
  const int status = in_child([&] {
    if (!file.copy_into_child()) return false;
    const bool is_same =
        *file.at(place) == std::byte{1} && *file.at(last) == std::byte{1} && *file.at(place + 5000000) == std::byte{0};
    *file.at(place) = std::byte{2};
    return is_same && file.length_of(place) == 30 * mebibyte && file.forget_in_child(place) == 30 * mebibyte &&
           file.length_of(place) == 0 && *file.at(place) == std::byte{2};
  });
  file.let_go();
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*file.at(place), std::byte{1});
  EXPECT_EQ(file.length_of(place), 30 * mebibyte);
}

}  // namespace
}  // namespace quadrille
