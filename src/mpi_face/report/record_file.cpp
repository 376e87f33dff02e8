// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/record_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "foundation/system/files.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::environment, fmt::format("the counters '{}' cannot be made: {}", path, reason));
}

void remove_older(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;  // there is no such file; otherwise making the file reports the error
  char magic[sizeof record_magic] = {};
  const Descriptor file(S_ISREG(status.st_mode) ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1);
  const bool is_ours = file.number() >= 0 && ::read(file.number(), magic, sizeof magic) == sizeof magic &&
                       std::memcmp(magic, record_magic, sizeof magic) == 0;
  if (!is_ours && status.st_size > 0) fail(path, "a file of that name exists and is not a file of counters; choose another name");
  if (is_being_written(file.number())) fail(path, "a run that has not ended yet writes it; choose another name for the report");
  if (::unlink(path.c_str()) != 0) fail(path, std::strerror(errno));
}

}  // namespace

Descriptor new_record_file(const std::string& path, std::uint64_t bytes) {
  remove_older(path);
  struct rlimit limit {};
  // Checked first, because exceeding the limit raises a signal.
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
    fail(path, fmt::format("it takes {} bytes, and files may have {} (ulimit -f)", bytes, limit.rlim_cur));
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.number() < 0) fail(path, std::strerror(errno));
  if (::ftruncate(file.number(), static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    fail(path, std::strerror(error));
  }
  lock_while_alive(file.number());
  return file;
}

std::byte* map_record(int descriptor, std::uint64_t bytes, const std::string& path) {
  const int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (memory != MAP_FAILED) return static_cast<std::byte*>(memory);
  const int error = errno;
  if (descriptor < 0)
    throw Error(ErrorCode::environment, fmt::format("memory for counters cannot be allocated: {}", std::strerror(error)));
  ::unlink(path.c_str());
  fail(path, std::strerror(error));
}

void unmap_record(std::byte* memory, std::uint64_t bytes) noexcept { ::munmap(memory, bytes); }

}  // namespace quadrille::mpi_face
