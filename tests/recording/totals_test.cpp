// SPDX-License-Identifier: BSD-3-Clause
// Parts of recordings.
#include "recording/totals.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/made_recording.hpp"

namespace quadrille::recording {
namespace {

constexpr double always = std::numeric_limits<double>::infinity();

// Two ranks with ten calls each, which begin every 100 us.
Recording ten_calls() {
  testing::MadeRecording program(2);
  const auto site = program.site({.function = "Barrier"});
  for (Rank rank = 0; rank < 2; ++rank)
    for (int call = 0; call < 10; ++call) program.add(rank, site, {.gap_us = 60, .duration_us = 40});
  return program.made();
}

TEST(RecordedWindow, HasAllCallsIfThereIsRoom) {
  const RecordedWindow window = window_of(ten_calls(), 0, always, 20);
  EXPECT_EQ(window.entries, 20);
  EXPECT_FALSE(window.is_cut);
  EXPECT_NEAR(window.to_s, 1e-3, 50e-6);
}

TEST(RecordedWindow, EndsBetweenCalls) {
  const RecordedWindow window = window_of(ten_calls(), 0, always, 5);
  EXPECT_TRUE(window.is_cut);
  EXPECT_EQ(window.entries, 6) << "the calls of both ranks begin together";
  EXPECT_NEAR(window.to_s, 300e-6, 15e-6);
}

TEST(RecordedWindow, BeginsAndEndsWhereAsked) {
  const RecordedWindow window = window_of(ten_calls(), 250e-6, 650e-6, 100);
  EXPECT_EQ(window.entries, 8) << "at 300, 400, 500 and 600 us";
  EXPECT_FALSE(window.is_cut);
  EXPECT_EQ(window_of(ten_calls(), 5, 6, 100).entries, 0);
}

}  // namespace
}  // namespace quadrille::recording
