// SPDX-License-Identifier: BSD-3-Clause
// Small random schedules, for the random changes of mutants.hpp.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "support/cases.hpp"

namespace quadrille::testing {

// Draws a schedule with a few elements, of a size for which operators of all kinds exist; five of six are reductions.
inline Schedule drawn_schedule(std::mt19937_64& random) {
  const auto below = [&](std::size_t end) { return random() % end; };
  for (;;) {
    std::vector<const Algorithm*> algorithms;
    const bool reduces = below(6) > 0;
    for (const Algorithm* algorithm : all_algorithms())
      if (is_reduction(algorithm->collective) == reduces && algorithm->collective != Collective::barrier)
        algorithms.push_back(algorithm);
    const Algorithm& algorithm = *algorithms[below(algorithms.size())];
    const auto p = static_cast<Count>(2 + below(4));
    Problem problem = problem_of(algorithm.collective, p, static_cast<Bytes>(1 + below(3)),
                                 static_cast<Rank>(below(static_cast<std::size_t>(p))), random());
    if (reduces) {
      problem = with_elements_of(problem, std::array<Bytes, 3>{4, 8, 16}[below(3)]);
      problem.commutative = below(2) == 0;
      problem.reproducible = below(4) == 0;
    }
    const std::vector<Choice> choices = all_choices(algorithm, problem, 3);
    if (!choices.empty()) return make_schedule(problem, choices[below(choices.size())]);
  }
}

}  // namespace quadrille::testing
