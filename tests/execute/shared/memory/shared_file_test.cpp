// SPDX-License-Identifier: BSD-3-Clause
// Tests shared files, a process's own and those of peers: the allocator, when extents are mapped, and files that cannot be trusted
// (invalid descriptors, files whose size changes, damaged and forged titles). QUADRILLE_MUTANTS=N in the environment sets the
// number of forged titles; by default there are some hundred.
#include "execute/shared/memory/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "support/file_probes.hpp"

namespace quadrille {
namespace {

using namespace file_probes;

constexpr FileKind kinds[] = {FileKind::heap, FileKind::control};

std::string path_of(int descriptor, pid_t process = ::getpid()) { return fmt::format("/proc/{}/fd/{}", process, descriptor); }

// An allocation with marks at both ends. If two allocations overlap, they destroy each other's marks.
class Marked {
 public:
  explicit Marked(SharedFile& file) : file_(file) {}

  void add(Bytes bytes) {
    const Place place = file_.allocate(bytes);
    const Place last = place + static_cast<Place>(std::max<Bytes>(bytes, 1)) - 1;
    EXPECT_EQ(place % (bytes < 4096 ? 64 : 4096), 0u);
    EXPECT_EQ(Extents::of(place), Extents::of(last)) << "of " << bytes;
    EXPECT_GE(place, sizeof(FileTitle));
    EXPECT_LT(last, static_cast<Place>(file_.bytes()));
    const auto mark = static_cast<std::byte>(++marks_);
    *file_.at(place) = *file_.at(last) = mark;
    EXPECT_EQ(file_.place_of(file_.at(last)), last);
    all_.push_back({place, last, mark});
  }

  void remove(std::size_t which) {
    const Entry entry = all_[which];
    EXPECT_EQ(*file_.at(entry.first), entry.mark);
    EXPECT_EQ(*file_.at(entry.last), entry.mark);
    file_.release(entry.first);
    all_[which] = all_.back();
    all_.pop_back();
  }

  std::size_t count() const { return all_.size(); }

 private:
  struct Entry {
    Place first, last;
    std::byte mark;
  };
  SharedFile& file_;
  std::vector<Entry> all_;
  unsigned marks_ = 0;
};

void allocate_at_random(SharedFile& file, unsigned seed, int steps) {
  std::mt19937_64 random(seed);
  Marked marked(file);
  for (int step = 0; step < steps; ++step) {
    if (marked.count() > 40 || (marked.count() > 0 && random() % 5 < 2))
      marked.remove(random() % marked.count());
    else
      marked.add(static_cast<Bytes>(random() % (std::uint64_t{2} << (random() % 22))));
  }
  while (marked.count() > 0) marked.remove(0);
}

TEST(SharedFile, AllocatesPlacesThatDoNotOverlap) {
  for (const FileKind kind : kinds) {
    SharedFile file(kind, id, Bytes{1} << 30);
    for (unsigned seed = 1; seed <= 20; ++seed) {
      allocate_at_random(file, seed, 400);
      EXPECT_EQ(file.taken_bytes(), 0);
    }
    EXPECT_NO_THROW(file.allocate(Bytes{1} << 29));
  }
}

TEST(SharedFile, MayBeUsedByManyThreads) {
  SharedFile file(FileKind::heap, id, Bytes{1} << 32);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) threads.emplace_back([&file, thread] { allocate_at_random(file, thread, 2000); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(file.taken_bytes(), 0);
}

TEST(SharedFile, JoinsFreePlacesWithinAnExtent) {
  SharedFile file(FileKind::heap, id, 4 * mebibyte);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<Place> places;
    try {
      for (;;) places.push_back(file.allocate(seed % 2 == 0 ? 64 << 10 : 1344));
    } catch (const std::bad_alloc&) {}
    EXPECT_GT(file.taken_bytes(), 4 * mebibyte - (192 << 10));
    std::shuffle(places.begin(), places.end(), std::mt19937(seed));
    for (const Place place : places) file.release(place);
    const Place half = file.allocate(2 * mebibyte), quarter = file.allocate(mebibyte), rest = file.allocate(mebibyte - 4096);
    EXPECT_EQ(half, Extents::begin(2));
    EXPECT_EQ(quarter, Extents::begin(1));
    EXPECT_EQ(Extents::of(rest), 0u);
    EXPECT_THROW(file.allocate(4096), std::bad_alloc);
    for (const Place place : {half, quarter, rest}) file.release(place);
  }
}

TEST(SharedFile, RefusesSizesThatDoNotFitAndUnknownPlaces) {
  SharedFile file(FileKind::heap, id, 4 * mebibyte);
  for (const Bytes bytes : {2 * mebibyte + 1, 4 * mebibyte, 4 * mebibyte + 1, Bytes{1} << 62, INT64_MAX})
    EXPECT_THROW(file.allocate(bytes), std::bad_alloc) << bytes;
  const Place place = file.allocate(0);
  file.release(place + 64);  // this place was never allocated
  EXPECT_EQ(file.taken_bytes(), 64);
}

TEST(SharedFile, MapsExtentsWhenTheyAreNeeded) {
  SharedFile file(FileKind::heap, id, Bytes{1} << 40);
  EXPECT_EQ(file.mapped_bytes(), mebibyte);
  const Place small = file.allocate(100), large = file.allocate(3 * mebibyte);
  std::byte* const memory = file.at(small);
  EXPECT_EQ(file.mapped_bytes(), 5 * mebibyte);
  EXPECT_EQ(file.place_of(file.at(large) + 5), large + 5);
  EXPECT_EQ(file.place_of(file.at(0)), Place{0});
  EXPECT_EQ(file.place_of(&file), std::nullopt);
  EXPECT_EQ(file.place_of(nullptr), std::nullopt);
  for (int i = 0; i < 20; ++i) file.allocate(mebibyte);
  EXPECT_EQ(file.at(small), memory);
  EXPECT_LE(file.mapped_bytes(), 64 * mebibyte);
}

TEST(SharedFile, KeepsItsSize) {
  const SharedFile file(FileKind::heap, id, 8 * mebibyte);
  for (const off_t other : {off_t{0}, off_t{4096}, off_t{8 * mebibyte + 4096}}) {
    EXPECT_EQ(::ftruncate(file.descriptor(), other), -1);
    EXPECT_EQ(errno, EPERM);
  }
  EXPECT_EQ(status_of(file.descriptor()).st_size, 8 * mebibyte);
}

TEST(SharedFile, ReturnsReleasedMemoryToTheSystem) {
  SharedFile file(FileKind::heap, id, 64 * mebibyte);
  const auto used_bytes = [&] { return static_cast<Bytes>(status_of(file.descriptor()).st_blocks) * 512; };
  EXPECT_LE(used_bytes(), mebibyte / 2);  // most of it is a hole
  const Place place = file.allocate(8 * mebibyte);
  std::memset(file.at(place), 1, 8 << 20);
  EXPECT_GE(used_bytes(), 8 * mebibyte);
  file.release(place);
  EXPECT_LE(used_bytes(), mebibyte / 2);
}

TEST(SharedFile, ReleasesRetiredPlacesOnceTheyAreUnused) {
  SharedFile file(FileKind::heap, id, 4 * mebibyte);
  bool is_over = false;
  for (int i = 0; i < 100; ++i) file.retire(file.allocate(64), [] { return false; });
  const Place half = file.allocate(2 * mebibyte);
  file.retire(half, [&] { return is_over; });
  for (int i = 0; i < 3; ++i) file.release_retired();
  EXPECT_EQ(file.taken_bytes(), 2 * mebibyte + 6400);
  EXPECT_THROW(file.allocate(2 * mebibyte), std::bad_alloc);
  is_over = true;
  EXPECT_EQ(file.allocate(2 * mebibyte), half);  // no other place is free
}

// Thousands of retired places may wait. Each call checks a few of them, and several calls check all.
TEST(SharedFile, ChecksAFewRetiredPlacesInEachCall) {
  constexpr int count = 3000;
  SharedFile file(FileKind::control, id, 64 * mebibyte);
  std::vector<char> over(count, 0);
  int questions = 0;
  for (int i = 0; i < count; ++i)
    file.retire(file.allocate(64), [&over, &questions, i] {
      ++questions;
      return over[static_cast<std::size_t>(i)] != 0;
    });
  EXPECT_LE(questions, 20 * count);
  EXPECT_EQ(file.taken_bytes(), 64 * count);
  for (int i = 0; i < count; i += 2) over[static_cast<std::size_t>(i)] = 1;
  for (int i = 0; i < count; ++i) file.release_retired();
  EXPECT_EQ(file.taken_bytes(), 64 * count / 2);
  std::fill(over.begin(), over.end(), 1);
  EXPECT_THROW(file.allocate(33 * mebibyte), std::bad_alloc);
  for (int i = 0; i < count; ++i) file.release_retired();
  EXPECT_EQ(file.taken_bytes(), 0);
}

TEST(SharedFile, LetsTheConditionOfARetiredPlaceReleaseMemory) {
  SharedFile file(FileKind::heap, id, 4 * mebibyte);
  const auto owner = [&file](Place place) {
    return std::shared_ptr<void>(nullptr, [&file, place](void*) { file.release(place); });
  };
  file.retire(file.allocate(64), [owned = owner(file.allocate(64))] { return true; });
  file.release_retired();
  EXPECT_EQ(file.taken_bytes(), 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers need more address space than a limit leaves
void limit_addresses(Bytes left) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &limit), 0);
  std::ifstream in("/proc/self/statm");
  Bytes pages = 0;
  in >> pages;
  limit.rlim_cur = static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE) + left);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
}

TEST(SharedFile, WorksWithFewAddresses) {
  const int status = in_child([] {
    SharedFile file(FileKind::heap, id, Bytes{1} << 40);
    limit_addresses(20 * mebibyte);
    std::vector<Place> places;
    try {
      for (;;) places.push_back(file.allocate(mebibyte));
    } catch (const std::bad_alloc&) {}
    if (places.size() < 7 || file.mapped_bytes() > 21 * mebibyte) return false;
    *file.at(file.allocate(1000)) = std::byte{1};  // free space in the first extent
    file.release(places[3]);
    return file.allocate(mebibyte) == places[3];
  });
  EXPECT_EQ(status, 0);
}

TEST(SharedFile, ReportsMissingAddressSpace) {
  const SharedFile other(FileKind::heap, id, mebibyte);
  const int status = in_child([&other] {
    limit_addresses(mebibyte / 2);
    int sentences = 0;
    const auto count = [&](const Error& error) {
      if (error.code() == ErrorCode::environment && std::string(error.what()).find("ulimit -v) leaves") != std::string::npos)
        ++sentences;
    };
    try {
      SharedFile file(FileKind::heap, id, mebibyte);
    } catch (const Error& error) {
      count(error);
    }
    try {
      PeerFile file(path_of(other.descriptor(), ::getppid()), FileKind::heap, id, other.inode());
    } catch (const Error& error) {
      count(error);
    }
    return sentences == 2;
  });
  EXPECT_EQ(status, 0);
}
#endif

TEST(SharedFile, BelongsToTheParentInAForkedChild) {
  SharedFile file(FileKind::heap, id, 64 * mebibyte);
  const Place kept = file.allocate(2 * mebibyte);
  std::memset(file.at(kept), 7, 2 << 20);
  const int status = in_child([&] {
    file.release(kept);
    file.retire(kept, [] { return true; });
    file.release_retired();
    try {
      file.allocate(64);
      return false;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::misuse) return false;
    }
    std::byte* const memory = file.at(kept);
    file.~SharedFile();
    return memory[100] == std::byte{7};
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(file.taken_bytes(), 2 * mebibyte);
  EXPECT_EQ(file.at(kept)[(2 << 20) - 1], std::byte{7});
}

TEST(PeerFile, SeesWhatItsOwnerWrites) {
  for (const FileKind kind : kinds) {
    SharedFile file(kind, id, 64 * mebibyte);
    PeerFile peer(path_of(file.descriptor()), kind, id, file.inode());
    EXPECT_TRUE(peer.is_there());
    EXPECT_EQ(peer.mapped_bytes(), mebibyte);
    const Place small = file.allocate(100);
    *file.at(small) = std::byte{17};
    const std::byte* const memory = peer.at(small);
    EXPECT_NE(memory, file.at(small));
    EXPECT_EQ(*memory, std::byte{17});

    // An extent that the owner maps later.
    const Place large = file.allocate(9 * mebibyte), last = large + static_cast<Place>(9 * mebibyte) - 1;
    *file.at(last) = std::byte{18};
    EXPECT_EQ(*peer.at(last), std::byte{18});
    EXPECT_EQ(peer.mapped_bytes(), 17 * mebibyte);
    EXPECT_EQ(peer.at(small), memory);
    EXPECT_EQ(peer.at(large) + (last - large), peer.at(last));
  }
}

TEST(PeerFile, RefusesPlacesOutsideTheFile) {
  SharedFile file(FileKind::heap, id, 4 * mebibyte);
  PeerFile peer(path_of(file.descriptor()), FileKind::heap, id, file.inode());
  for (const Place place : {Place{4} << 20, Place{1} << 46, Place{1} << 47, Place{1} << 63, ~Place{0}}) {
    try {
      peer.at(place);
      ADD_FAILURE() << place;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::transport);
    }
  }
  EXPECT_EQ(peer.mapped_bytes(), mebibyte);
}

TEST(PeerFile, WritesOnlyControlFiles) {
  for (const FileKind kind : kinds) {
    SharedFile file(kind, id, 4 * mebibyte);
    const Place place = file.allocate(64);
    *file.at(place) = std::byte{1};
    const int status = in_child([&] {
      PeerFile peer(path_of(file.descriptor(), ::getppid()), kind, id, file.inode());
      if (*peer.at(place) != std::byte{1}) return false;
      *peer.at(place) = std::byte{2};
      return true;
    });
    if (kind == FileKind::heap) {
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
      EXPECT_EQ(*file.at(place), std::byte{1});
      PeerFile peer(path_of(file.descriptor()), kind, id, file.inode());
      EXPECT_EQ(::mprotect(peer.at(0), 4096, PROT_READ | PROT_WRITE), -1);  // refused, because the file was opened for reading only
    } else {
      EXPECT_EQ(status, 0);
      EXPECT_EQ(*file.at(place), std::byte{2});
    }
  }
}

TEST(PeerFile, IsNeitherForkedNorDumped) {
  for (const FileKind kind : kinds) {
    SharedFile file(kind, id, 64 * mebibyte);
    PeerFile peer(path_of(file.descriptor()), kind, id, file.inode());
    const Place large = file.allocate(9 * mebibyte);
    for (const Place place : {Place{0}, large}) {
      ASSERT_TRUE(has_flag(file.at(place), "rd"));  // check that smaps shows flags on this system
      EXPECT_FALSE(has_flag(file.at(place), "dc") || has_flag(file.at(place), "dd")) << flags_of(file.at(place));
      EXPECT_TRUE(has_flag(peer.at(place), "dc") && has_flag(peer.at(place), "dd")) << flags_of(peer.at(place));
    }
    EXPECT_EQ(in_child([&] { return flags_of(peer.at(0)).empty() && !flags_of(file.at(0)).empty(); }), 0);
  }
}

// A forked child may have mapped other memory at the address where its parent has a peer's file.
TEST(PeerFile, UnmapsNothingInAForkedChild) {
  SharedFile file(FileKind::heap, id, 4 * mebibyte);
  auto peer = std::make_unique<PeerFile>(path_of(file.descriptor()), FileKind::heap, id, file.inode());
  const int status = in_child([&] {
    void* const place = peer->at(0);
    if (::mmap(place, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != place)
      return false;
    peer.reset();
    *static_cast<volatile char*>(place) = 1;
    return true;
  });
  EXPECT_EQ(status, 0);
}

using Words = std::array<std::uint64_t, 5>;  // the words of a title: magic, version, process, kind, bytes
static_assert(sizeof(Words) == sizeof(FileTitle));

Words title_of(int file) {
  Words words{};
  EXPECT_EQ(::pread(file, &words, sizeof words, 0), static_cast<ssize_t>(sizeof words));
  return words;
}

Descriptor forged(const Words& title, off_t size, int seals = size_seals) {
  Descriptor file(::memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::pwrite(file.number(), &title, sizeof title, 0), static_cast<ssize_t>(sizeof title));
  EXPECT_EQ(::ftruncate(file.number(), size), 0);
  EXPECT_EQ(::fcntl(file.number(), F_ADD_SEALS, seals), 0);
  return file;
}

void open_peer(int file, FileKind kind, std::uint64_t process = id) {
  struct stat status {};
  ::fstat(file, &status);
  PeerFile(path_of(file), kind, process, status.st_ino);
}

// Checks that opening the file throws an error of one sentence, and does not crash.
void expect_refused(const Descriptor& file, FileKind kind, const std::string& what) {
  try {
    open_peer(file.number(), kind);
    ADD_FAILURE() << what << " is taken for a file of quadrille";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment) << what;
    EXPECT_NE(std::string(error.what()).find("cannot be shared: "), std::string::npos) << error.what();
  }
}

TEST(PeerFile, RefusesDescriptorsOfOtherKinds) {
  const SharedFile genuine(FileKind::heap, id, 4 * mebibyte);
  const Words title = title_of(genuine.descriptor());
  const off_t size = genuine.bytes();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor source(ends[0]), sink(ends[1]);
  ASSERT_EQ(::write(ends[1], &title, sizeof title), static_cast<ssize_t>(sizeof title));
  for (const FileKind kind : kinds) {
    expect_refused(source, kind, "a pipe");
    expect_refused(sink, kind, "the other end of a pipe");
    expect_refused(Descriptor(::open("/", O_RDONLY | O_DIRECTORY)), kind, "a directory");
    expect_refused(Descriptor(::open("/dev/null", O_RDWR)), kind, "/dev/null");
    expect_refused(Descriptor(::open("/dev/zero", O_RDWR)), kind, "/dev/zero");
    expect_refused(Descriptor(-1), kind, "no descriptor");
    expect_refused(Descriptor(1 << 20), kind, "a number that is no descriptor");
  }
  std::FILE* plain = std::tmpfile();
  ASSERT_EQ(::pwrite(::fileno(plain), &title, sizeof title, 0), static_cast<ssize_t>(sizeof title));
  if (::ftruncate(::fileno(plain), size) == 0)
    expect_refused(Descriptor(::dup(::fileno(plain))), FileKind::heap, "a file of a disk");
  std::fclose(plain);

  // Without the seal against shrinking, the file may shrink after its size was checked.
  expect_refused(forged(title, size, F_SEAL_GROW), FileKind::heap, "a file that may shrink");
  expect_refused(forged(title, size, F_SEAL_SHRINK), FileKind::heap, "a file that may grow");
  expect_refused(forged(title, sizeof title), FileKind::heap, "a file that ends behind its title");
  expect_refused(forged(title, 16), FileKind::heap, "half a title");
  expect_refused(forged(title, 0), FileKind::heap, "an empty file");
  EXPECT_NO_THROW(open_peer(forged(title, size).number(), FileKind::heap));
}

TEST(PeerFile, RefusesTheFileOfAnotherProcess) {
  const SharedFile heap(FileKind::heap, id, 4 * mebibyte);
  EXPECT_NO_THROW(open_peer(heap.descriptor(), FileKind::heap));
  EXPECT_THROW(open_peer(heap.descriptor(), FileKind::control), Error);
  EXPECT_THROW(open_peer(heap.descriptor(), FileKind::heap, id + 1), Error);
  EXPECT_THROW(PeerFile(path_of(heap.descriptor()), FileKind::heap, id, heap.inode() + 1), Error);
}

TEST(PeerFile, RefusesForgedTitles) {
  const char* wish = std::getenv("QUADRILLE_MUTANTS");
  const long mutants = wish ? std::atol(wish) : 500;
  const SharedFile genuine(FileKind::heap, id, 4 * mebibyte);
  const Words title = title_of(genuine.descriptor());
  constexpr std::uint64_t telling[] = {0,
                                       1,
                                       2,
                                       4096,
                                       1 << 19,
                                       1 << 20,
                                       (1 << 20) + 1,
                                       3 << 20,
                                       std::uint64_t{1} << 31,
                                       std::uint64_t{1} << 46,
                                       std::uint64_t{1} << 47,
                                       std::uint64_t{1} << 48,
                                       std::uint64_t{1} << 62,
                                       std::uint64_t{1} << 63};
  long others = 0;
  for (long seed = 1; seed <= mutants; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    Words words = title;
    do {
      const std::size_t word = random() % words.size();
      switch (random() % 4) {
        case 0: words[word] ^= std::uint64_t{1} << (random() % 64); break;
        case 1:
        case 2: words[word] = telling[random() % std::size(telling)]; break;
        case 3: words[word] = random() >> (random() % 64); break;
      }
    } while (words == title || random() % 3 == 0);
    // The file has the genuine size, or the size in the title if that is possible.
    const std::uint64_t size = random() % 2 == 0 && words[4] < std::uint64_t{1} << 62 ? words[4] : title[4];
    const std::string what =
        fmt::format("seed {}: {:#x} {} {:#x} {} {}, {} B", seed, words[0], words[1], words[2], words[3], words[4], size);
    const Descriptor file = forged(words, static_cast<off_t>(size));
    // A file of another size is also valid if its title has that size.
    Words same = words;
    same[4] = title[4];
    if (same == title && size == words[4] && size >= 1 << 20 && size <= std::uint64_t{1} << 47 && (size & (size - 1)) == 0) {
      PeerFile peer(path_of(file.number()), FileKind::heap, id, status_of(file.number()).st_ino);
      EXPECT_EQ(std::memcmp(peer.at(0), &words, sizeof words), 0) << what;
      ++others;
    } else {
      expect_refused(file, FileKind::heap, what);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(others, 0);
}

}  // namespace
}  // namespace quadrille
