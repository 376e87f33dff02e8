// SPDX-License-Identifier: BSD-3-Clause
// The table of environment variables, as `quadrille list environment` prints it.
#pragma once

#include <string>

#include "support/json.hpp"

namespace quadrille::command {

std::string environment_text();
std::string environment_markdown();
Json environment_json();

}  // namespace quadrille::command
