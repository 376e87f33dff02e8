// SPDX-License-Identifier: BSD-3-Clause
#include "recording/rank_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "quadrille/error.hpp"

namespace quadrille::recording {

void fail_to_make(const RankFileWords& words, const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::environment, fmt::format("{} '{}' cannot be made: {}", words.it, path, reason));
}

namespace {

void remove_older(const RankFileWords& words, const std::string& path, std::string_view magic) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;  // no such file; any other error shows when the file is made
  const Descriptor file(S_ISREG(status.st_mode) ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1);
  std::string begin(magic.size(), '\0');
  const bool is_ours = file.number() >= 0 &&
                       ::read(file.number(), begin.data(), begin.size()) == static_cast<ssize_t>(begin.size()) && begin == magic;
  if (!is_ours && status.st_size > 0) fail_to_make(words, path, fmt::format("a file of that name exists and {}", words.no_one));
  if (is_being_written(file.number()))
    fail_to_make(words, path, fmt::format("a run that has not ended yet writes it; {}", words.other));
  if (::unlink(path.c_str()) != 0) fail_to_make(words, path, std::strerror(errno));
}

}  // namespace

Descriptor new_rank_file(const RankFileWords& words, const std::string& path, std::string_view magic) {
  remove_older(words, path, magic);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.number() < 0) fail_to_make(words, path, std::strerror(errno));
  lock_while_alive(file.number());
  return file;
}

std::uint64_t longest_file() noexcept {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

bool reserve(const Descriptor& file, std::uint64_t from, std::uint64_t bytes) noexcept {
  if (from + bytes > longest_file()) return false;
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(file.number(), static_cast<off_t>(from), static_cast<off_t>(bytes));
  return error == 0;
}

void* mapped(const Descriptor& file, std::uint64_t from, std::uint64_t bytes, int more_flags) noexcept {
  const int flags = file.number() < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | more_flags, file.number(), static_cast<off_t>(from));
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace quadrille::recording
