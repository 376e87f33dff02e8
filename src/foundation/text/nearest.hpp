// SPDX-License-Identifier: BSD-3-Clause
// The suggestion "did you mean '...'?" of a refusal: the known word that is most similar to a given word.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille {

// Returns the entry of `known` with the least edit distance to `word`, and the first if there are several. Returns nothing if
// the distance is too large for a typing error: more than 2 and more than a third of the entry's length, or, if the first letters
// differ, more than a quarter of it.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// Returns the end of the sentence that refuses `word`: "did you mean 'X'?" with the nearest word, or else `otherwise`.
std::string guess_or(std::string_view word, const std::vector<std::string>& known, std::string_view otherwise);

// The same with a list of all words otherwise: "there are: A, B", or "there are: none".
std::string guess_or_list(std::string_view word, const std::vector<std::string>& known);

}  // namespace quadrille
