// SPDX-License-Identifier: BSD-3-Clause
// What several parts read from the system's folders /proc (proc(5)) and /sys. They may not be mounted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace quadrille {

// The fields of /proc/PID/stat, or of a thread's stat, that this library uses.
struct ProcessStat {
  std::string name;
  char state = 0;
  long parent = 0;
  std::uint64_t used = 0;                         // processor time, in clock ticks
  std::uint64_t started = 0;                      // clock ticks since boot
  std::uintptr_t words_begin = 0, words_end = 0;  // addresses of the command line; 0 if another user's process hides them
};

// `directory` is /proc/PID or /proc/PID/task/TID. Returns nothing if there is no such process, or /proc does not show it.
std::optional<ProcessStat> process_stat(const std::string& directory);

// Returns the first `most` bytes of a file, because reading all of /proc/cpuinfo may take long; empty if it cannot be read.
std::string beginning_of(const std::string& file, std::size_t most);

// Returns the text that identifies the running system; empty if /proc does not tell it.
std::string boot_id();

// Returns the words with which this process was started, in one line, cut to `most` bytes and "...".
std::string own_command_line(std::size_t most);

// Returns the name of this machine, at most 63 bytes of it; "unknown" if the system does not tell it.
std::string host_name();

}  // namespace quadrille
