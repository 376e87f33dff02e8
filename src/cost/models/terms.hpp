// SPDX-License-Identifier: BSD-3-Clause
// What the files of models share.
#pragma once

#include <algorithm>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

constexpr double microsecond = 1e-6;

inline double seconds(const Coefficients& coefficients, std::string_view key) {
  return coefficients.find(key)->second * microsecond;
}

inline PriceTerm startups_term(std::string_view name, Count amount, double seconds_each) {
  return {name, amount, false, static_cast<double>(amount) * seconds_each};
}

inline PriceTerm bytes_term(std::string_view name, Bytes amount, double seconds_each) {
  return {name, amount, true, static_cast<double>(amount) * seconds_each};
}

// The longest message of a round, as often as messages share its busiest link.
inline Bytes shared_bytes(const RoundFigures& round) {
  Bytes product = 0;
  if (__builtin_mul_overflow(std::max<Count>(1, round.sharing), round.longest, &product))
    throw Error(ErrorCode::too_large, "the messages that share a link together reach 2^63 bytes; make the sizes smaller");
  return product;
}

// Of a model that knows no overlap.
inline Price sum_of(std::vector<PriceTerm> terms) {
  Price price{.terms = std::move(terms)};
  for (const PriceTerm& term : price.terms) price.blocking_s += term.seconds;
  price.nonblocking_s = price.dataflow_s = price.blocking_s;
  return price;
}

}  // namespace quadrille
