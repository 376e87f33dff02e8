// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/call_checks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "foundation/system/files.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t communicators = 1024, calls = 64, probes = 8;

// An entry: number of the call (24 bits), element (8 bits), hash of the call (32 bits). 0: none.
constexpr std::uint64_t number_mask = (1 << 24) - 1;
constexpr std::uint64_t number_of(std::uint64_t entry) { return entry >> 40; }
constexpr std::uint64_t element_of(std::uint64_t entry) { return entry >> 32 & 0xFF; }

}  // namespace

// All zeros at first.
struct CallChecks::Table {
  std::uint64_t keys[communicators];  // of the communicators; 0: free
  std::uint64_t entries[communicators][calls];
};

CallChecks::CallChecks(const std::string& path) {
  struct stat status {};
  constexpr std::time_t oldest_s = 60;  // an older table is of a run that was killed
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_ctim.tv_sec + oldest_s < ::time(nullptr))
    ::unlink(path.c_str());
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  void* memory = MAP_FAILED;
  int error = file.number() < 0 ? errno : ::posix_fallocate(file.number(), 0, sizeof(Table));
  if (error == 0) {
    memory = ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    error = errno;
  }
  if (memory == MAP_FAILED)
    throw Error(ErrorCode::environment, fmt::format("the table '{}' of calls cannot be made: {}", path, std::strerror(error)));
  table_ = static_cast<Table*>(memory);
}

CallChecks::~CallChecks() { ::munmap(table_, sizeof(Table)); }

// Finds or takes the communicator's place in the table; returns `communicators` if there is none.
std::size_t CallChecks::place_of(std::uint64_t communicator) noexcept {
  std::size_t place = communicator % communicators;
  for (std::size_t probe = 0; probe < probes; ++probe, place = (place + 1) % communicators) {
    std::atomic_ref key(table_->keys[place]);
    std::uint64_t its = key.load(std::memory_order_relaxed);
    if (its == 0) key.compare_exchange_strong(its, communicator, std::memory_order_relaxed);
    if (its == communicator || its == 0) return place;
  }
  return communicators;
}

bool CallChecks::agrees(std::uint64_t communicator, std::uint64_t number, std::uint32_t call, std::uint8_t element) noexcept {
  const std::size_t place = place_of(communicator);
  if (place == communicators) return true;
  const std::uint64_t mine = (number & number_mask) << 40 | std::uint64_t{element} << 32 | call;
  std::atomic_ref entry(table_->entries[place][number % calls]);
  std::uint64_t its = entry.load(std::memory_order_relaxed);
  while (number_of(its) != number_of(mine) || its == 0) {
    const bool is_behind = its != 0 && ((number_of(its) - number_of(mine)) & number_mask) < number_mask / 2;
    if (is_behind || entry.compare_exchange_weak(its, mine, std::memory_order_relaxed)) return true;
  }
  const bool has_element = element == 0 || element_of(its) == 0 || element_of(its) == element;
  return has_element && static_cast<std::uint32_t>(its) == call;
}

}  // namespace quadrille::mpi_face
