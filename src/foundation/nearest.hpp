// SPDX-License-Identifier: BSD-3-Clause
// The suggestion "did you mean '...'?" of a refusal: the known word that is most like the one that was given.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille {

// The entry of `known` with the least edit distance to `word`; nothing if that distance is more than 2 and more than a third of the
// entry's length. Of several with the least distance, the first.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace quadrille
