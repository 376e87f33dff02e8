// SPDX-License-Identifier: BSD-3-Clause
#include "options/rank_scale.hpp"

#include <fmt/format.h>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_times = 1'000'000;

std::vector<Count> sides_of(std::string_view text) {
  std::vector<Count> sides;
  while (true) {
    const std::size_t end = std::min(text.find('x'), text.size());
    sides.push_back(parse_whole(text.substr(0, end), "a side of a grid of --scale", 1));
    if (end == text.size()) return sides;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

RankScale parse_scale(const std::string& text, Count recorded) {
  const std::size_t colon = text.find(':'), equals = text.find('=');
  const std::vector<std::string> rules{"same", "weak", "strong"};
  if (colon == std::string::npos)
    refuse(fmt::format("--scale is a factor or two grids, and how blocks scale ({}), such as 8:weak or 2x4=4x16:weak, not '{}'",
                       alternatives(rules), text));
  const std::string rule = text.substr(colon + 1);
  const auto blocks = block_scale_named(rule);
  if (!blocks) refuse_unknown("rule of --scale", rule, rules);
  const std::string_view grids = std::string_view(text).substr(0, colon);
  if (equals < colon)
    return {.from = sides_of(grids.substr(0, equals)), .to = sides_of(grids.substr(equals + 1)), .blocks = *blocks};
  const Count times = parse_whole(grids, "the factor of --scale", 2);
  if (times > most_times) refuse(fmt::format("--scale {} makes too many ranks", text));
  return {.from = {recorded}, .to = {recorded * times}, .blocks = *blocks};
}

std::string scale_hint(Count recorded, Count wanted) {
  if (recorded < 2 || wanted <= recorded || wanted % recorded != 0 || wanted > most_scaled_ranks) return "";
  return fmt::format("; --scale {}:weak makes {} ranks of the {} recorded ones", wanted / recorded, wanted, recorded);
}

}  // namespace quadrille::command
