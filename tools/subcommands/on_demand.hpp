// SPDX-License-Identifier: BSD-3-Clause
// The subcommands that are built on demand, as a program of their own (tools/on_demand), because they take long to compile. Their
// options and help are part of the command, which starts that program to run them.
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

// Each returns the exit code. The command starts the program on demand, the same words again, and does not return.
int run_audit(const AuditArguments& options);
int run_reproduce(const ReproduceArguments& options);
int run_project(const ProjectArguments& options);

}  // namespace quadrille::command
