// SPDX-License-Identifier: BSD-3-Clause
// Reductions made from programs that spread data.
#include "schedule/composition.hpp"

#include <gtest/gtest.h>

#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

constexpr Buffer in = Buffer::input, out = Buffer::output, tmp = Buffer::scratch;

Local reduce(Regions source, Regions target, OperandOrder order) {
  return {LocalKind::reduce, order, std::move(source), std::move(target)};
}

// Returns the program of rank 1 in a ring allgather: four ranks with shares of 10 bytes.
Program ring() {
  ProgramBuilder program{1};
  program.stage("pass along");
  program.begin_round();
  program.copy({{in, 0, 10}}, {{out, 10, 10}});
  program.send(2, {{in, 0, 10}});
  program.receive(0, {{out, 0, 10}});
  program.begin_round();
  program.send(2, {{out, 0, 10}});
  program.receive(0, {{out, 30, 10}});
  program.begin_round();
  program.send(2, {{out, 30, 10}});
  program.receive(0, {{out, 20, 10}});
  return std::move(program).finish();
}

TEST(Reduced, TheInputIsCombinedIntoReceivedBytes) {
  const Program back = reduced(ring());
  EXPECT_EQ(back.scratch_bytes, 20) << "two blocks of scratch memory alternate";
  EXPECT_EQ(back.stages, (std::vector<Stage>{{"pass along", 0, 4}}));
  ASSERT_EQ(back.rounds.size(), 4u);
  EXPECT_EQ(back.rounds[0], (Round{0, {}, {{0, {{in, 20, 10}}, {}}}, {{2, {{tmp, 0, 10}}, {}}}, {}, {}}));
  EXPECT_EQ(back.rounds[1], (Round{1,
                                   {reduce({{in, 30, 10}}, {{tmp, 0, 10}}, OperandOrder::source_first)},
                                   {{0, {{tmp, 0, 10}}, {}}},
                                   {{2, {{tmp, 10, 10}}, {}}},
                                   {},
                                   {}}));
  EXPECT_EQ(back.rounds[2], (Round{2,
                                   {reduce({{in, 0, 10}}, {{tmp, 10, 10}}, OperandOrder::source_first)},
                                   {{0, {{tmp, 10, 10}}, {}}},
                                   {{2, {{out, 0, 10}}, {}}},
                                   {},
                                   {}}));
  EXPECT_EQ(back.rounds[3], (Round{3, {reduce({{in, 10, 10}}, {{out, 0, 10}}, OperandOrder::source_first)}, {}, {}, {}, {}}));
}

TEST(Reduced, EarlierBytesAreCombinedWithBytesReceivedNow) {
  ProgramBuilder spreading{1};  // rank 1's own byte is byte 1 of four; it sends bytes 0 to 2 to rank 2
  spreading.begin_round();
  spreading.copy({{in, 0, 1}}, {{out, 1, 1}});
  spreading.send(0, {{in, 0, 1}});
  spreading.receive(0, {{out, 0, 1}});
  spreading.begin_round();
  spreading.receive(3, {{out, 2, 2}});
  spreading.begin_round();
  spreading.send(2, {{out, 0, 3}});
  spreading.begin_round();
  spreading.send(0, {{out, 2, 2}});
  const Program back = reduced(std::move(spreading).finish());
  ASSERT_EQ(back.rounds.size(), 5u);
  EXPECT_EQ(back.rounds[0].receives[0].regions, (Regions{{tmp, 0, 2}}));
  EXPECT_EQ(back.rounds[1].locals, (std::vector<Local>{reduce({{in, 2, 2}}, {{tmp, 0, 2}}, OperandOrder::target_first)}));
  EXPECT_EQ(back.rounds[1].receives[0].regions, (Regions{{tmp, 2, 3}}));
  EXPECT_EQ(back.rounds[2].locals, (std::vector<Local>{reduce({{in, 0, 2}}, {{tmp, 2, 2}}, OperandOrder::source_first),
                                                       reduce({{tmp, 4, 1}}, {{tmp, 0, 1}}, OperandOrder::target_first)}));
  EXPECT_EQ(back.rounds[2].sends[0].regions, (Regions{{tmp, 0, 2}}));
  EXPECT_EQ(back.rounds[3].sends[0].regions, (Regions{{tmp, 2, 1}}));
  EXPECT_EQ(back.rounds[3].receives[0].regions, (Regions{{out, 0, 1}})) << "the own result is received in its place";
  EXPECT_EQ(back.rounds[4].locals, (std::vector<Local>{reduce({{tmp, 3, 1}}, {{out, 0, 1}}, OperandOrder::target_first)}));
}

TEST(Reduced, OfOneRankCopiesTheInput) {
  ProgramBuilder spreading{0};
  spreading.begin_round();
  spreading.copy({{in, 0, 4}}, {{out, 0, 4}});
  const Program back = reduced(std::move(spreading).finish());
  ASSERT_EQ(back.rounds.size(), 1u);
  EXPECT_EQ(back.rounds[0].locals, (std::vector<Local>{{LocalKind::copy, {}, {{in, 0, 4}}, {{out, 0, 4}}}}));
}

TEST(Reduced, OfAnEmptyProgramIsEmpty) {
  const Program back = reduced(ProgramBuilder{3}.finish());
  EXPECT_EQ(back.rank, 3);
  EXPECT_TRUE(back.stages.empty());
  EXPECT_TRUE(back.rounds.empty());
}

}  // namespace
}  // namespace quadrille
