// SPDX-License-Identifier: BSD-3-Clause
// Compares the factors of complete graphs with their definition, exhaustively.
#include "patterns/factors.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace quadrille {
namespace {

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
