// SPDX-License-Identifier: BSD-3-Clause
// Tests the verifier with random changes of schedules. A schedule without findings must give the right result on
// threads and in the interpreter, under every policy and with every operator of its kind, including operators whose
// results show how operands were combined. A schedule that the verifier refuses because of its result must give a
// wrong result.
//
// To run more cases with another seed: QUADRILLE_MUTANTS=100000 QUADRILLE_SEED=7 quadrille_tests
// --gtest_filter='RandomMutation.*'
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <sstream>

#include "quadrille/document.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/environment.hpp"
#include "support/last_words.hpp"
#include "support/trials.hpp"
#include "verify/drawn_schedule.hpp"
#include "verify/mutants.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

std::string text_of(const Schedule& schedule) {
  std::ostringstream text;
  write_text(text, schedule);
  return text.str();
}

struct Tally {
  std::uint64_t accepted = 0, refused = 0, refused_though_right = 0;
  std::map<Rule, std::uint64_t> refused_by, right_by;  // by the rules that were found
};

std::ostream& operator<<(std::ostream& out, const Tally& tally) {
  out << tally.accepted << " accepted, " << tally.refused << " refused, of which " << tally.refused_though_right
      << " left the right data:";
  for (const auto& [rule, count] : tally.refused_by) {
    const auto right = tally.right_by.find(rule);
    out << ' ' << name(rule) << ' ' << count << " (" << (right == tally.right_by.end() ? 0 : right->second) << ')';
  }
  return out;
}

void look_at(const Schedule& schedule, std::mt19937_64& random, Tally& tally) {
  std::vector<Trial> trials{trial_of_shares(schedule.problem), trial_of_built_in(schedule.problem, random())};
  std::erase_if(trials, [](const Trial& trial) { return !trial.data; });
  ASSERT_FALSE(trials.empty());
  const std::vector<Finding> findings = verify(schedule);
  const FaultCauses causes = causes_of(schedule, findings);
  std::size_t grouped = 0;
  for (const FaultCause& cause : causes.causes) grouped += cause.findings.size();
  ASSERT_EQ(grouped, causes.note.empty() ? findings.size() : 0u) << causes.note;
  if (findings.empty()) {
    ++tally.accepted;
    for (const Trial& trial : trials) {
      ASSERT_EQ(wrong_in_interpreter(schedule, trial), "") << (trial.operation ? trial.operation->name : "");
      const Policy policies[] = {Policy::blocking, Policy::nonblocking, Policy::dataflow};
      ASSERT_EQ(wrong_on_threads(schedule, trial, policies[random() % 3], 1 + static_cast<int>(random() % 2)), "")
          << (trial.operation ? trial.operation->name + " of " + trial.operation->type : "");
    }
    return;
  }
  ++tally.refused;
  std::set<Rule> rules;
  for (const Finding& finding : findings) rules.insert(finding.rule);
  for (const Rule rule : rules) ++tally.refused_by[rule];
  for (const Trial& trial : trials)
    if (!wrong_in_interpreter(schedule, trial).empty()) return;
  ++tally.refused_though_right;
  for (const Rule rule : rules) ++tally.right_by[rule];
  for (const Rule rule : {Rule::delivery, Rule::operand_order})
    EXPECT_FALSE(rules.contains(rule)) << to_string(findings.front()) << ": but the data is right";
}

constexpr unsigned most_seconds_a_case = 60;  // ranks in a deadlock would wait forever

TEST(RandomMutation, SchedulesWithoutFindingsGiveRightResults) {
  const std::uint64_t mutants = number_in_environment("QUADRILLE_MUTANTS", sanitized ? 100 : 600);
  const std::uint64_t seed = number_in_environment("QUADRILLE_SEED", 20261122);
  Tally tally;
  LastWords last_words;
  for (std::uint64_t i = 0; i < mutants; ++i) {
    std::mt19937_64 random(seed + i);
    const Schedule schedule = drawn_schedule(random);
    Mutator mutator(schedule, random());
    std::string changes;
    for (Count count = 1 + mutator.below(2); count > 0; --count) changes += (changes.empty() ? "" : ", ") + mutator.mutate();
    last_words.text = "QUADRILLE_SEED=" + std::to_string(seed + i) + " QUADRILLE_MUTANTS=1, changes: " + changes + "\n" +
                      text_of(mutator.mutant()) + "\n";
    ::alarm(most_seconds_a_case);
    look_at(mutator.mutant(), random, tally);
    if (HasFailure()) FAIL() << last_words.text;
    if (i % 10000 == 9999) std::cout << i + 1 << " mutants, seed " << seed << ": " << tally << std::endl;
  }
  ::alarm(0);
  std::ostringstream text;
  text << tally;
  RecordProperty("mutants", text.str());
  if (mutants < 500) return;
  EXPECT_GT(tally.accepted, mutants / 10) << tally;
  EXPECT_GT(tally.refused_by[Rule::element_torn], mutants / 20) << tally;
  EXPECT_GT(tally.refused_by[Rule::element_cut], mutants / 50) << tally;
  EXPECT_GT(tally.refused_by[Rule::operand_order], mutants / 100) << tally;
}

}  // namespace
}  // namespace quadrille
