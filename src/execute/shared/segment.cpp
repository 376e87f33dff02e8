// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <numeric>
#include <optional>

#include "problem/memory.hpp"

namespace quadrille {
namespace {

constexpr Bytes page = 4096;
constexpr Bytes largest_segment = Bytes{1} << 44;  // of the addresses that a process has, an eighth
constexpr Bytes least_heap = Bytes{64} << 10;      // where the number of addresses is limited
constexpr Bytes large_block = Bytes{1} << 20;      // given back to the machine when released
constexpr Count most_ranks = Count{1} << 20;       // each has some heap then
constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

constexpr Bytes rounded(Bytes bytes, Bytes unit) { return ceil_divide(bytes, unit) * unit; }

// Before the ranks' heaps; the first line of it says what it is, so that no offset in use is 0.
struct Title {
  static constexpr char word[8] = {'q', 'u', 'a', 'd', 'r', 'i', 'l', '\n'};
  char magic[8];
  Count ranks;
  Bytes head_bytes, heap_bytes;
};
constexpr Bytes title_bytes = rounded(sizeof(Title), 64);

Bytes head_bytes_for(Count ranks) { return rounded(title_bytes + SpaceHead::bytes(ranks), page); }

Bytes most_heap_bytes_for(Count ranks) { return largest_segment / ranks / page * page; }

// The title of a segment; nothing if the file is none. The seals come first: what they promise, that nobody changes the file's
// size, must hold for the size that the title is compared with. No arithmetic on a number of the title before the number is known
// to be in range.
std::optional<Title> title_of(int file) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  Title title{};
  struct stat status {};
  if (seals < 0 || (seals & size_seals) != size_seals || ::fstat(file, &status) != 0 ||
      ::pread(file, &title, sizeof title, 0) != sizeof title)
    return std::nullopt;
  const bool is_sound = std::memcmp(title.magic, Title::word, sizeof title.magic) == 0 && title.ranks >= 1 &&
                        title.ranks <= most_ranks && title.head_bytes == head_bytes_for(title.ranks) && title.heap_bytes >= page &&
                        title.heap_bytes <= most_heap_bytes_for(title.ranks) && title.heap_bytes % page == 0 &&
                        title.head_bytes + title.ranks * title.heap_bytes == status.st_size;
  return is_sound ? std::optional(title) : std::nullopt;
}

[[noreturn]] void refuse_segment(const char* what) {
  throw Error(ErrorCode::environment,
              fmt::format("no memory can be shared with the other ranks: {}: {}", what, std::strerror(errno)));
}

struct flock rank_lock(Rank rank) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(rank);
  lock.l_len = 1;
  return lock;
}

}  // namespace

SharedRoom shared_room(Count ranks) {
  if (ranks < 1 || ranks > most_ranks)
    throw Error(ErrorCode::misuse, fmt::format("{} ranks cannot share memory; the limit is {}", ranks, most_ranks));
  const Bytes wanted = std::min(rounded(usable_memory(), page), most_heap_bytes_for(ranks));
  const auto addresses = free_addresses();
  if (!addresses) return {wanted, wanted};
  const Bytes each = (*addresses / 2 - head_bytes_for(ranks)) / ranks / page * page;
  if (each < least_heap)
    throw Error(ErrorCode::environment,
                fmt::format("the limit of addresses (ulimit -v) leaves {} KiB; {} ranks that share memory take at least {} KiB",
                            *addresses / 1024, ranks, 2 * (head_bytes_for(ranks) + ranks * least_heap) / 1024));
  return {wanted, std::min(wanted, each)};
}

Descriptor make_segment(Count ranks) {
  Title title{};
  title.heap_bytes = shared_room(ranks).bytes;
  std::memcpy(title.magic, Title::word, sizeof title.magic);
  title.ranks = ranks;
  title.head_bytes = head_bytes_for(ranks);
  const Bytes bytes = title.head_bytes + ranks * title.heap_bytes;

  Descriptor file(::memfd_create("quadrille", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.number() < 0) refuse_segment("memfd_create");
  if (::ftruncate(file.number(), static_cast<off_t>(bytes)) != 0) refuse_segment("ftruncate");
  // Whoever touches memory behind the end of a file that has shrunk is killed.
  if (::fcntl(file.number(), F_ADD_SEALS, size_seals | F_SEAL_SEAL) != 0) refuse_segment("F_ADD_SEALS");
  void* head = ::mmap(nullptr, index(title.head_bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (head == MAP_FAILED) refuse_segment("mmap");
  SharedSpace::make_head(static_cast<std::byte*>(head) + title_bytes, ranks);
  std::memcpy(head, &title, sizeof title);
  ::munmap(head, index(title.head_bytes));
  return file;
}

bool SegmentSpace::is_segment(int file, Count ranks) {
  const auto title = title_of(file);
  return title && title->ranks == ranks;
}

std::unique_ptr<SegmentSpace> SegmentSpace::open(Descriptor file, Rank rank, Count ranks) {
  const auto title = title_of(file.number());
  if (!title || title->ranks != ranks || rank < 0 || rank >= ranks)
    throw Error(ErrorCode::environment,
                fmt::format("what rank {} was handed is no memory shared by {} ranks; it is made by the first of them, or by "
                            "'quadrille run', and damaged if it was",
                            rank, ranks));
  const Bytes bytes = title->head_bytes + ranks * title->heap_bytes;
  void* memory = ::mmap(nullptr, index(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.number(), 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    const auto addresses = free_addresses();
    if (error == ENOMEM && addresses && *addresses < bytes)
      throw Error(
          ErrorCode::environment,
          fmt::format("rank {} has fewer addresses left ({} KiB, ulimit -v) than the ranks' shared memory takes ({} KiB); set "
                      "the limit before the ranks are started, so that they share less",
                      rank, *addresses / 1024, bytes / 1024));
    errno = error;
    refuse_segment("mmap");
  }
  ::madvise(memory, index(bytes), MADV_DONTDUMP);
  return std::unique_ptr<SegmentSpace>(new SegmentSpace(std::move(file), static_cast<std::byte*>(memory), bytes,
                                                        static_cast<Offset>(title->head_bytes + rank * title->heap_bytes),
                                                        title->heap_bytes, rank, ranks));
}

void SegmentSpace::say_ended(const Descriptor& file, Rank rank) {
  const auto title = title_of(file.number());
  if (!title || rank < 0 || rank >= title->ranks) return;  // the others see that the rank's lock is gone
  const auto bytes = index(title->head_bytes);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) return;
  end_without(reinterpret_cast<SpaceHead*>(static_cast<std::byte*>(memory) + title_bytes), rank);
  ::munmap(memory, bytes);
}

SegmentSpace::SegmentSpace(Descriptor file, std::byte* memory, Bytes bytes, Offset heap, Bytes heap_bytes, Rank rank, Count ranks)
    : SharedSpace(reinterpret_cast<std::uintptr_t>(memory), reinterpret_cast<SpaceHead*>(memory + title_bytes), rank, ranks),
      file_(std::move(file)),
      memory_(memory),
      bytes_(bytes),
      free_{{heap, heap_bytes}},
      processes_(ranks) {
  struct flock lock = rank_lock(rank);  // held until this process ends or closes the file, however that happens
  locked_ = ::fcntl(file_.number(), F_SETLK, &lock) == 0;
}

SegmentSpace::~SegmentSpace() {
  if (std::uncaught_exceptions() > 0)
    fail();
  else
    leave();
  ::munmap(memory_, index(bytes_));
}

void SegmentSpace::introduce() {
  struct Card {
    pid_t process;
    bool locks_tell;
    const void* place;
    cpu_set_t cores;
  };
  static constexpr std::uint64_t secret = 0x71D4F1A2B3C4D5E6u;
  const std::uint64_t place = secret ^ static_cast<std::uint64_t>(rank());
  Card mine{::getpid(), locked_, &place, {}};
  CPU_ZERO(&mine.cores);
  ::sched_getaffinity(0, sizeof mine.cores, &mine.cores);
  ByRank<Card> all(size());
  all_gather(&mine, all.data(), sizeof mine);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  bool locks_tell = true;
  for (Rank i = 0; i < size(); ++i) {
    processes_[i] = all[i].process;
    locks_tell = locks_tell && all[i].locks_tell && (all[i].process != mine.process || i == rank());
    CPU_OR(&cores, &cores, &all[i].cores);
  }
  locks_tell_ = locks_tell;  // from now on: before, others may not have begun
  set_core_count(CPU_COUNT(&cores));

  // May one read another's memory? Some systems forbid it; then nobody does.
  const Rank next = (rank() + 1) % size();
  std::uint64_t found = 0;
  iovec here{&found, sizeof found}, there{const_cast<void*>(all[next].place), sizeof found};
  const bool read = ::process_vm_readv(all[next].process, &here, 1, &there, 1, 0) == sizeof found;
  const char mine_reads = read && found == (secret ^ static_cast<std::uint64_t>(next)) ? 1 : 0;
  ByRank<char> all_read(size());
  all_gather(&mine_reads, all_read.data(), 1);
  reads_private_memory_ = std::find(all_read.begin(), all_read.end(), 0) == all_read.end();
}

bool SegmentSpace::is_there(Rank rank) const {
  if (!locks_tell_) return true;
  struct flock lock = rank_lock(rank);
  return ::fcntl(file_.number(), F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool SegmentSpace::holds(const void* memory) const {
  const auto* place = static_cast<const std::byte*>(memory);
  return place >= memory_ && place < memory_ + bytes_;
}

Offset SegmentSpace::allocate(Bytes bytes) {
  release_retired();
  const Bytes length = rounded(std::max<Bytes>(bytes, 1), bytes < page ? 64 : page);
  for (auto entry = free_.begin(); entry != free_.end(); ++entry) {
    const auto [first, room] = *entry;
    const auto start = static_cast<Offset>(rounded(static_cast<Bytes>(first), length < page ? 64 : page));
    const Bytes skipped = static_cast<Bytes>(start - first);
    if (room < skipped + length) continue;
    free_.erase(entry);
    if (skipped > 0) free_[first] = skipped;
    if (room > skipped + length) free_[start + static_cast<Offset>(length)] = room - skipped - length;
    taken_[start] = length;
    return start;
  }
  throw std::bad_alloc();
}

void SegmentSpace::release(Offset offset) {
  const auto entry = taken_.find(offset);
  if (entry == taken_.end()) return;
  Bytes length = entry->second;
  taken_.erase(entry);
  if (length >= large_block)
    ::fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(length));
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + static_cast<Offset>(length) == next->first) {
    length += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + static_cast<Offset>(before->second) == offset) {
      before->second += length;
      return;
    }
  }
  free_[offset] = length;
}

void SegmentSpace::read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) {
  std::array<iovec, most_pieces> here;
  std::size_t bytes = 0, first = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    here[i] = {targets[i].place, targets[i].length};
    bytes += targets[i].length;
  }
  iovec there{const_cast<void*>(source), bytes};
  while (there.iov_len > 0) {
    const ssize_t count = ::process_vm_readv(processes_[peer], &here[first], targets.size() - first, &there, 1, 0);
    if (count <= 0) {
      const int error = errno;
      fail(Error(error == ESRCH ? ErrorCode::peer_lost : ErrorCode::transport,
                 fmt::format("the memory of rank {} cannot be read: {}", shown(peer), std::strerror(error))));
    }
    const std::size_t read = index(count);  // the kernel stops after 2 GiB
    there = {static_cast<std::byte*>(there.iov_base) + read, there.iov_len - read};
    for (std::size_t left = read; left > 0;) {
      const std::size_t part = std::min(left, here[first].iov_len);
      here[first] = {static_cast<std::byte*>(here[first].iov_base) + part, here[first].iov_len - part};
      left -= part;
      if (here[first].iov_len == 0) ++first;
    }
  }
}

}  // namespace quadrille
