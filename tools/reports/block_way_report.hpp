// SPDX-License-Identifier: BSD-3-Clause
// The way of one block through a schedule, as text and as JSON.
#pragma once

#include <string>

#include "quadrille/block_way.hpp"
#include "support/json.hpp"

namespace quadrille::command {

std::string text_of(const BlockWay& way, const std::string& heading);  // one step per line
Json json_of(const BlockWay& way);

}  // namespace quadrille::command
