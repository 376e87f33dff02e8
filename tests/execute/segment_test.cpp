// SPDX-License-Identifier: BSD-3-Clause
// Segments from untrusted hands: descriptors that are none, files whose size changes, damaged and forged titles.
// QUADRILLE_MUTANTS=N in the environment: so many forged titles instead of some hundred (20,000 take a second).
#include "execute/shared/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace quadrille {
namespace {

using Words = std::array<std::int64_t, 4>;  // of a title: magic, ranks, bytes of the head, bytes of a heap

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW;

Words title_of(const Descriptor& file) {
  Words words{};
  EXPECT_EQ(::pread(file.number(), &words, sizeof words, 0), static_cast<ssize_t>(sizeof words));
  return words;
}

off_t size_of(const Descriptor& file) {
  struct stat status {};
  EXPECT_EQ(::fstat(file.number(), &status), 0);
  return status.st_size;
}

Descriptor forged(const Words& title, off_t size, int seal = seals) {
  Descriptor file(::memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::pwrite(file.number(), &title, sizeof title, 0), static_cast<ssize_t>(sizeof title));
  EXPECT_EQ(::ftruncate(file.number(), size), 0);
  EXPECT_EQ(::fcntl(file.number(), F_ADD_SEALS, seal), 0);
  return file;
}

// Opening throws, with one sentence, and nothing crashes.
void expect_refused(Descriptor file, Count ranks, const std::string& what) {
  EXPECT_FALSE(SegmentSpace::is_segment(file.number(), ranks)) << what;
  for (const Rank rank : {Rank{0}, ranks - 1, ranks, Rank{-1}}) SegmentSpace::say_ended(file, rank);
  try {
    SegmentSpace::open(std::move(file), 0, ranks);
    ADD_FAILURE() << what << " is taken for a segment";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment) << what;
    EXPECT_NE(std::string(error.what()).find("no memory shared by"), std::string::npos) << error.what();
  }
}

TEST(Segment, KeepsItsSize) {
  const Descriptor file = make_segment(2);
  const off_t size = size_of(file);
  for (const off_t other : {off_t{0}, size - 4096, size + 4096}) {
    EXPECT_EQ(::ftruncate(file.number(), other), -1);
    EXPECT_EQ(errno, EPERM);
  }
  EXPECT_EQ(size_of(file), size);
}

TEST(Segment, GivesMemoryBack) {
  constexpr Bytes bytes = Bytes{8} << 20;
  Descriptor file = make_segment(1);
  const Descriptor again(::dup(file.number()));
  const auto space = SegmentSpace::open(std::move(file), 0, 1);
  const auto used_bytes = [&] {
    struct stat status {};
    ::fstat(again.number(), &status);
    return static_cast<Bytes>(status.st_blocks) * 512;
  };
  const Offset place = space->allocate(bytes);
  std::memset(space->at(place), 1, bytes);
  EXPECT_GE(used_bytes(), bytes);
  space->release(place);
  EXPECT_LT(used_bytes(), bytes / 2);
}

TEST(Segment, RefusesDescriptorsOfOtherKinds) {
  const Descriptor genuine = make_segment(2);
  const Words title = title_of(genuine);
  const off_t size = size_of(genuine);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], &title, sizeof title), static_cast<ssize_t>(sizeof title));
  expect_refused(Descriptor(ends[0]), 2, "a pipe");
  ::close(ends[1]);
  expect_refused(Descriptor(::open("/", O_RDONLY | O_DIRECTORY)), 2, "a directory");
  expect_refused(Descriptor(::open("/dev/null", O_RDWR)), 2, "/dev/null");
  expect_refused(Descriptor(::open("/dev/zero", O_RDWR)), 2, "/dev/zero");
  expect_refused(Descriptor(-1), 2, "no descriptor");
  expect_refused(Descriptor(1 << 20), 2, "a number that is no descriptor");
  std::FILE* plain = std::tmpfile();
  ASSERT_EQ(::pwrite(::fileno(plain), &title, sizeof title, 0), static_cast<ssize_t>(sizeof title));
  if (::ftruncate(::fileno(plain), size) == 0) expect_refused(Descriptor(::dup(::fileno(plain))), 2, "a file of a disk");
  std::fclose(plain);

  // It may shrink after its size was looked at.
  expect_refused(forged(title, size, F_SEAL_GROW), 2, "a file that may shrink");
  expect_refused(forged(title, size, F_SEAL_SHRINK), 2, "a file that may grow");
  expect_refused(forged(title, sizeof title), 2, "a file that ends behind its title");
  expect_refused(forged(title, 16), 2, "half a title");
  expect_refused(forged(title, 0), 2, "an empty file");
  EXPECT_TRUE(SegmentSpace::is_segment(forged(title, size).number(), 2));
}

TEST(Segment, RefusesRanksThatItHasNot) {
  for (const Rank rank : {Rank{-1}, Rank{2}, Rank{1} << 62}) EXPECT_THROW(SegmentSpace::open(make_segment(2), rank, 2), Error);
  for (const Count ranks : {Count{-1}, Count{0}, Count{1}, Count{3}, Count{1} << 62})
    EXPECT_THROW(SegmentSpace::open(make_segment(2), 0, ranks), Error);
  for (const Count ranks : {Count{-1}, Count{0}, Count{1} << 40, Count{1} << 62}) EXPECT_THROW(make_segment(ranks), Error);
}

TEST(Segment, RefusesForgedTitles) {
  const char* wish = std::getenv("QUADRILLE_MUTANTS");
  const long mutants = wish ? std::atol(wish) : 500;
  const Descriptor genuine = make_segment(4);
  const Words title = title_of(genuine);
  const off_t size = size_of(genuine);
  constexpr std::int64_t telling[] = {0,
                                      1,
                                      2,
                                      5,
                                      1000,
                                      4096,
                                      1 << 20,
                                      (1 << 20) + 1,
                                      std::int64_t{1} << 31,
                                      std::int64_t{1} << 32,
                                      std::int64_t{1} << 44,
                                      std::int64_t{1} << 53,
                                      std::int64_t{1} << 62,
                                      INT64_MAX};
  expect_refused(forged({title[0], 1000, 0, title[3]}, size), 1000, "a title without a head");
  for (long seed = 1; seed <= mutants; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    Words words = title;
    do {
      const std::size_t word = random() % words.size();
      switch (random() % 4) {
        case 0: words[word] ^= std::int64_t{1} << (random() % 63); break;
        case 1: words[word] = telling[random() % std::size(telling)]; break;
        case 2: words[word] = -telling[random() % std::size(telling)]; break;
        case 3: words[word] = static_cast<std::int64_t>(random()) >> (random() % 63); break;
      }
    } while (words == title || random() % 3 == 0);
    // The file is as long as the genuine one, or as the title says, where that is possible.
    const auto said =
        static_cast<std::uint64_t>(words[2]) + static_cast<std::uint64_t>(words[1]) * static_cast<std::uint64_t>(words[3]);
    const bool as_said = random() % 2 == 0 && said < std::uint64_t{1} << 46;
    const Count ranks = random() % 2 == 0 ? 4 : words[1];
    const std::string what = fmt::format("seed {}: {} {} {} {:#x}, {} B", seed, words[1], words[2], words[3], words[0],
                                         as_said ? said : static_cast<std::uint64_t>(size));
    Descriptor file = forged(words, as_said ? static_cast<off_t>(said) : size);
    // A heap of another size in a file of that size is a segment as well. Its memory is there to be used.
    if (as_said && SegmentSpace::is_segment(file.number(), ranks)) {
      EXPECT_TRUE(words[0] == title[0] && words[3] >= 4096) << what;
      SegmentSpace::say_ended(file, ranks - 1);
      const auto space = SegmentSpace::open(std::move(file), ranks - 1, ranks);
      std::memset(space->at(space->allocate(4096)), 1, 4096);
    } else {
      expect_refused(std::move(file), ranks, what);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace quadrille
