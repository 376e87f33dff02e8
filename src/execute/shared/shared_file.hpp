// SPDX-License-Identifier: BSD-3-Clause
// Memory of one process that others can map: a file without a name (memfd), so that nothing is left when the process is gone,
// whatever ends it. The file has its full size from the start, and seals keep that size. It is sparse: what nobody has written
// takes no memory. Nobody may read what was not written: reading a hole allocates it, and charges it to the reader's control group.
//
// A file is mapped by extents. The first has 1 MiB, and each further one is as long as all before it. An allocation lies within one
// extent. A process maps an extent of its own file when it first allocates there, and of another's when it first looks there. So
// pointers stay valid, and the addresses that a process takes grow with use.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "execute/fork_mark.hpp"
#include "execute/shared/descriptor.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

using Place = std::uint64_t;  // in a file, bytes from its beginning; 0 is nowhere: the title lies there

enum class FileKind : std::uint8_t {
  heap,     // others read it: they open it read-only and map it PROT_READ
  control,  // others also write it: flags, turns, bells
};

// Nobody can change the size of a file with these. Whoever touches memory behind the end of a file that has shrunk is killed.
constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

// A file without a name (memfd) of this size, with these seals. Throws Error{environment} with the reason.
Descriptor sealed_file(Bytes bytes);

// The beginning of each file. It is checked before anything in the file is trusted.
struct FileTitle {
  static constexpr char word[8] = {'q', 'u', 'a', 'd', 'r', 'i', 'l', '\n'};
  static constexpr std::uint64_t this_version = 1;
  char magic[8];
  std::uint64_t version;
  std::uint64_t process;  // ProcessCard::id of its owner
  std::uint64_t kind;     // FileKind
  Bytes bytes;            // of the whole file
};

// Extents of a file.
struct Extents {
  static constexpr Bytes first = Bytes{1} << 20;
  static constexpr std::size_t most = 28;  // so 2^47 bytes, which is all that a process can map

  static std::size_t of(Place place) { return static_cast<std::size_t>(std::bit_width(place >> 20)); }
  static Place begin(std::size_t extent) { return extent == 0 ? 0 : static_cast<Place>(first) << (extent - 1); }
  static Bytes bytes(std::size_t extent) { return extent == 0 ? first : first << (extent - 1); }

  // What a process has mapped of a file; null where it has not.
  using Mapped = std::array<std::atomic<std::byte*>, most>;
  static Bytes bytes(const Mapped& mapped);
  static void unmap(const Mapped& mapped);
  static std::string why_not_mapped(std::size_t extent, int error);  // of mmap
};

// This process's own file, with an allocator. Any number of threads may use it.
class SharedFile {
 public:
  // Throws Error{environment} where the machine gives none. `bytes` is a power of two from Extents::first on.
  SharedFile(FileKind kind, std::uint64_t process, Bytes bytes);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  int descriptor() const { return file_.number(); }
  ino_t inode() const { return inode_; }
  Bytes bytes() const { return bytes_; }
  Bytes mapped_bytes() const { return Extents::bytes(extents_); }
  Bytes taken_bytes() const;  // by allocations that are not released

  // Aligned to 64 bytes, and to a page from a page on. Throws std::bad_alloc; also where addresses are limited (ulimit -v) and no
  // further extent can be mapped. What is allocated may hold anything.
  Place allocate(Bytes bytes);

  // No effect in a forked child: the file is its parent's.
  void release(Place place);

  // Releases the place later: once is_over() is true. A few retired places are asked at each allocate and retire. is_over must not
  // call this file.
  void retire(Place place, std::function<bool()> is_over);
  void release_retired();

  std::byte* at(Place place) const {
    return extents_[Extents::of(place)].load(std::memory_order_acquire) + (place - Extents::begin(Extents::of(place)));
  }
  std::optional<Place> place_of(const void* memory) const;  // none if it is not in this file

 private:
  struct Retired {
    Place place;
    std::function<bool()> is_over;
  };

  bool map(std::size_t extent);
  void add_free(Place place, Bytes length);
  void remove_free(std::map<Place, Bytes>::iterator piece);
  void join_free(Place place, Bytes length);
  std::optional<Place> take(Bytes length, bool map_more);
  void release_retired(std::size_t most);

  const Bytes bytes_;
  const ForkMark mark_;  // in a forked child the file is its parent's
  Descriptor file_;
  ino_t inode_ = 0;
  Extents::Mapped extents_{};

  mutable std::mutex mutex_;
  // What is free, by place and by length. A piece lies within one extent, which need not be mapped.
  std::map<Place, Bytes> free_;
  std::set<std::pair<Bytes, Place>> by_length_;
  std::map<Place, Bytes> taken_;
  Bytes taken_bytes_ = 0;
  std::list<Retired> retired_;  // the one that waits longest for being asked comes first
};

}  // namespace quadrille
