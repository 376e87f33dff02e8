// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "quadrille/error.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

using Digits = std::vector<Symmetry::Digit>;

// Checks, for all elements and ranks, the properties on which the rest of the library relies.
TEST(Symmetry, IsACommutativeGroupThatFixesNoRank) {
  const std::vector<Digits> groups{{},
                                   {{1, 1}},
                                   {{7, 1}},
                                   {{12, 4}},
                                   {{6, 6}},
                                   {{2, 1}, {2, 1}, {2, 1}, {2, 1}},
                                   {{2, 1}, {2, 2}, {2, 1}},
                                   {{2, 2}, {2, 1}},
                                   {{2, 1}, {3, 1}},
                                   {{4, 4}, {3, 1}},
                                   {{3, 1}, {4, 4}},
                                   {{8, 4}, {4, 2}, {3, 3}}};
  for (const Digits& digits : groups) {
    const Symmetry symmetry(digits);
    SCOPED_TRACE(symmetry.name());
    const Count p = symmetry.ranks();
    const std::vector<Rank>& representatives = symmetry.representatives();
    ASSERT_EQ(p % static_cast<Count>(representatives.size()), 0);
    for (Rank g = 0; g < p; ++g) {
      const Rank stands_for_it = symmetry.representative_of(g);
      EXPECT_EQ(representatives.at(static_cast<std::size_t>(symmetry.orbit_of(g))), stands_for_it);
      EXPECT_EQ(symmetry.image(g, stands_for_it), g);
      for (Rank x = 0; x < p; ++x) {
        const Rank image = symmetry.image(g, x);
        ASSERT_TRUE(image >= 0 && image < p);
        EXPECT_EQ(symmetry.preimage(g, image), x);
        EXPECT_EQ(symmetry.orbit_of(image), symmetry.orbit_of(x));
        EXPECT_EQ(image == x, g == stands_for_it) << "only the identity fixes a rank";
        for (Rank h = 0; h < p; ++h) EXPECT_EQ(symmetry.image(h, image), symmetry.image(symmetry.image(h, g), x));
        const Count stretch = symmetry.stretch(g, x);
        ASSERT_TRUE(stretch >= 1 && x + stretch <= p) << g << ' ' << x;
        for (Count i = 1; i < stretch; ++i) EXPECT_EQ(symmetry.image(g, x + i), image + i);
      }
    }
  }
}

TEST(Symmetry, RefusesAPeriodThatDoesNotDivideItsLength) {
  for (const Digits& digits : {Digits{{6, 4}}, Digits{{6, 0}}, Digits{{6, -3}}, Digits{{0, 1}}})
    EXPECT_THROW(Symmetry{digits}, Error);
}

}  // namespace
}  // namespace quadrille
