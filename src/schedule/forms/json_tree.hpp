// SPDX-License-Identifier: BSD-3-Clause
// Parses a JSON text into a tree of values, in one pass and with a limit on the depth.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace quadrille {

// A region of a message of a round, in an array of documents, is 10 levels deep. Unknown keys may be deeper.
inline constexpr std::size_t most_json_depth = 64;

// Throws Error{malformed} with the place if `text` is not JSON, is deeper than `most_json_depth`, or has the same key
// twice in an object.
nlohmann::json json_tree(std::string_view text);

}  // namespace quadrille
