// SPDX-License-Identifier: BSD-3-Clause
#include "problem/limits.hpp"

#include <sys/resource.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();
constexpr Bytes always_there = Bytes{1} << 26;  // memory that is not worth asking for

[[noreturn]] void refuse(const Problem& problem, const std::string& needs) {
  throw Error(ErrorCode::too_large, fmt::format("{} among {} ranks takes {}; take fewer ranks or segments",
                                                name(problem.collective), problem.ranks, needs));
}

std::string mebibytes(Bytes bytes) { return fmt::format("{} MiB", ceil_divide(bytes, Bytes{1} << 20)); }

// The KiB of a line such as "VmSize:   12345 kB".
Bytes kernel_figure(const char* file, std::string_view key, Bytes otherwise) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key)) return std::atoll(line.c_str() + key.size());
  return otherwise;
}

}  // namespace

void check_limit(const Problem& problem, Count needed, Count most, std::string_view things) {
  if (needed <= most) return;
  const std::string number = needed == largest ? "2^63 or more" : std::to_string(needed);
  refuse(problem, fmt::format("at least {} {}; the limit is {}", number, things, most));
}

void check_memory(const Problem& problem, Bytes needed, std::string_view things) {
  if (needed <= always_there) return;
  const Bytes available = available_memory();
  if (needed > available)
    refuse(problem,
           fmt::format("about {} of memory for its {}, and there are {}", mebibytes(needed), things, mebibytes(available)));
}

Bytes available_memory() {
  const Bytes of_machine = kernel_figure("/proc/meminfo", "MemAvailable:", largest / 1024) * 1024;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return of_machine;
  const Bytes used = kernel_figure("/proc/self/status", "VmSize:", 0) * 1024;
  return std::min(of_machine, std::max<Bytes>(0, static_cast<Bytes>(limit.rlim_cur) - used));
}

}  // namespace quadrille
