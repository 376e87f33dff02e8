// SPDX-License-Identifier: BSD-3-Clause
// Memory of one process that others can map. It is an anonymous file (memfd), so nothing remains when the process ends, even if it
// is killed. The file has its full size from the start, and seals fix that size. It is sparse: pages that were never written take
// no memory. Do not read a page before it is written: reading a hole allocates the page, and charges it to the reader's control
// group.
//
// A file is mapped in parts called extents (extents.hpp). An allocation lies within one extent. A process maps an extent of its own
// file at its first allocation there, and an extent of another process's file at its first access. So pointers stay valid, and the
// address space that a process uses grows with need.
//
// Pages of the program's memory (allocate_pages) that it has released stay in the file for a second, because it often allocates
// them again, and the system takes longer to make new ones here than in private memory. Later calls return them to the system. They
// are returned at once if they are more than 64 MiB, more than a quarter of what is taken, and more than this process's share of an
// eighth of the machine's memory, with a process on each core. Pages are returned by madvise, because MPI libraries and UCX
// intercept it: they must forget what they have registered.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "execute/process_events.hpp"
#include "execute/shared/memory/extents.hpp"
#include "execute/shared/memory/file_room.hpp"
#include "foundation/system/files.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

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
  Bytes most_taken_bytes() const;

  // How many buffers in this file the engine has offered other ranks to read.
  std::uint64_t lent() const { return lent_.load(std::memory_order_relaxed); }
  void count_lent() const { lent_.store(lent() + 1, std::memory_order_relaxed); }  // of two threads at once, one may not be counted

  // Aligns to 64 bytes, or to a page if `bytes` is at least a page. Throws std::bad_alloc, also if a further extent cannot be
  // mapped because address space is limited (ulimit -v). The memory is not initialised.
  Place allocate(Bytes bytes);

  // Has no effect in a forked child, because the file belongs to its parent. Blocks of 1 MiB and more go back to the system at
  // once.
  void release(Place place);

  // Memory of the program. The lengths are whole pages. `grows`: where it can grow in place. Returns nothing if there is no room.
  std::optional<Place> allocate_pages(Bytes bytes, bool grows = false);
  bool has_program_pages() const { return has_program_pages_.load(std::memory_order_relaxed); }  // have any been allocated?
  bool resize_pages(Place place, Bytes bytes);  // in place; false if the room behind is not free
  void release_pages(Place place);              // to be allocated again
  void return_released_pages();                 // to the system, all at once
  Bytes length_of(Place place) const;           // of an allocation; 0: there is none
  // Both do not touch pages that are holes, neither in the source nor in the target.
  void clear_pages(Place place, Bytes bytes);
  void copy_pages(Place to, Place from, Bytes bytes);

  // For fork. `hold` returns released pages, which would be copied, and keeps other threads out until `let_go`. In the child,
  // `copy_into_child` replaces all memory of the file by private memory at the same addresses, with the same contents, for which
  // the parent must wait. It returns false if there is not enough memory. It calls only what a forked child may call. Then
  // `forget_in_child` returns the length of a block and forgets it.
  void hold();
  void let_go() { mutex_.unlock(); }
  bool copy_into_child() noexcept;
  Bytes forget_in_child(Place place);

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

  using Lock = std::unique_lock<std::recursive_mutex>;

  static constexpr Bytes always_warm = Bytes{64} << 20;
  static FileRoom::Milliseconds now();

  bool has_descriptor() const;  // the program may have closed it
  bool map(std::size_t extent);
  void dump(Place place, Bytes length);
  void leave_out_of_dumps(FileRoom::Piece piece);
  std::optional<Place> take(Bytes length, bool map_more, bool grows = false);
  void return_to_system(Lock& lock, std::span<const FileRoom::Piece> pieces);
  void return_idle(Lock& lock, FileRoom::Milliseconds idle = 1000);
  void keep_warm(Lock& lock, FileRoom::Piece piece);
  void release_retired(std::size_t most);
  template <class Function>
  void for_each_resident(Place place, Bytes bytes, Function&& function) const;

  const Bytes bytes_;
  const Bytes most_warm_;
  const ForkMark mark_;  // a forked child must not touch the file: it belongs to the parent
  Descriptor file_;
  ino_t inode_ = 0;
  Extents::Mapped extents_{};

  mutable std::recursive_mutex mutex_;  // recursive: what is_over() of retired memory calls may allocate memory of the program
  FileRoom room_;
  std::atomic<bool> has_program_pages_{false};
  mutable std::atomic<std::uint64_t> lent_{0};
  std::array<Bytes, Extents::most> dumped_{};  // of each extent, from its beginning: core dumps contain it, and children copy it
  FileRoom::Milliseconds looked_at_ = 0;       // when return_idle was called last
  std::list<Retired> retired_;                 // ordered by their last check, the oldest first
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
