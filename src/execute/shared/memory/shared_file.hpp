// SPDX-License-Identifier: BSD-3-Clause
// Memory of one process that others can map. It is an anonymous file (memfd), so nothing remains when the process ends, even if it
// is killed. The file has its full size from the start, and seals fix that size. It is sparse: pages that were never written take
// no memory. Do not read a page before it is written: reading a hole allocates the page, and charges it to the reader's control
// group.
//
// A file is mapped in parts called extents. The first extent has 1 MiB, and each further extent is as long as all extents before
// it together. An allocation lies within one extent. A process maps an extent of its own file at its first allocation there, and
// an extent of another process's file at its first access. So pointers stay valid, and the address space that a process uses
// grows with need.
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
#include <vector>

#include "execute/process_events.hpp"
#include "foundation/system/files.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

using Place = std::uint64_t;  // offset in a file, in bytes; 0 means none: the title lies at offset 0

enum class FileKind : std::uint8_t {
  heap,     // others read it: they open it read-only and map it PROT_READ
  control,  // others also write it: flags, acks, doorbells
};

// With these seals no process can change the size of a file. That protects other processes: if a file shrank, SIGBUS would kill a
// process that accesses memory beyond the file's new end.
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
  static constexpr std::size_t most = 28;  // they have 2^47 bytes together: the whole address space of a process

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

  // Aligns to 64 bytes, or to a page if `bytes` is at least a page. Throws std::bad_alloc, also if a further extent cannot be
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

// What /proc tells about a process: when it started, and whether it still runs.
struct ProcessState {
  std::uint64_t started;  // clock ticks since boot
  bool runs;              // at least one thread has not ended; /proc also lists zombies
};

// `directory` is /proc/PID. Returns nothing if there is no such process, or /proc does not show it.
std::optional<ProcessState> process_state(const std::string& directory);

// Returns the directories of a process's threads: /proc/PID/task/TID. They are needed because /proc/PID itself shows the main
// thread, which may have ended (pthread_exit) while other threads run.
std::vector<std::string> directories_of_threads(const std::string& directory);

// This process's mapping of a shared file of another process. Thread-safe.
class PeerFile {
 public:
  // Opens `path` (/proc/PID/fd/N), checks seals, size and title, maps the first extent, and closes the file again. Throws
  // Error{environment} with the reason if the file is out of reach, is not the file of `process`, or is damaged, or if address
  // space is exhausted.
  PeerFile(std::string path, FileKind kind, std::uint64_t process, ino_t inode);
  ~PeerFile();
  PeerFile(const PeerFile&) = delete;
  PeerFile& operator=(const PeerFile&) = delete;

  // Returns the address of `place` here; maps its extent at the first access. Throws Error{environment} if the extent cannot be
  // mapped, Error{peer_lost} if the other process has ended, Error{transport} if the file is too short for the place.
  std::byte* at(Place place) {
    const std::size_t extent = Extents::of(place);
    std::byte* memory = extent < Extents::most ? extents_[extent].load(std::memory_order_acquire) : nullptr;
    return (memory ? memory : map(extent)) + (place - Extents::begin(extent));
  }

  // Does the other process still have the file? False if that process has ended or called exec.
  bool is_there() const;
  Bytes mapped_bytes() const { return Extents::bytes(extents_); }

 private:
  std::byte* map(std::size_t extent);
  std::string directory() const { return path_.substr(0, path_.find("/fd/")); }
  std::optional<std::string> path_of_any_thread() const;
  Descriptor open(const std::string& path);
  std::byte* map_of(const Descriptor& file, std::size_t extent);

  const std::string path_;
  const FileKind kind_;
  const std::uint64_t process_;
  const ino_t inode_;
  std::uint64_t started_ = 0;  // start time of the process; 0 if not known
  const ForkMark mark_;        // the mappings do not exist in a forked child
  dev_t device_ = 0;           // known when the file has been opened, as is the size
  Bytes bytes_ = 0;
  std::mutex mutex_;  // held while an extent is being mapped
  Extents::Mapped extents_{};
};

}  // namespace quadrille
