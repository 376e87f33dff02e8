// SPDX-License-Identifier: BSD-3-Clause
// How the complete graph of k vertices is decomposed into factors, in each of which every vertex sends to one and receives from
// one [sanders2002, section 3].
#pragma once

#include "patterns/one_factor.hpp"

namespace quadrille {

struct Decomposition {
  enum class Into : std::uint8_t {
    matchings,     // both vertices of a pair send to each other: a 1-factorisation
    permutations,  // directed cycles: in factor i each sends to the vertex i + 1 places on; in the last one to itself
  };
  Into into = Into::matchings;
  one_factor::Form form = one_factor::Form::concentrated;  // of matchings
  Count degree = 1;                                        // factors at a time

  // The factor in which `from` sends to `to`.
  constexpr Count factor_of(Count count, Count from, Count to) const {
    if (into == Into::matchings) return one_factor::factor_of(form, count, from, to);
    return (to - from - 1 + count) % count;
  }
  // Whom `vertex` sends to.
  constexpr Count receiver(Count count, Count factor, Count vertex) const {
    if (into == Into::matchings) return one_factor::partner(form, count, factor, vertex);
    return (vertex + factor + 1) % count;
  }
  // The first so many factors hold all pairs of two (of matchings in the concentrated form).
  constexpr Count factors_with_pairs(Count count) const {
    return into == Into::matchings ? one_factor::factors_with_pairs(count) : count - 1;
  }
};

}  // namespace quadrille
