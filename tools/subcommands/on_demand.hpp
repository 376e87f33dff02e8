// SPDX-License-Identifier: BSD-3-Clause
// Subcommands that take long to compile. The command has their options and their help. A second program, tools/on_demand, runs
// them; the command starts it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quadrille::command {

struct AuditArguments {
  std::vector<std::string> collectives;
  std::optional<std::string> ranks, block, operation, type, side, repetitions, time, seed, tolerance, timeout, output;
  bool list = false, strict = false, json = false;
};

struct ReproduceArguments {
  std::vector<std::string> ids;
  std::optional<std::string> folder;
  bool list = false, json = false, markdown = false;
};

struct ProjectArguments {
  std::string folder = "quadrille-recording";
  std::optional<std::string> machine, node_sizes, placement, scale, vendor, computing, away, total_cores, plot, trace, trace_window,
      goal, goal_side, output;
  std::vector<std::string> chosen;
  bool without_late_ranks = false, without_correction = false, full = false, json = false;
};

// Each returns the exit code. In the command they become the second program, with the same words, and do not return.
int run_audit(const AuditArguments& options);
int run_reproduce(const ReproduceArguments& options);
int run_project(const ProjectArguments& options);

}  // namespace quadrille::command
