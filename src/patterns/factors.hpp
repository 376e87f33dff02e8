// SPDX-License-Identifier: BSD-3-Clause
// Factors of the complete graph, in which every vertex meets every other vertex: 1-factorisations, and decompositions.
#pragma once

#include "patterns/integers.hpp"

// 1-factorisations of the complete graph with self-loops: timetables in which every vertex meets every vertex once,
// itself included, and has one partner at a time [sanders2002, section 2].
namespace quadrille::one_factor {

enum class Form : std::uint8_t {
  basic,         // k factors; vertex u meets (i - u) mod k in factor i
  concentrated,  // even k: all self-loops are in the last factor, so the first k - 1 have none
};

// The partner of `vertex` in factor `index`, 0 <= vertex, index < count. An involution; a vertex may meet itself.
constexpr Count partner(Form form, Count count, Count index, Count vertex) {
  if (form == Form::basic || count % 2 == 1) return modulo(index - vertex, count);
  if (index == count - 1) return vertex;
  // Without the last vertex, an odd number of vertices meet as in the basic form. The vertex that would meet itself meets the
  // last vertex.
  const Count odd = count - 1;
  if (vertex == odd) return index * (count / 2) % odd;
  const Count met = modulo(index - vertex, odd);
  return met == vertex ? odd : met;
}

// The factor in which u and v meet: partner(form, count, factor_of(form, count, u, v), u) == v.
constexpr Count factor_of(Form form, Count count, Count u, Count v) {
  if (form == Form::basic || count % 2 == 1) return (u + v) % count;
  const Count odd = count - 1;
  if (u == v) return odd;
  if (u == odd) return 2 * v % odd;
  if (v == odd) return 2 * u % odd;
  return (u + v) % odd;
}

// The number of factors that contain all pairs of different vertices. In the concentrated form these are the first factors.
constexpr Count factors_with_pairs(Count count) {
  if (count == 1) return 0;
  return count % 2 == 0 ? count - 1 : count;
}

}  // namespace quadrille::one_factor

namespace quadrille {

// Decompositions of the complete graph of k vertices into factors. In each factor every vertex sends to one vertex and
// receives from one vertex [sanders2002, section 3].
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
  // The number of factors that contain all pairs of different vertices. These are the first factors (of matchings: in the
  // concentrated form). If there is one more factor, it has only self-loops.
  constexpr Count factors_with_pairs(Count count) const {
    return into == Into::matchings ? one_factor::factors_with_pairs(count) : count - 1;
  }
};

}  // namespace quadrille
