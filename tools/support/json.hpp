// SPDX-License-Identifier: BSD-3-Clause
// JSON as the command prints it: keys keep the order in which they were written, and invalid UTF-8 in text is repaired.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <variant>

#include "quadrille/schedule.hpp"

namespace quadrille::command {

using Json = nlohmann::ordered_json;

inline std::string to_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

inline Json to_json(const ParameterValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

inline Json to_json(const Parameters& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters) object[name] = to_json(value);
  return object;
}

}  // namespace quadrille::command
