// SPDX-License-Identifier: BSD-3-Clause
// How far this process can share memory with others, and what its plans may take.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "quadrille/types.hpp"

namespace quadrille::command {

struct Sharing {
  std::string why_not;  // empty: it can
  // Processes share memory if both are the same.
  std::uint64_t machine = 0, pid_namespace = 0;
  Bytes heap_bytes = 0, control_bytes = 0;   // at most
  Bytes mapped_bytes = 0;                    // of these, so far
  std::optional<Bytes> address_limit_bytes;  // ulimit -v; none: there is no limit
  Bytes free_address_bytes = 0;              // where there is
  std::optional<bool> reads_private_memory;  // do processes of one parent, as ranks are, read each other's? none: not known
  std::optional<int> ptrace_scope;           // kernel.yama.ptrace_scope, which may forbid that
  Bytes plan_memory_bytes = 0;               // at a rank; QUADRILLE_PLAN_MEMORY
};

// Throws Error{environment} if QUADRILLE_PLAN_MEMORY is no size. For a process with one thread: it forks.
Sharing sharing_of_this_process();
std::string to_string(const Sharing& sharing);  // lines
nlohmann::ordered_json to_json(const Sharing& sharing);

}  // namespace quadrille::command
