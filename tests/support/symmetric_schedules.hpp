// SPDX-License-Identifier: BSD-3-Clause
// Schedules that state a symmetry, and the rules that findings name.
#pragma once

#include <gtest/gtest.h>

#include <set>

#include "problem/collective_facts.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille::testing {

inline std::set<Rule> rules_of(const std::vector<Finding>& findings) {
  std::set<Rule> rules;
  for (const Finding& finding : findings) rules.insert(finding.rule);
  return rules;
}

// Calls visit for all algorithms that state a symmetry with which the verifier replays only some of the ranks.
template <class Visit>
void for_each_symmetric(Count p, Bytes block, Visit&& visit) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Problem& problem : problems_of(*algorithm, p, block))
      for (const Choice& choice : all_choices(*algorithm, problem, 3)) {
        const Schedule schedule = make_schedule(problem, choice);
        Coverage coverage;
        if (!schedule.symmetry || schedule.problem.reproducible || !schedule.problem.commutative) continue;
        if (!all_depend_on_all(problem.collective)) continue;  // then a symmetry serves for counting and pricing only
        EXPECT_TRUE(verify(schedule, {}, &coverage).empty());
        EXPECT_EQ(coverage.symmetry, schedule.symmetry->name()) << specification(schedule);
        if (coverage.replayed == p) continue;
        SCOPED_TRACE(specification(schedule) + " of " + std::string(name(problem.collective)));
        visit(schedule);
        if (::testing::Test::HasFailure()) return;
      }
}

}  // namespace quadrille::testing
