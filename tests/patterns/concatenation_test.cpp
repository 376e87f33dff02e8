// SPDX-License-Identifier: BSD-3-Clause
// Follows the messages byte by byte: no rank sends a byte that it does not have, and no rank receives a byte twice.
#include "patterns/concatenation.hpp"

#include <gtest/gtest.h>

#include <set>

namespace quadrille {
namespace {

TEST(Concatenation, SendsEveryByteOnceFromARankThatHasIt) {
  for (Count p = 1; p <= 40; ++p)
    for (Count ports = 1; ports <= std::min<Count>(8, std::max<Count>(1, p - 1)); ++ports)
      for (Bytes b = 1; b <= 6; ++b)
        for (const LastRound last : {LastRound::one, LastRound::two}) {
          SCOPED_TRACE(::testing::Message() << p << " ranks, " << ports << " ports, " << b << " bytes");
          std::vector<bool> known(static_cast<std::size_t>(p * b), false);
          std::fill_n(known.begin(), b, true);
          for (const auto& round : concatenation_rounds(p, ports, b, last)) {
            ASSERT_LE(static_cast<Count>(round.size()), ports);
            std::set<Count> offsets;
            const std::vector<bool> before = known;
            for (const auto& [offset, first, last_byte] : round) {
              ASSERT_TRUE(offset >= 1 && offset < p && offsets.insert(offset).second);
              for (Bytes byte = first; byte < last_byte; ++byte) {
                ASSERT_FALSE(known[static_cast<std::size_t>(byte)]);
                ASSERT_GE(byte - offset * b, 0);
                ASSERT_TRUE(before[static_cast<std::size_t>(byte - offset * b)]);
                known[static_cast<std::size_t>(byte)] = true;
              }
            }
          }
          ASSERT_EQ(std::count(known.begin(), known.end(), false), 0);
        }
}

TEST(Concatenation, BestAddsARoundIfItSavesMoreThanAStartup) {
  const auto rounds = [](Bytes b, LastRound last) { return concatenation_rounds(15, 3, b, last).size(); };  // the excess is b / 3
  EXPECT_EQ(rounds(3 * startup_worth_bytes + 2, LastRound::best), 2u);
  EXPECT_EQ(rounds(3 * startup_worth_bytes + 3, LastRound::best), 3u);
  EXPECT_EQ(rounds(3 * startup_worth_bytes + 3, LastRound::one), 2u);
  EXPECT_EQ(rounds(3, LastRound::two), 3u);
  EXPECT_EQ(rounds(2, LastRound::two), 2u) << "no excess, no extra round";
}

}  // namespace
}  // namespace quadrille
