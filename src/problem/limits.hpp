// SPDX-License-Identifier: BSD-3-Clause
// Refuses problems that are too large, before memory of their size is allocated, and tells how much memory this process may use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quadrille/problem.hpp"

namespace quadrille {

// The inputs of all ranks together must have fewer bytes than `data_limit`, and so must their outputs. The limit is less than
// half of the largest number, so that the bytes of two buffers can be added.
inline constexpr Bytes data_limit = Bytes{1} << 62;

// The most shares, or nodes of ranks, that one problem may list.
inline constexpr Count most_listed = Count{1} << 24;

// Throws Error{too_large} if `needed` is more than `most`: "alltoall among 10 ranks takes at least 100 <things>; the limit is
// ..", and then what the user can do.
void check_limit(const Problem& problem, Count needed, Count most, std::string_view things);

// The same for memory: throws Error{too_large} if `needed` is more than available_memory().
void check_memory(const Problem& problem, Bytes needed, std::string_view things);

// Returns how many bytes this process and its children may use: the memory of the machine, or the limit of the process's control
// group (containers, batch jobs) if this limit is lower.
Bytes usable_memory();

// Returns how many bytes this process can still allocate: the least of usable_memory(), free memory and free address space (ulimit
// -v).
Bytes available_memory();

// Returns the lowest memory limit of the control groups that the file `membership` lists, and of their ancestors; nothing if no
// group has a limit. Reads versions 1 and 2, mounted at `root`.
std::optional<Bytes> control_group_limit(const std::string& membership = "/proc/self/cgroup",
                                         const std::string& root = "/sys/fs/cgroup");

// The same for processor time: how many cores' worth of it the groups may use.
std::optional<double> control_group_cores(const std::string& membership = "/proc/self/cgroup",
                                          const std::string& root = "/sys/fs/cgroup");

// Returns how many bytes of address space this process can still map, or nothing if there is no limit (ulimit -v).
std::optional<Bytes> free_addresses();

}  // namespace quadrille
