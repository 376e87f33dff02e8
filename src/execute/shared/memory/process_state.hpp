// SPDX-License-Identifier: BSD-3-Clause
// What /proc tells about a process: when it started, and whether it still runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quadrille {

struct ProcessState {
  std::uint64_t started;  // clock ticks since boot
  bool runs;              // at least one thread has not ended; /proc also lists zombies
};

// `directory` is /proc/PID. Returns nothing if there is no such process, or /proc does not show it.
std::optional<ProcessState> process_state(const std::string& directory);

// Returns the directories of a process's threads: /proc/PID/task/TID. They are needed because /proc/PID itself shows the main
// thread, which may have ended (pthread_exit) while other threads run.
std::vector<std::string> directories_of_threads(const std::string& directory);

}  // namespace quadrille
