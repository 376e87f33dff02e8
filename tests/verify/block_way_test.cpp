// SPDX-License-Identifier: BSD-3-Clause
// Tests ways of blocks: in right schedules of all algorithms each leads, step by step, from the input to the required place.
#include "quadrille/fault_cause.hpp"

#include <gtest/gtest.h>

#include "quadrille/error.hpp"
#include "support/cases.hpp"
#include "verify/broken_exchange.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

void expect_connected(const BlockWay& way, const BytePlace& start, const BytePlace& end) {
  ASSERT_TRUE(way.arrives);
  ASSERT_GE(way.steps.size(), 3u) << "no input is an output";
  EXPECT_EQ(way.steps.front(), (WayStep{StepKind::start, {}, start}));
  EXPECT_EQ(way.steps.back(), (WayStep{StepKind::end, {}, end}));
  EXPECT_EQ(way.required, end);
  Count round = 0;
  for (std::size_t i = 1; i + 1 < way.steps.size(); ++i) {
    const WayStep& step = way.steps[i];
    ASSERT_EQ(step.kind, StepKind::moved);
    EXPECT_EQ(step.operation->from, way.steps[i - 1].place.rank);
    EXPECT_EQ(step.operation->to, step.place.rank);
    EXPECT_EQ(step.operation->kind == NamedOperation::Kind::message, step.operation->from != step.operation->to);
    EXPECT_GE(step.operation->round, round);
    round = step.operation->round;
  }
  EXPECT_EQ(way.steps[way.steps.size() - 2].place, end);
}

TEST(BlockWay, LeadsToTheRequiredPlace) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {3, 4, 5})
      for (const Problem& problem : problems_of(*algorithm, p, 2)) {
        const std::vector<Choice> choices = all_choices(*algorithm, problem, 3);
        if (choices.empty()) continue;
        const Schedule schedule = make_schedule(problem, choices.front());
        for (Rank to = 0; to < p; ++to)
          for (const ExpectedPiece& piece : expected_output(problem, to))
            for (Rank from = piece.first; from <= piece.last && piece.length > 0; ++from) {
              SCOPED_TRACE(specification(schedule) + ": " + std::to_string(from) + " to " + std::to_string(to));
              const Bytes byte = piece.length - 1;
              expect_connected(way_of_block(schedule, from, to, byte), {from, Buffer::input, piece.input_offset + byte},
                               {to, Buffer::output, piece.offset + byte});
            }
      }
}

TEST(BlockWay, RefusesBlocksThatDoNotExist) {
  const Schedule schedule = make_schedule(Problem::alltoall(3, 4), "shift");
  EXPECT_TRUE(way_of_block(schedule, 0, 2, 3).arrives);
  for (const auto& [from, to, byte] :
       {std::tuple(3, 0, 0), std::tuple(-1, 0, 0), std::tuple(0, 3, 0), std::tuple(0, 2, 4), std::tuple(0, 2, -1)})
    EXPECT_THROW(way_of_block(schedule, from, to, byte), Error) << from << ' ' << to << ' ' << byte;
  const Schedule broadcast = make_schedule(problem_of(Collective::broadcast, 3, 4, 1), "binomial");
  EXPECT_TRUE(way_of_block(broadcast, 1, 0).arrives);
  EXPECT_THROW(way_of_block(broadcast, 0, 1), Error) << "only the root has data";
}

TEST(BlockWay, ShowsWhereABlockWasLostAndWhatCameInstead) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].receives[0].regions = {block(out, 0, 4)};
  const Schedule schedule = of(Problem::alltoall(2, 4), programs);
  const BlockWay way = way_of_block(schedule, 0, 0);
  EXPECT_FALSE(way.arrives);
  const NamedOperation copy{0, NamedOperation::Kind::copy, 0, 0}, message{0, NamedOperation::Kind::message, 1, 0};
  const BytePlace input{0, in, 0}, output{0, out, 0};
  EXPECT_EQ(way.steps, (std::vector<WayStep>{{StepKind::start, {}, input},
                                             {StepKind::moved, copy, output},
                                             {StepKind::lost, message, output},
                                             {StepKind::left, {}, input}}));
  EXPECT_EQ(way.instead, (std::vector<WayStep>{{StepKind::start, {}, {1, in, 0}}, {StepKind::moved, message, output}}));
  EXPECT_EQ(to_string(way.steps[2]), "round 0: the message 1 to 0 overwrites it at rank 0, output[0]");

  const BlockWay other = way_of_block(schedule, 1, 0);
  EXPECT_FALSE(other.arrives);
  EXPECT_EQ(other.instead, (std::vector<WayStep>{{StepKind::nothing, {}, {0, out, 4}}}));
  EXPECT_TRUE(way_of_block(schedule, 0, 1).arrives) << "the other rank's blocks are right";
}

}  // namespace
}  // namespace quadrille
