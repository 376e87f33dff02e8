// SPDX-License-Identifier: BSD-3-Clause
// Schedules that are kept because the verifier once judged them wrongly, or might:
// tests/verify/documents/RULE.WHAT.json (or .sched) breaks the rule, and right.WHAT.sched breaks none.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "quadrille/document.hpp"
#include "quadrille/verify.hpp"
#include "support/trials.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Documents, BreakTheRulesInTheirNames) {
  std::set<std::string> kinds;
  for (const auto& entry : std::filesystem::directory_iterator(QUADRILLE_SOURCE_DIR "/tests/verify/documents")) {
    const std::string file = entry.path().filename(), kind = file.substr(0, file.find('.'));
    SCOPED_TRACE(file);
    kinds.insert(kind);
    std::ifstream stream(entry.path());
    const Schedule schedule = parse_documents(std::string{std::istreambuf_iterator<char>(stream), {}}).at(0);
    std::set<std::string_view> rules;
    for (const Finding& finding : verify(schedule)) rules.insert(name(finding.rule));
    if (kind != "right") EXPECT_EQ(rules, std::set<std::string_view>{kind}) << "only this rule, and none that follows from it";
    if (kind != "right" && kind != "element-torn") continue;
    const bool right = kind == "right";
    if (right) EXPECT_TRUE(rules.empty()) << *rules.begin();
    const Trial trial = trial_of_shares(schedule.problem);
    EXPECT_EQ(wrong_in_interpreter(schedule, trial).empty(), right);
    for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
      EXPECT_EQ(wrong_on_threads(schedule, trial, policy, 2).empty(), right);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"element-cut", "element-torn", "no-operator", "repeated-message", "right"}));
}

}  // namespace
}  // namespace quadrille
