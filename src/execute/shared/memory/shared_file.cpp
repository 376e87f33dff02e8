// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/shared_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <new>
#include <system_error>

#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "foundation/system/proc.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Bytes line = 64;
constexpr Bytes page = 4096;
constexpr Bytes most_bytes = Bytes{1} << 47;   // the largest file of another process that is accepted
constexpr Bytes large_block = Bytes{1} << 20;  // blocks from this size on are returned to the system when they are released
constexpr std::size_t asked_at_once = 8;       // how many retired places one call checks; thousands may be waiting

constexpr Bytes title_bytes = rounded_up(sizeof(FileTitle), line);

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::environment, "memory cannot be shared with other processes: " + why);
}

[[noreturn]] void refuse_call(const char* call) {
  const int error = errno;
  if (error == EPERM || error == EACCES)
    refuse(fmt::format("the system forbids {} ({}); look at the container's seccomp profile and at vm.memfd_noexec", call,
                       std::strerror(error)));
  refuse(fmt::format("{}: {}", call, std::strerror(error)));
}

// The state of one thread. If `directory` is that of a process, returns the state of its main thread.
std::optional<ProcessState> thread_state(const std::string& directory) {
  const auto stat = process_stat(directory);
  if (!stat) return std::nullopt;
  return ProcessState{.started = stat->started, .runs = stat->state != 'Z' && stat->state != 'X'};
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::environment, fmt::format("the memory of another process ({}) cannot be shared: {}", path, why));
}

[[noreturn]] void refuse_reach(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
    case ESRCH: refuse(path, "there is no such process or file; the process may have ended");
    case EACCES:
    case EPERM:
      refuse(path,
             "the system forbids it; the processes must be of the same user, and must not be protected from it (setuid, "
             "PR_SET_DUMPABLE, hidepid)");
    default: refuse(path, std::strerror(error));
  }
}

// Is this a shared file of that kind and process? The seals are checked first: without seals the size could change after it was
// compared with the title. Stores the size in `bytes`.
bool is_sound(const Descriptor& file, FileKind kind, std::uint64_t process, Bytes& bytes) {
  const int seals = ::fcntl(file.number(), F_GET_SEALS);
  FileTitle title{};
  struct stat status {};
  if (seals < 0 || (seals & size_seals) != size_seals || ::fstat(file.number(), &status) != 0 ||
      ::pread(file.number(), &title, sizeof title, 0) != sizeof title)
    return false;
  bytes = status.st_size;
  return std::memcmp(title.magic, FileTitle::word, sizeof title.magic) == 0 && title.version == FileTitle::this_version &&
         title.process == process && title.kind == static_cast<std::uint64_t>(kind) && title.bytes == bytes &&
         bytes >= Extents::first && bytes <= most_bytes && std::has_single_bit(static_cast<std::uint64_t>(bytes));
}

}  // namespace

Descriptor sealed_file(Bytes bytes) {
  Descriptor file(::memfd_create("quadrille", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.number() < 0) refuse_call("memfd_create");
  if (::fchmod(file.number(), S_IRUSR | S_IWUSR) != 0) refuse_call("fchmod");
  if (::ftruncate(file.number(), static_cast<off_t>(bytes)) != 0) refuse_call("ftruncate");
  if (::fcntl(file.number(), F_ADD_SEALS, size_seals | F_SEAL_SEAL) != 0) refuse_call("F_ADD_SEALS");
  return file;
}

Bytes Extents::bytes(const Mapped& mapped) {
  Bytes sum = 0;
  for (std::size_t extent = 0; extent < most; ++extent)
    if (mapped[extent].load(std::memory_order_relaxed)) sum += bytes(extent);
  return sum;
}

void Extents::unmap(const Mapped& mapped) {
  for (std::size_t extent = 0; extent < most; ++extent)
    if (std::byte* memory = mapped[extent].load(std::memory_order_relaxed)) ::munmap(memory, index(bytes(extent)));
}

std::string Extents::why_not_mapped(std::size_t extent, int error) {
  const auto addresses = free_addresses();
  if (error == ENOMEM && addresses && *addresses < bytes(extent))
    return fmt::format(
        "the limit of addresses (ulimit -v) leaves {} KiB, and {} KiB of shared memory must be mapped; raise the limit",
        *addresses / 1024, bytes(extent) / 1024);
  return fmt::format("mmap: {}", std::strerror(error));
}

SharedFile::SharedFile(FileKind kind, std::uint64_t process, Bytes bytes) : bytes_(bytes), file_(sealed_file(bytes)) {
  QUADRILLE_ASSERT(bytes >= Extents::first && std::has_single_bit(static_cast<std::uint64_t>(bytes)));
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) refuse_call("fstat");
  inode_ = status.st_ino;

  add_free(static_cast<Place>(title_bytes), Extents::first - title_bytes);
  for (std::size_t extent = 1; extent < Extents::of(static_cast<Place>(bytes)); ++extent)
    add_free(Extents::begin(extent), Extents::bytes(extent));

  if (!map(0)) refuse(Extents::why_not_mapped(0, errno));
  FileTitle title{};
  std::memcpy(title.magic, FileTitle::word, sizeof title.magic);
  title.version = FileTitle::this_version;
  title.process = process;
  title.kind = static_cast<std::uint64_t>(kind);
  title.bytes = bytes;
  std::memcpy(at(0), &title, sizeof title);
}

SharedFile::~SharedFile() {
  if (mark_.is_in_child())
    file_.release();  // not closed: the child may have closed all descriptors, and the number may now belong to another file
  else
    Extents::unmap(extents_);
}

Bytes SharedFile::taken_bytes() const {
  const std::lock_guard lock(mutex_);
  return taken_bytes_;
}

bool SharedFile::map(std::size_t extent) {
  void* memory = ::mmap(nullptr, index(Extents::bytes(extent)), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.number(),
                        static_cast<off_t>(Extents::begin(extent)));
  if (memory == MAP_FAILED) return false;
  extents_[extent].store(static_cast<std::byte*>(memory), std::memory_order_release);
  return true;
}

void SharedFile::add_free(Place place, Bytes length) {
  if (length == 0) return;
  const auto next = free_.lower_bound(place);  // free pieces do not overlap
  QUADRILLE_ASSERT(length > 0 && (next == free_.end() || place + static_cast<Place>(length) <= next->first));
  QUADRILLE_ASSERT(next == free_.begin() || std::prev(next)->first + static_cast<Place>(std::prev(next)->second) <= place);
  free_.emplace_hint(next, place, length);
  by_length_.emplace(length, place);
}

void SharedFile::remove_free(std::map<Place, Bytes>::iterator piece) {
  by_length_.erase({piece->second, piece->first});
  free_.erase(piece);
}

// Adds a free piece, merged with the free pieces right before and behind it in its extent.
void SharedFile::join_free(Place place, Bytes length) {
  const auto behind = free_.find(place + static_cast<Place>(length));
  if (behind != free_.end() && Extents::of(behind->first) == Extents::of(place)) {
    length += behind->second;
    remove_free(behind);
  }
  const auto next = free_.lower_bound(place);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + static_cast<Place>(before->second) == place && Extents::of(before->first) == Extents::of(place)) {
      place = before->first;
      length += before->second;
      remove_free(before);
    }
  }
  add_free(place, length);
}

// Allocates from the shortest free piece that is long enough (best fit); if several pieces have this length, from the first of
// them in the file. Uses extents that are not mapped only if `map_more`.
std::optional<Place> SharedFile::take(Bytes length, bool map_more) {
  for (auto piece = by_length_.lower_bound({length, 0}); piece != by_length_.end(); ++piece) {
    const auto [room, first] = *piece;
    const Bytes start = rounded_up(static_cast<Bytes>(first), length < page ? line : page);
    const Bytes skipped = start - static_cast<Bytes>(first), left = room - skipped - length;
    const std::size_t extent = Extents::of(first);
    if (left < 0 || (!extents_[extent].load(std::memory_order_relaxed) && !(map_more && map(extent)))) continue;
    const auto place = static_cast<Place>(start);
    QUADRILLE_ASSERT(start + length <= bytes_ && Extents::of(place + static_cast<Place>(length) - 1) == extent);
    remove_free(free_.find(first));
    add_free(first, skipped);
    add_free(place + static_cast<Place>(length), left);
    taken_.emplace(place, length);
    taken_bytes_ += length;
    return place;
  }
  return std::nullopt;
}

Place SharedFile::allocate(Bytes bytes) {
  if (mark_.is_in_child())
    throw Error(ErrorCode::misuse, "a forked process cannot allocate memory that its parent shares with other processes");
  if (bytes > bytes_) throw std::bad_alloc();
  const Bytes length = rounded_up(std::max<Bytes>(bytes, 1), bytes < page ? line : page);
  release_retired();
  {
    const std::lock_guard lock(mutex_);
    if (const auto place = take(length, false)) return *place;
  }
  release_retired(std::numeric_limits<std::size_t>::max());
  const std::lock_guard lock(mutex_);
  if (const auto place = take(length, true)) return *place;
  throw std::bad_alloc();
}

void SharedFile::release(Place place) {
  if (mark_.is_in_child()) return;
  std::unique_lock lock(mutex_);
  const auto entry = taken_.find(place);
  if (entry == taken_.end()) return;
  const Bytes length = entry->second;
  taken_.erase(entry);
  taken_bytes_ -= length;
  if (length >= large_block) {
    lock.unlock();  // punching the hole takes long; the piece is in neither list meanwhile, so no other thread can use it
    ::fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place), static_cast<off_t>(length));
    lock.lock();
  }
  join_free(place, length);
}

void SharedFile::retire(Place place, std::function<bool()> is_over) {
  if (mark_.is_in_child()) return;
  std::list<Retired> one;
  one.push_back({place, std::move(is_over)});
  {
    const std::lock_guard lock(mutex_);
    retired_.splice(retired_.end(), one);
  }
  release_retired();
}

void SharedFile::release_retired() { release_retired(asked_at_once); }

void SharedFile::release_retired(std::size_t most) {
  if (mark_.is_in_child()) return;
  std::list<Retired> over;  // destroyed after the lock is released, because destroying a function may release further memory
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t left = std::min(most, retired_.size()); left > 0; --left) {
      const bool is_over = retired_.front().is_over();
      std::list<Retired>& next = is_over ? over : retired_;
      next.splice(next.end(), retired_, retired_.begin());
    }
  }
  for (const Retired& retired : over) release(retired.place);
}

std::optional<Place> SharedFile::place_of(const void* memory) const {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  for (std::size_t extent = 0; extent < Extents::most; ++extent) {
    const auto begin = reinterpret_cast<std::uintptr_t>(extents_[extent].load(std::memory_order_acquire));
    if (begin != 0 && address - begin < static_cast<std::uintptr_t>(Extents::bytes(extent)))
      return Extents::begin(extent) + (address - begin);
  }
  return std::nullopt;
}

// ---- Files of other processes

std::optional<ProcessState> process_state(const std::string& directory) {
  auto state = thread_state(directory);
  if (!state || state->runs) return state;
  const auto threads = directories_of_threads(directory);
  state->runs = std::any_of(threads.begin(), threads.end(), [](const std::string& each) {
    const auto thread = thread_state(each);
    return thread && thread->runs;
  });
  return state;
}

std::vector<std::string> directories_of_threads(const std::string& directory) {
  std::vector<std::string> threads;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory + "/task", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    threads.push_back(entry->path().string());
  return threads;
}

PeerFile::PeerFile(std::string path, FileKind kind, std::uint64_t process, ino_t inode)
    : path_(std::move(path)), kind_(kind), process_(process), inode_(inode) {
  map_of(open(path_), 0);
  if (const auto state = process_state(directory())) started_ = state->started;
}

// A forked child does not have these mappings, and may have other mappings at their addresses.
PeerFile::~PeerFile() {
  if (!mark_.is_in_child()) Extents::unmap(extents_);
}

Descriptor PeerFile::open(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) refuse_reach(path, errno);
  // Refuses anything but the expected regular file, because opening another kind of file may block (a pipe) or
  // have side effects (a device).
  if (!S_ISREG(status.st_mode) || status.st_ino != inode_) refuse(path, "the file is not the one that its process has described");
  Descriptor file(::open(path.c_str(), (kind_ == FileKind::heap ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) refuse_reach(path, errno);
  Bytes bytes = 0;
  const bool is_right = ::fstat(file.number(), &status) == 0 && status.st_ino == inode_ && is_sound(file, kind_, process_, bytes);
  const bool is_first = bytes_ == 0;
  if (!is_right || (!is_first && (status.st_dev != device_ || bytes != bytes_)))
    refuse(path, "the file is not the one that its process has described, or it is damaged");
  if (is_first) {
    device_ = status.st_dev;
    bytes_ = bytes;
  }
  return file;
}

std::byte* PeerFile::map_of(const Descriptor& file, std::size_t extent) {
  const auto length = index(Extents::bytes(extent));
  const int access = kind_ == FileKind::heap ? PROT_READ : PROT_READ | PROT_WRITE;
  void* memory =
      ::mmap(nullptr, length, access, MAP_SHARED | MAP_NORESERVE, file.number(), static_cast<off_t>(Extents::begin(extent)));
  if (memory == MAP_FAILED) refuse(path_, Extents::why_not_mapped(extent, errno));
  if (::madvise(memory, length, MADV_DONTFORK) != 0) {
    const int error = errno;
    ::munmap(memory, length);
    refuse(path_, fmt::format("madvise (MADV_DONTFORK): {}", std::strerror(error)));
  }
  ::madvise(memory, length, MADV_DONTDUMP);
  extents_[extent].store(static_cast<std::byte*>(memory), std::memory_order_release);
  return static_cast<std::byte*>(memory);
}

std::byte* PeerFile::map(std::size_t extent) {
  if (extent >= Extents::most || static_cast<Bytes>(Extents::begin(extent)) >= bytes_)
    throw Error(ErrorCode::transport, fmt::format("another process ({}) gave a place beyond the end of its shared memory", path_));
  const std::lock_guard lock(mutex_);
  if (std::byte* memory = extents_[extent].load(std::memory_order_relaxed)) return memory;
  try {
    return map_of(open(path_of_any_thread().value_or(path_)), extent);
  } catch (const Error&) {
    if (is_there()) throw;
    throw Error(ErrorCode::peer_lost, fmt::format("another process of the group ({}) has ended", path_));
  }
}

// Returns a path by which the file can be opened, through any thread of the process. /proc/PID/fd belongs to the main thread:
// once that thread has ended, the folder is empty or hidden, while other threads still have the file.
std::optional<std::string> PeerFile::path_of_any_thread() const {
  const auto leads_there = [&](const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && status.st_ino == inode_ && status.st_dev == device_;
  };
  if (leads_there(path_)) return path_;
  const std::string process = directory();
  for (const std::string& thread : directories_of_threads(process))
    if (const std::string path = thread + path_.substr(process.size()); leads_there(path)) return path;
  return std::nullopt;
}

bool PeerFile::is_there() const {
  if (path_of_any_thread()) return true;
  // The kernel hides the descriptors of a process that has become protected (setuid), so look whether the process itself still
  // runs.
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 || errno != EACCES) return false;
  const auto state = process_state(directory());
  return state && state->runs && state->started == started_;
}

}  // namespace quadrille
