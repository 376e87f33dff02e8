// SPDX-License-Identifier: BSD-3-Clause
// What `quadrille doctor` looks at on this machine. Each function returns a line of its output. Tests call the functions with
// files that imitate the system's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "support/text.hpp"

namespace quadrille::command {

struct CheckupLine {
  std::string subject, value;
  std::string advice = {};     // what is wrong or what to do, in one sentence; empty: all is well
  bool is_in_the_way = false;  // the drop-in runs no program until the user follows the advice
  Json figures = Json::object();
};

// How many cores this process may use.
int allowed_cores();

CheckupLine check_memory();  // which processes can share
CheckupLine check_heap();

// Whether sibling processes may read each other's private memory, as ranks do. It forks, so call it while the process has one
// thread.
CheckupLine check_tracing();
CheckupLine check_tracing(std::optional<bool> is_allowed, int scope);  // `scope`: kernel.yama.ptrace_scope, which may forbid it

// The folder in which MPI libraries keep the memory of their messages. `cores`: as many ranks may run here.
CheckupLine check_shared_folder(const std::filesystem::path& folder, int cores);

CheckupLine check_control_groups(int cores, const std::string& membership = "/proc/self/cgroup",
                                 const std::string& root = "/sys/fs/cgroup");
CheckupLine check_cores(int cores);
CheckupLine check_hwloc();
CheckupLine check_wisdom();

}  // namespace quadrille::command
