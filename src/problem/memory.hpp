// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process may use. All other files get these figures from here.
#pragma once

#include <filesystem>
#include <optional>

#include "quadrille/types.hpp"

namespace quadrille {

// Returns how many bytes this process and its children may use: the memory of the machine, or the limit of the process's control
// group (containers, batch jobs) if this limit is lower.
Bytes usable_memory();

// Returns how many bytes this process can still allocate: the least of usable_memory(), free memory and free address space (ulimit
// -v).
Bytes available_memory();

// Returns the lowest memory limit among the control groups that the file `membership` lists and their ancestors; nothing if none
// has a limit. Reads versions 1 and 2, mounted at `root`.
std::optional<Bytes> control_group_limit(const std::filesystem::path& membership = "/proc/self/cgroup",
                                         const std::filesystem::path& root = "/sys/fs/cgroup");

// Returns how many bytes of address space this process can still map, or nothing if there is no limit (ulimit -v).
std::optional<Bytes> free_addresses();

}  // namespace quadrille
