// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/region_words.hpp"

#include <fmt/format.h>

#include "foundation/text/counted.hpp"

namespace quadrille {

std::string in_words(const Region& region) {
  std::string text = fmt::format("{} from {}[{}]", counted(region.length, "byte"), name(region.buffer), region.offset);
  const char* all_that = "";
  for (const Level& level : region.levels) {
    if (level.count == 1) continue;
    text += fmt::format(", {}{}, {} apart", all_that, counted(level.count, "time"), counted(level.stride, "byte"));
    all_that = "all that ";
  }
  return text;
}

}  // namespace quadrille
