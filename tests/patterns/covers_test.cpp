// SPDX-License-Identifier: BSD-3-Clause
// Tests that every slot of a cover moves by its distance, for all numbers of ranks, radices and ports up to a limit.
#include "patterns/covers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "support/elements_of_runs.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// Every slot moves by exactly its distance and is fresh exactly in its first hop, and no round has more hops than
// ports.
void expect_cover(const std::vector<CoverLevel>& levels, Count p, Count ports) {
  std::vector<Count> travelled(static_cast<std::size_t>(p), 0);
  for (const CoverLevel& level : levels)
    for (const auto& round : level.rounds) {
      ASSERT_LE(static_cast<Count>(round.size()), ports);
      std::set<Count> offsets;
      for (const Hop& hop : round) {
        ASSERT_TRUE(offsets.insert(hop.offset % p).second) << "two messages to one rank";
        for (const Count slot : elements(hop.fresh))
          ASSERT_EQ(std::exchange(travelled[static_cast<std::size_t>(slot)], hop.offset), 0);
        for (const Count slot : elements(hop.rest)) {
          ASSERT_GT(travelled[static_cast<std::size_t>(slot)], 0);
          travelled[static_cast<std::size_t>(slot)] += hop.offset;
        }
      }
    }
  for (Count slot = 0; slot < p; ++slot) ASSERT_EQ(travelled[static_cast<std::size_t>(slot)], slot) << "p=" << p;
}

TEST(Covers, MoveEverySlotByItsDistance) {
  for (Count p = 1; p <= 50; ++p) {
    expect_cover(balanced_levels(halving_cover(p), 1), p, 1);
    for (Count radix = 2; radix <= std::max<Count>(2, p); ++radix)
      for (Count ports = 1; ports <= std::min<Count>(5, std::max<Count>(1, p - 1)); ++ports) {
        expect_cover(positional_levels(p, radix, ports), p, ports);
        expect_cover(balanced_levels(radix_cover(p, radix), ports), p, ports);
      }
  }
}

}  // namespace
}  // namespace quadrille
