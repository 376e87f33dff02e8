// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/step.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <set>

#include "quadrille/candidate.hpp"

namespace quadrille::mpi_face {
namespace {

// One rank alone, to which a test gives the events.
class OneRank : public ::testing::Test {
 protected:
  CallKind& add_kind(Bytes block_bytes) {
    CallKind& kind = kinds_.emplace_back();
    kind.key = {.block_bytes = block_bytes, .function = Function::Allreduce};
    kind.called = "allreduce", kind.synchronises = true, kind.moved = block_bytes;
    kind.number = static_cast<std::uint32_t>(state_.kinds.size());
    state_.kinds.push_back(&kind);
    return kind;
  }
  Action after(Event event = {}) {
    event.now_s = now_s_;
    if (action_.what == Do::send_message) event.message = state_.message;
    const bool gathers = action_.what == Do::add_up || action_.what == Do::share_figures;
    if (action_.what == Do::agree_account || gathers) event.figures = action_.figures;
    return action_ = step(state_, process_, event);
  }
  // Begins a meeting, and goes on as far as to what the first message asks for.
  Action meet() {
    after({.what = Event::What::meeting});
    while (action_.what == Do::send_message || action_.what == Do::agree_account) after();
    return action_;
  }
  Action after_trial(double ratio) {
    Event event;
    event.vendors_s = {1e-5, 1e-5, 1e-5}, event.ours_s = {{ratio * 1e-5, ratio * 1e-5, ratio * 1e-5}};
    return after(event);
  }
  CallKind& kind_in_use() {
    CallKind& kind = add_kind(Bytes{8} << 20);
    state_.group.exists = true;
    kind.mode = CallKind::Mode::ours, kind.calls = 1 << 20, kind.trials.next = 512;
    for (int call = 0; call < 100; ++call) kind.vendor_times.count(10'000);
    return kind;
  }

  // A kind of which earlier runs made 1000 calls that took `vendors_s` each by the MPI library.
  CallKind& kind_with_finding(double ours_s, double vendors_s) {
    CallKind& kind = add_kind(64);
    kind.vendor_times.count(static_cast<std::uint64_t>(1e9 * vendors_s));
    kind.calls = 1;
    CallKind earlier = kind;
    earlier.calls = 1000;
    earlier.mode = ours_s < vendors_s ? CallKind::Mode::ours : CallKind::Mode::vendor;
    if (ours_s < vendors_s) earlier.way = way_;
    earlier.trials.times = {{ours_s}, {vendors_s}};
    Findings findings;
    findings.merge({*found_in(earlier, 2, std::vector<Count>{0, 0})}, day_now());
    state_.ranks = 2;
    state_.wishes = std::make_shared<const Wishes>(parse_wishes(text_of_wishes("", "", findings)));
    return kind;
  }
  void make_group() { state_.group.exists = true, state_.group.nodes = {0, 0}; }
  void end_meeting() {
    while (action_.what != Do::leave) after();
  }
  // Makes calls, and holds meetings, until the trial in place has ended.
  void make_calls(CallKind& kind, double ours_s, double vendors_s) {
    for (int meetings = 0; kind.trial && meetings < 20; ++meetings) {
      while (!kind.trial->is_due()) kind.trial->count(kind.trial->next() == Alternation::vendor ? vendors_s : ours_s);
      after({.what = Event::What::meeting});
      end_meeting();
    }
  }

  DecidingProcess process_;
  State state_;
  std::deque<CallKind> kinds_;
  Action action_;
  double now_s_ = 1000;
  const Way way_{.algorithm = parse_candidate(Collective::allreduce, "recursive-doubling"), .policy = Policy::blocking};
};

TEST_F(OneRank, MakesTheGroupForWhatEarlierRunsFoundAfterOneCall) {
  kind_with_finding(1e-3, 3e-3);
  EXPECT_EQ(meet().what, Do::make_group);
}

TEST_F(OneRank, MakesNoGroupForFindingsThatSaveLessThanItCosts) {
  kind_with_finding(1.999e-3, 2e-3);
  EXPECT_EQ(meet().what, Do::leave);
}

TEST_F(OneRank, WaitsUntilTheAccountAllowsTheGroup) {
  kind_with_finding(1e-3, 3e-3);
  process_.group_cost.measured(0.05, 2);
  now_s_ = 1.9;  // 3 % of it allow 57 ms, but 58 ms must be allowed
  EXPECT_EQ(meet().what, Do::leave);
  now_s_ = 2.2;
  EXPECT_EQ(meet().what, Do::make_group);
}

TEST_F(OneRank, MaySpendAQuarterOfWhatItsCallsHaveSaved) {
  state_.weight = 4;  // which counts what is spent, not what is saved
  CallKind& kind = kind_in_use();
  kind.trials.times = {{1e-3}, {3e-3}};
  kind.trials.next = TrialsOfKind::never, kind.trials.saved_until = kind.calls;
  meet();
  EXPECT_EQ(process_.saved_s, 0) << "no calls since then";
  end_meeting();
  kind.calls += 1000;
  meet();
  EXPECT_NEAR(process_.saved_s, 2, 1e-9);
  EXPECT_NEAR(process_.allowed_s(now_s_), process_.allowance.after(now_s_) + 0.5, 1e-9);
}

TEST(Odds, HalveAfterTwoLostTrialsAndRiseWithEachThatIsWon) {
  Odds odds;
  EXPECT_EQ(odds.factor(), 1);
  odds.add(false), odds.add(false);
  EXPECT_EQ(odds.factor(), 0.5);
  odds.add(true), odds.add(true);
  EXPECT_EQ(odds.factor(), 1);
}

TEST_F(OneRank, TriesWhatEarlierRunsFoundOnTheProgramsOwnCallsAndKeepsIt) {
  CallKind& kind = kind_with_finding(1e-3, 3e-3);
  make_group();
  ASSERT_EQ(meet().what, Do::make_way);
  EXPECT_EQ(unpacked(state_.message.way), way_);
  after({.made = {{way_, "it won"}}});
  end_meeting();
  ASSERT_EQ(kind.mode, CallKind::Mode::trying);
  make_calls(kind, 2.9e-3, 3e-3);
  EXPECT_EQ(kind.mode, CallKind::Mode::ours) << "although a first trial would ask for more gain";
  EXPECT_EQ(kind.way, way_);
  EXPECT_TRUE(found_in(kind, 2, state_.group.nodes)->is_ours()) << "it is confirmed";
}

TEST_F(OneRank, GivesUpWhatEarlierRunsFoundIfItIsSlowerNow) {
  CallKind& kind = kind_with_finding(1e-3, 3e-3);
  make_group();
  ASSERT_EQ(meet().what, Do::make_way);
  after({.made = {{way_, "it won"}}});
  end_meeting();
  make_calls(kind, 4.5e-3, 3e-3);
  EXPECT_EQ(kind.mode, CallKind::Mode::vendor);
  EXPECT_FALSE(found_in(kind, 2, state_.group.nodes)->is_ours()) << "it is refuted";
  EXPECT_NEAR(process_.account.spent_s(), 10 * 1.5e-3, 1e-6) << "only what the calls took longer";
}

TEST_F(OneRank, TreatsAKindAsNewIfThereIsNoPlanForTheFinding) {
  CallKind& kind = kind_with_finding(1e-3, 3e-3);
  make_group();
  ASSERT_EQ(meet().what, Do::make_way);
  after({.why = "no plan"});
  end_meeting();
  EXPECT_EQ(kind.mode, CallKind::Mode::counting);
  for (int call = 0; call < 1000; ++call) kind.vendor_times.count(3'000'000);
  EXPECT_EQ(meet().what, Do::make_contenders);
}

TEST_F(OneRank, LeavesCallsThatLostInAnEarlierRun) {
  CallKind& kind = kind_with_finding(3e-3, 1e-3);
  EXPECT_EQ(meet().what, Do::leave) << "no group is made for them";
  EXPECT_EQ(kind.mode, CallKind::Mode::counting);
  make_group();
  meet();
  EXPECT_EQ(kind.mode, CallKind::Mode::vendor);
  EXPECT_EQ(kind.why, sentence(Cause::lost_before));
}

TEST_F(OneRank, GivesUpAPlanForShortCallsThatHasLostTwice) {
  const CallKind& kind = kind_in_use();
  ASSERT_EQ(meet().what, Do::run_trial);
  EXPECT_EQ(after_trial(1.5).what, Do::run_trial) << "again";
  after_trial(1.5);
  EXPECT_EQ(kind.mode, CallKind::Mode::vendor);
}

TEST_F(OneRank, KeepsAPlanForShortCallsThatHasLostOnce) {
  CallKind& kind = kind_in_use();
  kind.trials.times = {{5e-6, 5e-6, 5e-6}, {1e-5, 1e-5, 1e-5}};
  ASSERT_EQ(meet().what, Do::run_trial);
  EXPECT_EQ(after_trial(1.5).what, Do::run_trial);
  after_trial(0.4);
  EXPECT_EQ(kind.mode, CallKind::Mode::ours);
  EXPECT_EQ(kind.trials.times.ours_s.size(), 9u) << "all of them count";
}

TEST_F(OneRank, KeepsAPlanWhoseTrialCannotBeHeld) {
  const CallKind& kind = kind_in_use();
  ASSERT_EQ(meet().what, Do::run_trial);
  after({.why = "too large"});
  EXPECT_EQ(kind.mode, CallKind::Mode::ours);
}

TEST_F(OneRank, MakesAtMost128PlansByTheUsersRules) {
  for (int kind = 0; kind < 130; ++kind) add_kind(8 + kind);
  state_.group.exists = true;
  state_.wishes = std::make_shared<const Wishes>(parse_wishes("allreduce=bruck\n"));
  after({.what = Event::What::meeting});
  int made = 0;
  for (int steps = 0; steps < 2000 && action_.what != Do::leave; ++steps) {
    made += action_.what == Do::make_named ? 1 : 0;
    Event event;
    if (action_.what == Do::make_named) event.made = {{std::nullopt, "the user said so"}};
    after(event);
  }
  EXPECT_EQ(made, 128);
  for (std::size_t kind = 128; kind < 130; ++kind) EXPECT_EQ(kinds_[kind].why, sentence(Cause::many_plans));
}

TEST(InstructionRules, AreOneForEachMessage) {
  std::set<Instruction::What> told;
  for (const InstructionRule& rule : instruction_rules()) told.insert(rule.what);
  EXPECT_EQ(told.size(), instruction_rules().size());
  EXPECT_EQ(told.size(), static_cast<std::size_t>(Instruction::What::host) + 1);
}

TEST(Allowance, IsThreePercentForTenSecondsAndTwoPercentOfLongerRuns) {
  const Allowance allowance;
  const std::pair<double, double> after[] = {{0, 0.03}, {0.5, 0.03}, {1, 0.03}, {5, 0.15}, {10, 0.3}, {15, 0.3}, {50, 1.0}};
  for (const auto& [elapsed_s, total_s] : after) EXPECT_DOUBLE_EQ(allowance.after(elapsed_s), total_s) << elapsed_s;
  for (const double total_s : {0.031, 0.1, 0.3, 0.31, 1.0}) {
    EXPECT_NEAR(allowance.after(allowance.when(total_s)), total_s, 1e-12);
    EXPECT_LT(allowance.after(0.99 * allowance.when(total_s)), total_s);
  }
  EXPECT_EQ(allowance.when(0.03), 0);
}

TEST(Account, AddsUp) {
  Account account;
  account.spend(0.25);
  account.spend(0.5);
  EXPECT_DOUBLE_EQ(account.spent_s(), 0.75);
  EXPECT_DOUBLE_EQ(Account().spent_s(), 0);
}

TEST(CostOfRank, IsAGuessUntilItWasMeasured) {
  CostOfRank cost(1e-3);
  EXPECT_DOUBLE_EQ(cost.of(8), 8e-3);
  cost.measured(0.1, 10);
  EXPECT_DOUBLE_EQ(cost.of(8), 80e-3);
}

}  // namespace
}  // namespace quadrille::mpi_face
