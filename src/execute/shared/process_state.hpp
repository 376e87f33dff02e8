// SPDX-License-Identifier: BSD-3-Clause
// What /proc says of a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quadrille {

struct ProcessState {
  std::uint64_t started;  // clock ticks since boot
  bool runs;              // a thread of it has not ended; one that has ended may stay in /proc until its parent has heard of it
};

// `directory`: /proc/PID. None if there is no such process, or /proc does not tell.
std::optional<ProcessState> process_state(const std::string& directory);

// The directories of its threads: /proc/PID/task/TID. What /proc/PID itself shows is the main thread's, and that may have ended
// (pthread_exit) while others go on.
std::vector<std::string> directories_of_threads(const std::string& directory);

}  // namespace quadrille
