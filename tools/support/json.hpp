// SPDX-License-Identifier: BSD-3-Clause
// JSON as the command prints it: keys keep the order in which they were written, and invalid UTF-8 in text is repaired.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "quadrille/schedule.hpp"

namespace quadrille::command {

using Json = nlohmann::ordered_json;

std::string to_text(const Json& json);
Json to_json(const ParameterValue& value);
Json to_json(const Parameters& parameters);

}  // namespace quadrille::command
