// SPDX-License-Identifier: BSD-3-Clause
// Subcommands that take long to compile. The command has their options and their help. To run them, it starts a second program
// (tools/on_demand).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille::command {

inline constexpr Count standard_audit_threads = 8;

struct AuditArguments {
  std::vector<Collective> collectives;
  std::vector<Bytes> sizes{8, 1024, 65536};
  std::optional<Count> ranks;  // threads
  std::optional<std::string> operation, type, side, output;
  int repetitions = 9;
  double seconds = 1, tolerance = 1.05, timeout_seconds = 60;
  std::uint64_t seed = 1;
  bool list = false, strict = false, json = false;
};

struct ReproduceArguments {
  std::vector<std::string> ids;
  std::optional<std::string> folder;
  bool list = false, json = false, markdown = false;
};

struct ProjectArguments {
  std::string folder = "quadrille-recording";
  std::optional<std::string> machine, node_sizes, placement, scale, vendor, plot, trace, trace_window, goal, goal_side, output;
  double computing = 1, away = 1;
  Count total_cores = 0;  // 0: one per rank
  std::vector<std::string> chosen;
  bool without_late_ranks = false, without_correction = false, full = false, json = false;
};

// Each returns the exit code. In the command itself they do not return: the process becomes the second program, with the same
// words.
int run_audit(const AuditArguments& options);
int run_reproduce(const ReproduceArguments& options);
int run_project(const ProjectArguments& options);

}  // namespace quadrille::command
