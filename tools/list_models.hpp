// SPDX-License-Identifier: BSD-3-Clause
// `quadrille list models` and `quadrille list machines`: what prices are made of.
#pragma once

#include <string>

#include "json.hpp"

namespace quadrille::command {

std::string models_text();
std::string models_markdown();
Json models_json();

// Those that are installed, and the user's. A file that cannot be read is told of in its place.
std::string machines_text();
std::string machines_markdown();
Json machines_json();

}  // namespace quadrille::command
