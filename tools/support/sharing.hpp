// SPDX-License-Identifier: BSD-3-Clause
// How far this process can share memory with others, and how much memory its plans may take.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "quadrille/types.hpp"

namespace quadrille::command {

struct Sharing {
  std::string why_not;  // why it cannot share memory; empty: it can
  // Two processes can share memory if both numbers agree.
  std::uint64_t machine = 0, pid_namespace = 0;
  Bytes heap_bytes = 0, control_bytes = 0;   // upper limits
  Bytes mapped_bytes = 0;                    // how much of these is mapped so far
  std::optional<Bytes> address_limit_bytes;  // ulimit -v; none: there is no limit
  Bytes free_address_bytes = 0;              // what is left of that limit, if there is one
  // Can sibling processes (ranks are siblings) read each other's private memory? Empty: not known.
  std::optional<bool> reads_private_memory;
  std::optional<int> ptrace_scope;  // kernel.yama.ptrace_scope, a setting that may forbid it
  Bytes plan_memory_bytes = 0;      // per rank; QUADRILLE_PLAN_MEMORY sets it
};

// Finds these facts. Only for a process with one thread, because it forks. Throws Error{environment} if QUADRILLE_PLAN_MEMORY is
// not a size.
Sharing sharing_of_this_process();
std::string to_string(const Sharing& sharing);  // several lines
nlohmann::ordered_json to_json(const Sharing& sharing);

}  // namespace quadrille::command
