// SPDX-License-Identifier: BSD-3-Clause
// `quadrille list models` and `quadrille list machines`: the cost models, and the machines with figures for them.
#pragma once

#include <string>

#include "support/json.hpp"

namespace quadrille::command {

std::string models_text();
std::string models_markdown();
Json models_json();

// Lists the installed machines and the user's own. If a file cannot be read, its entry says why.
std::string machines_text();
std::string machines_markdown();
Json machines_json();

}  // namespace quadrille::command
