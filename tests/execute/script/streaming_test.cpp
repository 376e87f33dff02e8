// SPDX-License-Identifier: BSD-3-Clause
// Tests copies by non-temporal stores with every alignment, and the choice between them and ordinary copies.
#include "execute/script/copies.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quadrille {
namespace {

TEST(Streaming, CopiesLikeMemcpy) {
  std::vector<std::byte> source(600), target(source.size()), expected(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + i / 256);
  for (std::size_t from = 0; from < 70; from += 3)
    for (std::size_t to = 0; to < 70; ++to)
      for (const std::size_t length : {0u, 1u, 15u, 16u, 63u, 64u, 65u, 127u, 128u, 200u, 511u}) {
        std::fill(target.begin(), target.end(), std::byte{0xEE});
        std::fill(expected.begin(), expected.end(), std::byte{0xEE});
        copy_streaming(target.data() + to, source.data() + from, length);
        std::memcpy(expected.data() + to, source.data() + from, length);
        ASSERT_EQ(target, expected) << length << " bytes from " << from << " to " << to;
      }
}

// The least times of both ways are compared; non-temporal stores must be clearly faster to be chosen.
TEST(Streaming, IsTriedInTurnAndChosenIfFaster) {
  for (const double streamed : {0.5, 0.95, 2.0}) {
    StreamingTrial trial;
    EXPECT_FALSE(trial.streams());
    bool before = true;
    for (int run = 0; !trial.is_over(); ++run) {
      EXPECT_NE(trial.streams(), before);
      before = trial.streams();
      const double disturbed = run < 4 ? 10 : 1;
      trial.add(disturbed * (trial.streams() ? streamed : 1.0));
    }
    EXPECT_EQ(trial.streams(), streamed == 0.5) << streamed;
  }
}

}  // namespace
}  // namespace quadrille
