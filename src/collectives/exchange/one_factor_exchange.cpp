// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/exchange/one_factor_exchange.hpp"

#include "collectives/exchange/timetable.hpp"

namespace quadrille {

Parameter factor_parameter() {
  return {
      .name = "factor",
      .summary = "self-loops of the factorisation: spread over the rounds (basic), or for even p all in the last (concentrated)",
      .standard = "concentrated",
      .choices = {"basic", "concentrated"}};
}

one_factor::Form factor_form(const Parameters& parameters) {
  return word(parameters, "factor") == "basic" ? one_factor::Form::basic : one_factor::Form::concentrated;
}

Program one_factor_exchange(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const auto factor = [form = factor_form(parameters), p](Rank from, Rank to) { return one_factor::factor_of(form, p, from, to); };
  return exchange_by_timetable(problem, {{{"exchange", 0, p}}, factor}, me);
}

}  // namespace quadrille
