// SPDX-License-Identifier: BSD-3-Clause
// What results of measurements say about their run: the build type of this command, the machine that this process runs
// on, as hwloc sees it, and when and by which command something was measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/types.hpp"
#include "support/text.hpp"

namespace quadrille::command {

inline constexpr std::string_view build_type = *QUADRILLE_BUILD_TYPE ? QUADRILLE_BUILD_TYPE : "plain";
#if defined(__clang__)
inline constexpr std::string_view compiler = "Clang " __clang_version__;
#else
inline constexpr std::string_view compiler = "GCC " __VERSION__;
#endif

struct Cache {
  int level = 0;
  Bytes bytes = 0;
  int count = 0;
};

struct Machine {
  std::string model;  // the model of the processor; empty if unknown
  int packages = 0, cores = 0, threads = 0;
  Bytes memory_bytes = 0;     // memory that this process may use
  std::vector<Cache> caches;  // data and unified caches, innermost first
};

Machine this_machine();
std::string to_string(const Machine& machine);  // one line
Json to_json(const Machine& machine);

std::int64_t unix_seconds_now();

// Adds where, when and by which command something was measured: machine, host, start_unix_s, command and version. The command is
// cut after 1,000 letters. All outputs of the command have these facts in the same form.
void add_run_facts(Json& results, const Machine& machine, std::int64_t start_unix_s);

}  // namespace quadrille::command
