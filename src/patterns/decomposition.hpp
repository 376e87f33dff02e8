// SPDX-License-Identifier: BSD-3-Clause
// Decompositions of the complete graph of k vertices into factors. In each factor every vertex sends to one vertex and
// receives from one vertex [sanders2002, section 3].
#pragma once

#include "patterns/one_factor.hpp"

namespace quadrille {

struct Decomposition {
  enum class Into : std::uint8_t {
    matchings,     // the vertices of a pair send to each other: a 1-factorisation
    permutations,  // in factor i each vertex sends to the vertex i + 1 places further on; in the last factor to itself
  };
  Into into = Into::matchings;
  one_factor::Form form = one_factor::Form::concentrated;  // used by matchings only
  Count degree = 1;                                        // number of factors that run at the same time

  // The factor in which `from` sends to `to`.
  constexpr Count factor_of(Count count, Count from, Count to) const {
    if (into == Into::matchings) return one_factor::factor_of(form, count, from, to);
    return (to - from - 1 + count) % count;
  }
  // The vertex to which `vertex` sends.
  constexpr Count receiver(Count count, Count factor, Count vertex) const {
    if (into == Into::matchings) return one_factor::partner(form, count, factor, vertex);
    return (vertex + factor + 1) % count;
  }
  // The number of factors that contain all pairs of different vertices. They are the first factors (of matchings, in
  // the concentrated form); a last factor, if there is one more, has only self-loops.
  constexpr Count factors_with_pairs(Count count) const {
    return into == Into::matchings ? one_factor::factors_with_pairs(count) : count - 1;
  }
};

}  // namespace quadrille
