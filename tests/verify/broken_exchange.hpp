// SPDX-License-Identifier: BSD-3-Clause
// Schedules by hand: a small exchange that is correct, and changes of it.
#pragma once

#include <utility>
#include <vector>

#include "quadrille/program_builder.hpp"
#include "quadrille/verify.hpp"

namespace quadrille::testing {

inline constexpr Buffer in = Buffer::input, out = Buffer::output, tmp = Buffer::scratch;

inline Schedule of(const Problem& problem, std::vector<Program> programs) {
  Schedule schedule;
  schedule.problem = problem;
  schedule.algorithm = "by hand";
  schedule.program = [programs](Rank rank) { return programs.at(static_cast<std::size_t>(rank)); };
  return schedule;
}

// Two ranks that exchange blocks of 4 bytes, correctly.
inline std::vector<Program> exchange() {
  std::vector<Program> programs;
  for (Rank me = 0; me < 2; ++me) {
    const Rank other = 1 - me;
    programs.push_back({me,
                        0,
                        {{"exchange", 0, 1}},
                        {{0,
                          {{LocalKind::copy, {}, {block(in, me, 4)}, {block(out, me, 4)}}},
                          {{other, {block(in, other, 4)}, {}}},
                          {{other, {block(out, other, 4)}, {}}},
                          {},
                          {}}}});
  }
  return programs;
}

inline std::vector<Finding> found(const Schedule& schedule, const VerifyOptions& options = {}) { return verify(schedule, options); }

// Returns the findings of the exchange with one change.
template <class Change>
std::vector<Finding> broken(Change&& change) {
  std::vector<Program> programs = exchange();
  change(programs);
  return found(of(Problem::alltoall(2, 4), programs));
}

}  // namespace quadrille::testing
