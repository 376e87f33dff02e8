// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/short_specification.hpp"

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

std::string short_specification(const Schedule& schedule) {
  const Algorithm* algorithm = find_algorithm(schedule.problem.collective, schedule.algorithm);
  if (!algorithm) return specification(schedule);
  const auto is_known = [&](const auto& stated) {
    return std::any_of(algorithm->parameters.begin(), algorithm->parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == stated.first; });
  };
  if (!std::all_of(schedule.parameters.begin(), schedule.parameters.end(), is_known)) return specification(schedule);
  try {
    Choice stated = shortened(schedule.problem, completed(schedule.problem, {algorithm, schedule.parameters}));
    std::erase_if(stated.parameters, [&](const auto& parameter) { return !schedule.parameters.contains(parameter.first); });
    return specification(stated);
  } catch (const Error&) {
    return specification(schedule);
  }
}

}  // namespace quadrille
