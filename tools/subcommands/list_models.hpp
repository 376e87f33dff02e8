// SPDX-License-Identifier: BSD-3-Clause
// `quadrille list models`, `quadrille list machines` and `quadrille list topologies`: the cost models, the machines with figures
// for them, and what --topology takes.
#pragma once

#include <string>

#include "support/text.hpp"

namespace quadrille::command {

std::string models_text();
std::string models_markdown();
Json models_json();

// Lists the installed machines and the user's own. If a file cannot be read, its entry says why.
std::string machines_text();
std::string machines_markdown();
Json machines_json();

std::string topologies_text();
std::string topologies_markdown();
Json topologies_json();

}  // namespace quadrille::command
