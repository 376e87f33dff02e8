// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/coverage.hpp"

#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_set>
#include <vector>

extern "C" const char __executable_start;  // by the linker

namespace quadrille::seeds {
namespace {

std::unordered_set<const void*>& reached() {
  static std::unordered_set<const void*> all;
  return all;
}

std::uintptr_t in_file(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(&__executable_start);
}

std::string own_path() {
  std::array<char, 4096> path{};
  const auto length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

template <class Line>
void for_each_line(const std::string& command, Line&& line) {
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (!pipe) return;
  std::array<char, 8192> text{};
  while (::fgets(text.data(), static_cast<int>(text.size()), pipe)) line(std::string_view(text.data()));
  ::pclose(pipe);
}

// Returns for each address in the file the place in the source that it belongs to: of the functions that are inlined there, the
// innermost one that is not an atomic type's. It is empty if that is in the C++ library, as the counters of std::shared_ptr are.
std::vector<std::string> places(const std::vector<std::uintptr_t>& addresses) {
  std::string command = fmt::format("addr2line -Cfpi -a -e '{}'", own_path());
  for (const std::uintptr_t each : addresses) command += fmt::format(" {:#x}", each - 1);
  std::vector<std::string> all;
  bool is_found = false;
  for_each_line(command + " 2>/dev/null", [&](std::string_view line) {
    line = line.substr(0, line.find_last_not_of('\n') + 1);
    if (line.starts_with("0x"))
      all.emplace_back(), is_found = false, line.remove_prefix(std::min(line.size(), line.find(": ") + 2));
    constexpr std::string_view inlined = " (inlined by) ", other = " (discriminator";
    if (line.starts_with(inlined)) line.remove_prefix(inlined.size());
    line = line.substr(0, line.find(other));
    const bool is_atomic = line.find("atomic_base.h:") != std::string_view::npos || line.find("/atomic:") != std::string_view::npos;
    if (is_found || is_atomic || all.empty()) return;
    is_found = true;
    const auto file = line.rfind(" at ");
    const bool is_own = line.find(".hpp:", file) != std::string_view::npos || line.find(".cpp:", file) != std::string_view::npos;
    if (is_own) all.back() = line;
  });
  all.resize(addresses.size());
  return all;
}

std::string shortened(std::string place) {
  const auto at = place.rfind(" at "), slash = place.rfind('/');
  if (at != std::string::npos && slash != std::string::npos && slash > at) place.erase(at + 4, slash - at - 3);
  return place;
}

struct Call {
  std::uintptr_t returns;  // its return address
  std::string callee;
};

// Which places of the engine call a function of these words, and which of them were reached.
std::string coverage_of(const std::vector<Call>& all, std::string_view callee, std::string_view what) {
  std::vector<std::uintptr_t> calls;
  for (const Call& each : all)
    if (each.callee.starts_with(callee)) calls.push_back(each.returns);
  std::unordered_set<std::uintptr_t> seen;
  for (const void* place : reached()) seen.insert(in_file(place));
  std::map<std::string, bool> points;
  for (std::size_t first = 0; first < calls.size(); first += 500) {  // a command must not be too long
    const std::vector<std::uintptr_t> some(calls.begin() + static_cast<std::ptrdiff_t>(first),
                                           calls.begin() + static_cast<std::ptrdiff_t>(std::min(first + 500, calls.size())));
    const std::vector<std::string> of_some = places(some);
    for (std::size_t i = 0; i < some.size(); ++i)
      if (of_some[i].find("/src/execute/") != std::string::npos && of_some[i].find('~') == std::string::npos &&  // std::shared_ptr
          of_some[i].find("non-virtual thunk") == std::string::npos)
        points[of_some[i]] = points[of_some[i]] || seen.contains(some[i]);
  }
  std::string text;
  std::size_t count = 0;
  for (const auto& [point, is_reached] : points) {
    count += is_reached;
    if (!is_reached) text += fmt::format("  not reached: {}\n", shortened(point));
  }
  return text + fmt::format("{} of {} {} reached ({:.0f} %)\n", count, points.size(), what,
                            100.0 * static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(points.size(), 1)));
}

}  // namespace

void note_reached(const void* place) {
  static std::array<const void*, 1024> lately{};
  auto& slot = lately[reinterpret_cast<std::uintptr_t>(place) / 2 % lately.size()];
  if (slot == place) return;
  slot = place;
  reached().insert(place);
}

std::string shown_place(const void* place) {
  if (!place) return "";
  const std::string found = places({in_file(place)}).front();
  return found.empty() ? fmt::format("{:#x}", in_file(place)) : shortened(found);
}

std::string coverage() {
  std::vector<Call> calls;
  std::string callee;
  for_each_line(fmt::format("objdump -d --no-show-raw-insn '{}'", own_path()), [&](std::string_view line) {
    const auto colon = line.find(":\t");
    if (colon == std::string_view::npos) return;
    if (!callee.empty())
      calls.push_back({static_cast<std::uintptr_t>(std::stoull(std::string(line.substr(0, colon)), nullptr, 16)), callee});
    const auto name = line.find('<');
    const bool is_call = line.find("call") != std::string_view::npos && name != std::string_view::npos;
    callee = is_call ? std::string(line.substr(name + 1)) : "";
  });
  return coverage_of(calls, "__wrap___cxa_throw", "throws") + coverage_of(calls, "__tsan_atomic", "protocol points");
}

}  // namespace quadrille::seeds
