// SPDX-License-Identifier: BSD-3-Clause
// What /proc says of a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace quadrille {

struct ProcessState {
  std::uint64_t started;  // clock ticks since boot
  bool runs;              // it has not ended; one that has may stay in /proc until its parent has heard of it
};

// `directory`: /proc/PID. None if there is no such process, or /proc does not tell.
std::optional<ProcessState> process_state(const std::string& directory);

}  // namespace quadrille
