// SPDX-License-Identifier: BSD-3-Clause
// Schedules whose programs a test states, and documents that hold one schedule.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "schedule/forms/documents.hpp"

namespace quadrille::testing {

inline Schedule schedule_of(const Problem& problem, std::vector<Program> programs) {
  Schedule schedule{.problem = problem};
  schedule.algorithm = "by hand";
  schedule.program = [programs = std::move(programs)](Rank rank) { return programs[static_cast<std::size_t>(rank)]; };
  return schedule;
}

inline Schedule only_schedule(const std::string& document) {
  const std::vector<Schedule> schedules = parse_documents(document);
  EXPECT_EQ(schedules.size(), 1u);
  return schedules.at(0);
}

}  // namespace quadrille::testing
