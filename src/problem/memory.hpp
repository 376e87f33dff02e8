// SPDX-License-Identifier: BSD-3-Clause
// How much memory there is: the one source of these figures.
#pragma once

#include <filesystem>
#include <optional>

#include "quadrille/types.hpp"

namespace quadrille {

// What this process and its children may use: the machine's memory, or less where a control group limits it (containers, batch
// jobs).
Bytes usable_memory();

// What this process can still take: of usable_memory(), of what is free, and of its addresses (ulimit -v).
Bytes available_memory();

// The least limit of the control groups that `membership` names, and of those that they are in; versions 1 and 2, mounted at
// `root`.
std::optional<Bytes> control_group_limit(const std::filesystem::path& membership = "/proc/self/cgroup",
                                         const std::filesystem::path& root = "/sys/fs/cgroup");

// How many addresses this process can still take, where their number is limited (ulimit -v).
std::optional<Bytes> free_addresses();

}  // namespace quadrille
