// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/message_times.hpp"

#include <fmt/format.h>

#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

MessageTimes message_times(const Model& model, const MachineCosts& machine) {
  return message_times(model, coefficients_of(machine, model));
}

MessageTimes message_times(const Model& model, const Coefficients& coefficients) {
  if (model.times_of_message) return model.times_of_message(coefficients);
  std::vector<std::string_view> others;
  for (const Model* each : all_models())
    if (each->times_of_message) others.push_back(each->id);
  throw Error(ErrorCode::misuse, fmt::format("the model {} prices rounds, not single messages; take {} to simulate events",
                                             model.id, alternatives(others)));
}

}  // namespace quadrille
