// SPDX-License-Identifier: BSD-3-Clause
// Memory of one process that others can map: a file without a name (memfd), so that nothing is left when the process is gone,
// whatever ends it. The file has its full size from the start, and seals keep that size. It is sparse: what nobody has written takes
// no memory. Nobody may read what was not written: reading a hole allocates it, and charges it to the reader's control group.
//
// A file is mapped by extents. The first has 1 MiB, and each further one is as long as all before it. An allocation lies within one
// extent. A process maps an extent of its own file when it first allocates there, and of another's when it first looks there. So
// pointers stay valid, and the addresses that a process takes grow with use.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "execute/shared/descriptor.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

using Place = std::uint64_t;  // in a file, bytes from its beginning; 0 is nowhere: the title lies there

enum class FileKind : std::uint8_t {
  heap,     // others read it: they open it read-only and map it PROT_READ
  control,  // others also write it: flags, turns, bells
};

// The beginning of each file. It is checked before anything in the file is trusted.
struct FileTitle {
  static constexpr char word[8] = {'q', 'u', 'a', 'd', 'r', 'i', 'l', '\n'};
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
  Bytes mapped_bytes() const;
  Bytes taken_bytes() const;  // by allocations that are not released

  // Aligned to 64 bytes, and to a page from a page on. Throws std::bad_alloc; also where addresses are limited (ulimit -v) and no
  // further extent can be mapped. What is allocated may hold anything.
  Place allocate(Bytes bytes);

  // No effect in a forked child: the file is its parent's.
  void release(Place place);

  // Releases the place some time after `is_over` has become true: it is asked when memory is allocated or retired. It must not call
  // this file.
  void retire(Place place, std::function<bool()> is_over);
  void release_retired();

  std::byte* at(Place place) const {
    return extents_[Extents::of(place)].load(std::memory_order_acquire) + (place - Extents::begin(Extents::of(place)));
  }
  std::optional<Place> place_of(const void* memory) const;  // none if it is not in this file

 private:
  // ... as the implementation needs
};

// Another process's file, as this process maps it. Any number of threads may use it.
class PeerFile {
 public:
  // Opens `path` (/proc/PID/fd/N), checks seals, size and title, and maps the first extent; keeps no descriptor. Throws
  // Error{environment} with the reason: it is out of reach, it is not this process's file, it is damaged, addresses are missing.
  PeerFile(std::string path, FileKind kind, std::uint64_t process, ino_t inode);
  ~PeerFile();
  PeerFile(const PeerFile&) = delete;
  PeerFile& operator=(const PeerFile&) = delete;

  // Maps the extent when it is first asked for. Throws Error{environment} if it cannot, Error{peer_lost} if its process is gone,
  // Error{transport} for a place that the file does not have.
  std::byte* at(Place place) {
    const std::size_t extent = Extents::of(place);
    std::byte* memory = extent < Extents::most ? extents_[extent].load(std::memory_order_acquire) : nullptr;
    return (memory ? memory : map(extent)) + (place - Extents::begin(extent));
  }

  // Does the path still lead to this file? Not when its process is gone.
  bool is_there() const;
  Bytes mapped_bytes() const;

 private:
  std::byte* map(std::size_t extent);
  // ... as the implementation needs
};

}  // namespace quadrille
