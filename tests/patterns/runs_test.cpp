// SPDX-License-Identifier: BSD-3-Clause
// Compares sets of indices, given as runs, with their definitions, exhaustively.
#include "patterns/covers.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/elements_of_runs.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Runs, DigitsMatchTheDefinitionForAllPlacesAndRadices) {
  for (Count n = 0; n <= 60; ++n)
    for (Count radix = 2; radix <= 7; ++radix)
      for (Count place = 1; place <= 70; place *= radix)
        for (Count digit = 0; digit < radix; ++digit) {
          std::vector<Count> expected;
          for (Count j = 0; j < n; ++j)
            if (j / place % radix == digit) expected.push_back(j);
          const IndexSet set = indices_with_digit(n, place, radix, digit);
          ASSERT_EQ(elements(set), expected) << n << ' ' << radix << ' ' << place << ' ' << digit;
          ASSERT_LE(set.size(), 2u);
          ASSERT_EQ(size(set), static_cast<Count>(expected.size()));
        }
}

TEST(Runs, PartsHoldTheElementsBetweenTheCuts) {
  for (const IndexSet& set :
       {IndexSet{{3, 2, 4, 5}}, IndexSet{{0, 1, 7, 3}}, IndexSet{{2, 6, 1, 0}}, IndexSet{{1, 2, 3, 4}, {20, 3, 2, 3}}, IndexSet{}})
    for (Count first = 0; first <= 30; ++first)
      for (Count last = first; last <= 30; ++last) {
        std::vector<Count> expected;
        for (const Count element : elements(set))
          if (element >= first && element < last) expected.push_back(element);
        ASSERT_EQ(elements(part(set, first, last)), expected) << first << ' ' << last;
      }
}

TEST(Runs, AppendingFoldsEqualRuns) {
  IndexSet set;
  for (const Count first : {0, 4, 8, 12}) append_run(set, first, 2);
  EXPECT_EQ(set, (IndexSet{{0, 2, 4, 4}}));
  append_run(set, 20, 2);
  append_run(set, 22, 3);
  EXPECT_EQ(elements(set), (std::vector<Count>{0, 1, 4, 5, 8, 9, 12, 13, 20, 21, 22, 23, 24}));
}

}  // namespace
}  // namespace quadrille
