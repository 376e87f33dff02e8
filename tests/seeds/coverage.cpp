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
  std::string found, first;  // the innermost function that is not the C++ library's
  for_each_line(
      fmt::format("addr2line -Cfspi -e '{}' {:#x} 2>/dev/null", own_path(), in_file(place) - 1), [&](std::string_view line) {
        line = line.substr(0, line.find_last_not_of('\n') + 1);
        constexpr std::string_view inlined = " (inlined by) ";
        if (line.starts_with(inlined)) line.remove_prefix(inlined.size());
        if (first.empty()) first = line;
        if (found.empty() && line.find("quadrille::") != std::string_view::npos && line.find("quadrille::") < line.find("std::"))
          found = line;
      });
  if (!found.empty()) return found;
  return first.empty() ? fmt::format("{:#x}", in_file(place)) : first;
}

std::string coverage() {
  std::map<std::uintptr_t, std::string> calls;  // by return address: what is called
  std::uintptr_t last = 0;
  std::string what;
  for_each_line(fmt::format("objdump -d --no-show-raw-insn '{}'", own_path()), [&](std::string_view line) {
    const auto colon = line.find(":\t");
    if (colon == std::string_view::npos) return;
    const auto address = static_cast<std::uintptr_t>(std::stoull(std::string(line.substr(0, colon)), nullptr, 16));
    if (last != 0) calls.emplace(address, what);
    last = 0;
    const auto call = line.find("<__tsan_atomic");
    if (line.find("call") == std::string_view::npos || call == std::string_view::npos) return;
    last = address, what = std::string(line.substr(call + 1, line.find('>', call) - call - 1));
  });
  std::size_t count = 0;
  std::string missed;
  std::unordered_set<std::uintptr_t> seen;
  for (const void* place : reached()) seen.insert(in_file(place));
  for (const auto& [place, name] : calls) {
    if (seen.contains(place))
      ++count;
    else
      missed +=
          fmt::format("  not reached: {} {}\n", name,
                      shown_place(reinterpret_cast<const void*>(place + reinterpret_cast<std::uintptr_t>(&__executable_start))));
  }
  return fmt::format("{}{} of {} protocol points reached ({:.0f} %)\n", missed, count, calls.size(),
                     calls.empty() ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(calls.size()));
}

}  // namespace quadrille::seeds
