// SPDX-License-Identifier: BSD-3-Clause
#include "problem/limits.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();
constexpr Bytes always_there = Bytes{1} << 26;  // memory up to this size is granted without asking the system

[[noreturn]] void refuse(const Problem& problem, const std::string& needs) {
  throw Error(ErrorCode::too_large, fmt::format("{} among {} takes {}; ask for a smaller problem", name(problem.collective),
                                                counted(problem.ranks, "rank"), needs));
}

std::string mebibytes(Bytes bytes) { return fmt::format("{} MiB", ceil_divide(bytes, Bytes{1} << 20)); }

namespace fs = std::filesystem;

void lower(std::optional<Bytes>& limit, const fs::path& file) {
  std::ifstream in(file);
  if (Bytes bytes = 0; in >> bytes && bytes > 0)
    limit = std::min(limit.value_or(bytes), bytes);  // the file may say "max", or may not exist: then there is no limit
}

struct ControlGroup {
  fs::path folder;
  bool is_unified = false;  // of version 2
};

// The control groups with this controller that the file `membership` lists, and their ancestors.
std::vector<ControlGroup> control_groups(const std::string& controller, const std::string& membership, const fs::path& root) {
  std::vector<ControlGroup> groups;
  std::ifstream in(membership);
  for (std::string line; std::getline(in, line);) {  // version 1: "4:memory:/a/b"; version 2: "0::/a/b"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const bool is_unified = controllers == ",,";
    if (!is_unified && controllers.find(fmt::format(",{},", controller)) == std::string::npos) continue;
    const fs::path mount = is_unified ? root : root / controller;
    // In a container the path may be the host's path, while the mount itself shows the container's group. So the group at the
    // mount itself is read, too.
    for (fs::path group = fs::path(line.substr(second + 1)).relative_path(); !group.empty(); group = group.parent_path())
      groups.push_back({mount / group, is_unified});
    groups.push_back({mount, is_unified});
  }
  return groups;
}

}  // namespace

void check_limit(const Problem& problem, Count needed, Count most, std::string_view things) {
  if (needed <= most) return;
  const std::string number = needed == largest ? "2^63 or more" : fmt::format("at least {}", needed);
  refuse(problem, fmt::format("{} {}; the limit is {}", number, things, most));
}

void check_memory(const Problem& problem, Bytes needed, std::string_view things) {
  if (needed <= always_there) return;
  const Bytes available = available_memory();
  if (needed > available)
    refuse(problem,
           fmt::format("about {} of memory for its {}, and there are {}", mebibytes(needed), things, mebibytes(available)));
}

// Found out once, because reading the files of all control groups takes as long as simulating a small schedule.
Bytes usable_memory() {
  static const Bytes usable = [] {
    struct sysinfo machine {};
    ::sysinfo(&machine);
    const Bytes memory = static_cast<Bytes>(machine.totalram) * static_cast<Bytes>(machine.mem_unit);
    return std::min(memory, control_group_limit().value_or(memory));
  }();
  return usable;
}

Bytes available_memory() {
  Bytes available = usable_memory();
  std::ifstream in("/proc/meminfo");
  for (std::string word; in >> word;)
    if (Bytes kibibytes = 0; word == "MemAvailable:" && in >> kibibytes) {
      available = std::min(available, kibibytes * 1024);
      break;
    }
  return std::min(available, free_addresses().value_or(available));
}

std::optional<Bytes> control_group_limit(const std::string& membership, const std::string& root) {
  std::optional<Bytes> limit;
  for (const ControlGroup& group : control_groups("memory", membership, root))
    lower(limit, group.folder / (group.is_unified ? "memory.max" : "memory.limit_in_bytes"));
  return limit;
}

std::optional<double> control_group_cores(const std::string& membership, const std::string& root) {
  std::optional<double> limit;
  for (const ControlGroup& group : control_groups("cpu", membership, root)) {
    double quota = 0, period = 0;  // microseconds
    std::ifstream first(group.folder / (group.is_unified ? "cpu.max" : "cpu.cfs_quota_us")),
        second(group.folder / "cpu.cfs_period_us");
    if (first >> quota && (group.is_unified ? first : second) >> period && quota > 0 && period > 0)
      limit = std::min(limit.value_or(quota / period), quota / period);
  }
  return limit;
}

std::optional<Bytes> free_addresses() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  std::ifstream in("/proc/self/statm");
  Bytes pages = 0;
  in >> pages;
  return std::max<Bytes>(static_cast<Bytes>(limit.rlim_cur) - pages * ::sysconf(_SC_PAGESIZE), 0);
}

}  // namespace quadrille
