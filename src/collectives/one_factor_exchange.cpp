// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/one_factor_exchange.hpp"

#include "collectives/timetable.hpp"

namespace quadrille {

Parameter factor_parameter() {
  return {.name = "factor",
          .summary = "where the self-loops are: spread over the rounds, or (even p) all in the last",
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
