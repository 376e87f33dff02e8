// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/peer_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "execute/shared/memory/process_state.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Bytes most_bytes = Bytes{1} << 47;

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

// Is this a shared file of that kind and process? Checks the seals first, because only the size of a sealed file cannot change
// after it was compared with the title. Stores the size in `bytes`.
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

PeerFile::PeerFile(std::string path, FileKind kind, std::uint64_t process, ino_t inode)
    : path_(std::move(path)), kind_(kind), process_(process), inode_(inode) {
  map_of(open(path_), 0);
  if (const auto state = process_state(directory())) started_ = state->started;
}

// A forked child does not have these mappings, and may have others at their addresses.
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

// Returns a path by which the file can be opened, through any thread of the process. /proc/PID/fd belongs to the main thread: once
// that has ended it is empty or hidden, while other threads still have the file.
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
