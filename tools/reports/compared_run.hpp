// SPDX-License-Identifier: BSD-3-Clause
// A run of a program, read from a recording or from a report in JSON, for comparing it with another run. Times are in seconds, and
// means of the ranks.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille::command {

// Parts of a run's time, which add up to the whole. `late`: ranks wait for others that enter a collective later. `collectives`: the
// rest of the time in collectives, if each call took as long as is usual for its kind. `irregular`: what is left of this rest.
enum class RunPart { collectives, irregular, late, computing, away, messages, making };
inline constexpr std::size_t run_parts = 7;
std::string_view name(RunPart part);

// Function with its operator, size of a block, and name and size of the communicators, as words.
using CallKey = std::tuple<std::string, std::string, std::string>;

struct ComparedCalls {
  std::optional<Collective> collective;
  double calls = 0;               // of a rank
  double late_s = 0;              // time of waiting for late ranks; 0 where it is not known
  double usual_s = 0;             // of a call, without waiting for late ranks: its median, or in reports its mean
  std::vector<double> samples_s;  // usual_s in consecutive parts of the run; empty in reports
  std::string algorithm;          // what ran them; empty: not known
};

struct ComparedRun {
  std::string place, program, mpi;
  Count ranks = 0, hosts = 0;
  bool is_recording = false;
  std::vector<std::string> settings;
  double seconds = 0;
  std::array<double, run_parts> parts{};
  std::map<CallKey, ComparedCalls> calls;
};

// Is this the folder of a recording, a report in JSON, or a folder with several of either?
bool is_of_runs(const std::string& place);

// Reads all runs at a place, in the order of their names. Throws Error{environment, malformed}.
std::vector<ComparedRun> read_runs(const std::string& place);

}  // namespace quadrille::command
