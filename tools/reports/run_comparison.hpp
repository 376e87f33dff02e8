// SPDX-License-Identifier: BSD-3-Clause
// What changed between two runs of a program: which calls, by how much, why, and what to set.
#pragma once

#include <string>

#include "support/text.hpp"

namespace quadrille::command {

struct RunComparison {
  std::string text;
  Json json;
  double slowest = 0;  // the greatest lower end of an interval of B / A of any calls
};

// A and B are places of runs (compared_run.hpp). Refuses runs that cannot be compared.
RunComparison compared_runs(const std::string& a, const std::string& b);

}  // namespace quadrille::command
