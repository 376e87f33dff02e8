// SPDX-License-Identifier: BSD-3-Clause
// Programs made from other programs.
#include "schedule/composition.hpp"

#include <gtest/gtest.h>

#include "execute/script/script.hpp"
#include "quadrille/error.hpp"
#include "quadrille/program_builder.hpp"
#include "schedule/dependence.hpp"
#include "support/two_rounds.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Reversed, TwiceIsTheSame) {
  const Program there = two_rounds("one", 10);
  const Program back = reversed(there);
  EXPECT_EQ(back.rounds[0].sends[0].regions, (Regions{{Buffer::input, 0, 5}}));
  EXPECT_EQ(back.rounds[1].receives[0].regions, (Regions{{Buffer::scratch, 1, 3}}));
  EXPECT_EQ(back.rounds[1].locals[0].source, (Regions{{Buffer::input, 6, 4}}));
  EXPECT_EQ(reversed(back), there);
}

TEST(InPostingOrder, ControlMessagesGoAheadOfPayloadWhichGoesByPort) {
  ProgramBuilder builder{0};
  builder.begin_round();
  builder.send(1, {{Buffer::input, 0, 4}}, Port{1, 1});
  builder.send(1, {{Buffer::input, 4, 4}}, Port{0, 1});
  builder.control_send(1, 0);
  builder.control_receive(1, 8);
  builder.control_receive(2, 3);
  builder.begin_round();
  builder.control_send(2, 8);
  builder.control_receive(1, 5);
  const Program program = in_posting_order(std::move(builder).finish());
  EXPECT_EQ(program.scratch_bytes, 0);
  EXPECT_EQ(program.rounds[0].sends, (std::vector<Message>{{1, {{Buffer::staging, 0, 0}}, {}},
                                                           {1, {{Buffer::input, 4, 4}}, Port{0, 1}},
                                                           {1, {{Buffer::input, 0, 4}}, Port{1, 1}}}));
  // Control messages that may arrive at the same time have separate bytes, and so do those that are sent.
  EXPECT_EQ(program.rounds[0].receives,
            (std::vector<Message>{{1, {{Buffer::staging, 8, 8}}, {}}, {2, {{Buffer::staging, 16, 3}}, {}}}));
  EXPECT_EQ(program.rounds[1].sends, (std::vector<Message>{{2, {{Buffer::staging, 0, 8}}, {}}}));
  EXPECT_EQ(program.rounds[1].receives, (std::vector<Message>{{1, {{Buffer::staging, 19, 5}}, {}}}));
  EXPECT_TRUE(program.rounds[0].control_sends.empty() && program.rounds[0].control_receives.empty());
  EXPECT_TRUE(is_control(program.rounds[0].sends[0]) && !is_control(program.rounds[0].sends[1]));
  EXPECT_TRUE(stands_alone(program.rounds[1]) && !stands_alone(program.rounds[0]));
  const Program without = two_rounds("one", 3);
  EXPECT_EQ(in_posting_order(without), without);
}

// Executors would match two such messages by their order, but other readers of the schedule need not.
TEST(ControlMessages, AtMostOneInARoundFromOneRankToAnother) {
  for (const bool sends : {true, false}) {
    ProgramBuilder builder{0};
    builder.begin_round();
    for (const Bytes bytes : {8, 16}) sends ? builder.control_send(1, bytes) : builder.control_receive(1, bytes);
    const Program program = std::move(builder).finish();
    EXPECT_THROW(make_script(program, 2, {}), Error);
    EXPECT_EQ(in_posting_order(program).rounds.size(), 1u);  // the verifier reports the error itself
  }
}

// Sizes that are legal one by one, but whose sum exceeds 64 bits.
TEST(ControlMessages, OfAnySizeAreAnalysedButRefusedIfTheyTakeTooMuchMemory) {
  ProgramBuilder builder{0};
  builder.begin_round();
  builder.control_send(1, Bytes{1} << 62);
  builder.control_receive(1, Bytes{1} << 62);
  builder.control_receive(2, Bytes{1} << 62);
  builder.begin_round();
  builder.control_send(1, 1);
  const Program program = std::move(builder).finish();
  EXPECT_THROW(make_script(program, 3, {}), Error);
  const Program posted = in_posting_order(program);
  EXPECT_EQ(dependences(posted).operations.size(), 4u);
}

}  // namespace
}  // namespace quadrille
