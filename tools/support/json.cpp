// SPDX-License-Identifier: BSD-3-Clause
#include "support/json.hpp"

#include <variant>

namespace quadrille::command {

std::string to_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

Json to_json(const ParameterValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json to_json(const Parameters& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters) object[name] = to_json(value);
  return object;
}

}  // namespace quadrille::command
