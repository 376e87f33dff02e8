// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/program_builder.hpp"

#include <gtest/gtest.h>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// Programs of users build schedules by this class, so this is refused with a sentence.
TEST(ProgramBuilder, RefusesAMessageToTheRankItself) {
  ProgramBuilder program{3};
  program.begin_round();
  EXPECT_THROW(program.send(3, {block(Buffer::input, 3, 8)}), Error);
  EXPECT_THROW(program.receive(3, {block(Buffer::output, 3, 8)}), Error);
  EXPECT_TRUE(std::move(program).finish().rounds.empty());
}

}  // namespace
}  // namespace quadrille
