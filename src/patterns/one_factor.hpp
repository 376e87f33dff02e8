// SPDX-License-Identifier: BSD-3-Clause
// 1-factorisations of the complete graph with self-loops: timetables in which every vertex meets every vertex once,
// itself included, and has one partner at a time [sanders2002, section 2].
#pragma once

#include "patterns/modulo.hpp"
#include "quadrille/types.hpp"

namespace quadrille::one_factor {

enum class Form : std::uint8_t {
  basic,         // k factors; vertex u meets (i - u) mod k in factor i
  concentrated,  // even k: all self-loops are in the last factor, so the first k - 1 have none
};

// The partner of `vertex` in factor `index`, 0 <= vertex, index < count. An involution; a vertex may meet itself.
constexpr Count partner(Form form, Count count, Count index, Count vertex) {
  if (form == Form::basic || count % 2 == 1) return modulo(index - vertex, count);
  if (index == count - 1) return vertex;
  // The other vertices, an odd number, meet as in the basic form. The vertex that would meet itself there meets the last vertex.
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

// The number of factors that contain all pairs of different vertices. They are the first factors (concentrated form).
constexpr Count factors_with_pairs(Count count) {
  if (count == 1) return 0;
  return count % 2 == 0 ? count - 1 : count;
}

}  // namespace quadrille::one_factor
