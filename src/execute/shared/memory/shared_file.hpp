// SPDX-License-Identifier: BSD-3-Clause
// Memory of one process that others can map. It is an anonymous file (memfd), so nothing remains when the process ends, even if it
// is killed. The file has its full size from the start, and seals fix that size. It is sparse: pages that were never written take
// no memory. Do not read a page before it is written: reading a hole allocates the page, and charges it to the reader's control
// group.
//
// A file is mapped in parts called extents. The first has 1 MiB, and each further extent is as long as all before it together. An
// allocation lies within one extent. A process maps an extent of its own file at its first allocation there, and an extent of
// another process's file at its first access. So pointers stay valid, and the address space that a process uses grows with need.
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
#include "foundation/system/files.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

using Place = std::uint64_t;  // offset in a file, in bytes; 0 means none, because the title lies there

enum class FileKind : std::uint8_t {
  heap,     // others read it: they open it read-only and map it PROT_READ
  control,  // others also write it: flags, turns, bells
};

// With these seals nobody can change the size of a file. That protects other processes: if a file shrank, a process that accesses
// memory beyond its new end would be killed by SIGBUS.
constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

// Returns an anonymous file (memfd) of this size with the seals `size_seals`. Throws Error{environment} with the reason on failure.
Descriptor sealed_file(Bytes bytes);

// The beginning of each file. It is checked before anything in the file is trusted.
struct FileTitle {
  static constexpr char word[8] = {'q', 'u', 'a', 'd', 'r', 'i', 'l', '\n'};
  static constexpr std::uint64_t this_version = 1;
  char magic[8];
  std::uint64_t version;
  std::uint64_t process;  // ProcessCard::id of its owner
  std::uint64_t kind;     // FileKind
  Bytes bytes;            // size of the whole file
};

// How a file is divided into extents.
struct Extents {
  static constexpr Bytes first = Bytes{1} << 20;
  static constexpr std::size_t most = 28;  // 2^47 bytes together, the whole address space of a process

  static std::size_t of(Place place) { return static_cast<std::size_t>(std::bit_width(place >> 20)); }
  static Place begin(std::size_t extent) { return extent == 0 ? 0 : static_cast<Place>(first) << (extent - 1); }
  static Bytes bytes(std::size_t extent) { return extent == 0 ? first : first << (extent - 1); }

  // The address of each extent in this process; null if it is not mapped.
  using Mapped = std::array<std::atomic<std::byte*>, most>;
  static Bytes bytes(const Mapped& mapped);
  static void unmap(const Mapped& mapped);
  static std::string why_not_mapped(std::size_t extent, int error);  // `error` is the errno of mmap
};

// This process's own file, with an allocator. Thread-safe.
class SharedFile {
 public:
  // `bytes` is a power of two of at least Extents::first. Throws Error{environment} if the system refuses the file.
  SharedFile(FileKind kind, std::uint64_t process, Bytes bytes);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  int descriptor() const { return file_.number(); }
  ino_t inode() const { return inode_; }
  Bytes bytes() const { return bytes_; }
  Bytes mapped_bytes() const { return Extents::bytes(extents_); }
  Bytes taken_bytes() const;  // size of all allocations that are not released

  // Aligns to 64 bytes, and to a page if `bytes` is at least a page. Throws std::bad_alloc, also if a further extent cannot be
  // mapped because address space is limited (ulimit -v). The memory is not initialised.
  Place allocate(Bytes bytes);

  // Has no effect in a forked child, because the file belongs to its parent.
  void release(Place place);

  // Releases the place as soon as a call of is_over() returns true. Each `allocate` and `retire` checks a few retired places.
  // is_over must not call members of this object.
  void retire(Place place, std::function<bool()> is_over);
  void release_retired();

  std::byte* at(Place place) const {
    return extents_[Extents::of(place)].load(std::memory_order_acquire) + (place - Extents::begin(Extents::of(place)));
  }
  std::optional<Place> place_of(const void* memory) const;  // nothing if the address is not in this file

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
  const ForkMark mark_;  // a forked child must not touch the file: it belongs to the parent
  Descriptor file_;
  ino_t inode_ = 0;
  Extents::Mapped extents_{};

  mutable std::mutex mutex_;
  // Free pieces, by place and by length. A piece lies within one extent, which need not be mapped.
  std::map<Place, Bytes> free_;
  std::set<std::pair<Bytes, Place>> by_length_;
  std::map<Place, Bytes> taken_;
  Bytes taken_bytes_ = 0;
  std::list<Retired> retired_;  // ordered by their last check, the oldest first
};

}  // namespace quadrille
