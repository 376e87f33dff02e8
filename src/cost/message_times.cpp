// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/message_times.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"

namespace quadrille {

MessageTimes message_times(const Model& model, const MachineCosts& machine) {
  return message_times(model, coefficients_of(machine, model));
}

MessageTimes message_times(const Model& model, const Coefficients& coefficients) {
  if (model.times_of_message) return model.times_of_message(coefficients);
  throw Error(
      ErrorCode::misuse,
      fmt::format("the model {} prices rounds, not single messages; only loggp, linear and flat can simulate events", model.id));
}

}  // namespace quadrille
