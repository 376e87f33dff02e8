// SPDX-License-Identifier: BSD-3-Clause
// `quadrille list topologies`: what --topology takes.
#pragma once

#include <string>

#include "support/json.hpp"

namespace quadrille::command {

std::string topologies_text();
std::string topologies_markdown();
Json topologies_json();

}  // namespace quadrille::command
