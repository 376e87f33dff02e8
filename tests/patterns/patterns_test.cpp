// SPDX-License-Identifier: BSD-3-Clause
// Index arithmetic compared with its definitions, exhaustively.
#include <gtest/gtest.h>

#include <set>

#include "patterns/covers.hpp"
#include "patterns/one_factor.hpp"
#include "patterns/runs.hpp"

namespace quadrille {
namespace {

std::vector<Count> elements(const IndexSet& set) {
  std::vector<Count> list;
  for (const Runs& runs : set)
    for (Count i = 0; i < runs.count; ++i)
      for (Count j = 0; j < runs.length; ++j) list.push_back(runs.first + i * runs.stride + j);
  return list;
}

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

TEST(OneFactor, EachPairOfRanksMeetsOnce) {
  for (const auto form : {one_factor::Form::basic, one_factor::Form::concentrated})
    for (Count k = 1; k <= 120; ++k) {
      std::set<std::pair<Count, Count>> met;
      for (Count i = 0; i < k; ++i) {
        Count loops = 0;
        for (Count u = 0; u < k; ++u) {
          const Count v = one_factor::partner(form, k, i, u);
          ASSERT_TRUE(v >= 0 && v < k);
          ASSERT_EQ(one_factor::partner(form, k, i, v), u) << "an involution";
          ASSERT_TRUE(met.insert({u, v}).second) << k << ": " << u << " meets " << v << " twice";
          ASSERT_EQ(one_factor::factor_of(form, k, u, v), i) << k << ": " << u << ' ' << v;
          loops += u == v ? 1 : 0;
        }
        if (k % 2 == 1)
          ASSERT_EQ(loops, 1);
        else if (form == one_factor::Form::basic)
          ASSERT_EQ(loops, i % 2 == 0 ? 2 : 0);
        else
          ASSERT_EQ(loops, i == k - 1 ? k : 0);
        if (form == one_factor::Form::concentrated) ASSERT_EQ(loops < k, i < one_factor::factors_with_pairs(k)) << k << ' ' << i;
      }
      ASSERT_EQ(static_cast<Count>(met.size()), k * k);
    }
}

// The closed forms for the vertex that replaces the self-loops, and for the vertex that is idle.
TEST(OneFactor, NamesTheIdleRank) {
  for (Count k = 2; k < 60; ++k)
    for (Count i = 0; i < one_factor::factors_with_pairs(k); ++i) {
      const auto met = [&](Count u) { return one_factor::partner(one_factor::Form::concentrated, k, i, u); };
      if (k % 2 == 0) ASSERT_EQ(met(k - 1), i * (k / 2) % (k - 1));
      const Count idle = i * (k + 1) / 2 % k;
      if (k % 2 == 1) ASSERT_EQ(met(idle), idle);
    }
}

}  // namespace
}  // namespace quadrille
