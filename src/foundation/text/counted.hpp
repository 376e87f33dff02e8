// SPDX-License-Identifier: BSD-3-Clause
// Numbers with the thing that they count: "1 rank", "2 ranks".
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace quadrille {

// The plural of `thing` must end with an s.
std::string counted(std::integral auto count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace quadrille
