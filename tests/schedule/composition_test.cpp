// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/composition.hpp"

#include <gtest/gtest.h>

#include "support/two_rounds.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Joined, PartsComeOneAfterTheOtherInTheirPlaces) {
  const Program whole = joined({.program = two_rounds("one", 10), .output = {Buffer::scratch, 100}},
                               {.program = two_rounds("two", 20), .input = {Buffer::output, 50}, .output = {Buffer::output, 7}});
  EXPECT_EQ(whole.scratch_bytes, 30);
  EXPECT_EQ(whole.stages, (std::vector<Stage>{{"one", 0, 2}, {"two", 2, 2}}));
  ASSERT_EQ(whole.rounds.size(), 4u);
  EXPECT_EQ(whole.rounds[0].locals[0].target, (Regions{{Buffer::scratch, 106, 4}}));
  EXPECT_EQ(whole.rounds[2].number, 2);
  EXPECT_EQ(whole.rounds[2].locals[0].source, (Regions{{Buffer::output, 52, 4}}));
  EXPECT_EQ(whole.rounds[2].locals[0].target, (Regions{{Buffer::output, 13, 4}}));
  EXPECT_EQ(whole.rounds[2].sends[0].regions, (Regions{{Buffer::scratch, 11, 3}}));
  EXPECT_EQ(whole.rounds[3].receives[0].regions, (Regions{{Buffer::output, 7, 5}}));
}

TEST(Joined, CopiesOntoThemselvesAreDropped) {
  ProgramBuilder copy{0};
  copy.copy({{Buffer::input, 0, 4}}, {{Buffer::output, 8, 4}});
  const Program whole = joined({.program = two_rounds("one", 0)}, {.program =
                                                                       [&] {
                                                                         Program program = std::move(copy).finish();
                                                                         program.rank = 1;
                                                                         return program;
                                                                       }(),
                                                                   .input = {Buffer::output, 8}});
  EXPECT_EQ(whole.rounds.size(), 2u);
  EXPECT_EQ(whole.stages.size(), 2u);
}

TEST(Joined, RefusesPartsOfTwoRanks) {
  EXPECT_DEATH(joined({Program{.rank = 0}}, {Program{.rank = 1}}),
               "broken contract.*first\\.program\\.rank == second\\.program\\.rank");
}

// Ranks 0 .. 3 in two groups, {0, 2} and {1, 3}. In phase 0 the lower rank of a group sends its four bytes to the upper one; in
// phase 1, which begins in the same round, it sends them to the scratch memory of the other. Rank 1 is idle in phase 0, and so is
// rank 3.
class TwoPhases : public Composition {
 public:
  std::vector<Stage> stages() const override { return {{"both", 0, 2}}; }
  std::size_t phase_count() const override { return 2; }
  Count first_round(std::size_t) const override { return 0; }
  std::optional<GroupStep> step(std::size_t phase, Rank rank) const override {
    const auto& group = rank % 2 == 0 ? even_ : odd_;
    if (phase == 0 && rank % 2 == 1) return std::nullopt;
    const Buffer target = phase == 0 ? Buffer::output : Buffer::scratch;
    return GroupStep{sending_, group, rank / 2, BufferMap({{Buffer::input, 8, 4, {}}}), BufferMap({{target, 8, 4, {}}})};
  }
  std::vector<Local> before(std::size_t phase, Rank rank) const override {
    if (phase == 0 || rank != 3) return {};
    return {{LocalKind::copy, {}, {{Buffer::input, 0, 4, {}}}, {{Buffer::scratch, 16, 4, {}}}}};
  }

 private:
  static Program program_of(Rank me) {
    ProgramBuilder program{me};
    program.scratch(100);
    program.begin_round();
    if (me == 0) program.send(1, {{Buffer::input, 0, 4}});
    if (me == 1) program.receive(0, {{Buffer::output, 0, 4}});
    program.begin_round();
    program.copy({{Buffer::output, 0, 4}}, {{Buffer::scratch, 96, 4}});
    return std::move(program).finish();
  }

  const std::vector<Rank> even_{0, 2}, odd_{1, 3};
  const std::shared_ptr<const Schedule> sending_ = [] {
    auto schedule = std::make_shared<Schedule>();
    schedule->program = program_of;
    return schedule;
  }();
};

TEST(Composed, RanksAndBuffersArePlacedInTheWhole) {
  const Program program = composed(TwoPhases(), 3);
  EXPECT_EQ(program.scratch_bytes, 20 + 100) << "what the steps name, then that of the one part";
  ASSERT_EQ(program.rounds.size(), 2u);
  EXPECT_EQ(program.rounds[0].locals.size(), 1u) << "what comes before the phase";
  ASSERT_EQ(program.rounds[0].receives.size(), 1u);
  EXPECT_EQ(program.rounds[0].receives[0], (Message{1, {{Buffer::scratch, 8, 4, {}}}, {}}));
  EXPECT_EQ(program.rounds[1].locals[0].source, (Regions{{Buffer::scratch, 8, 4, {}}}));
  EXPECT_EQ(program.rounds[1].locals[0].target, (Regions{{Buffer::scratch, 20 + 96, 4, {}}}));
}

TEST(Composed, MessagesOfTwoPhasesBetweenTheSameRanksBecomeOne) {
  const Program from = composed(TwoPhases(), 0), to = composed(TwoPhases(), 2);
  EXPECT_EQ(from.scratch_bytes, 12 + 200);
  ASSERT_EQ(from.rounds[0].sends.size(), 1u);
  EXPECT_EQ(from.rounds[0].sends[0], (Message{2, {{Buffer::input, 8, 4, {}}, {Buffer::input, 8, 4, {}}}, {}}));
  ASSERT_EQ(to.rounds[0].receives.size(), 1u);
  EXPECT_EQ(to.rounds[0].receives[0], (Message{0, {{Buffer::output, 8, 4, {}}, {Buffer::scratch, 8, 4, {}}}, {}}));
  EXPECT_EQ(to.rounds[1].locals.size(), 2u);
}

}  // namespace
}  // namespace quadrille
