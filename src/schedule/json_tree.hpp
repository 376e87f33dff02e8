// SPDX-License-Identifier: BSD-3-Clause
// A JSON text as a tree of values, made in one pass and no deeper than a schedule may be.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace quadrille {

// A region in a message in a round of one of several documents lies 10 deep; keys that the format does not know may lie deeper.
inline constexpr std::size_t most_json_depth = 64;

// Throws Error{malformed} with the place where `text` is no JSON, is deeper than `most_json_depth`, or has a key twice
// in one object.
nlohmann::json json_tree(std::string_view text);

}  // namespace quadrille
