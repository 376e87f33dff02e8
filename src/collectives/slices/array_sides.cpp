// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/array_sides.hpp"

#include <fmt/format.h>

#include "collectives/slices/array_route.hpp"
#include "foundation/text/parsing.hpp"
#include "patterns/rank_array.hpp"

namespace quadrille {
namespace {

// Parses text such as "4x4x4" into sides. Returns nothing if the text does not have this form.
std::optional<std::vector<Count>> parse_sides(std::string_view text) {
  std::vector<Count> sides;
  for (const std::string_view part : split(text, 'x')) {
    const auto side = number_in<Count>(part);
    if (!side || *side < 1) return std::nullopt;
    sides.push_back(*side);
  }
  return sides;
}

}  // namespace

std::vector<Count> sides_of(const Parameters& parameters) {
  const auto given = parameters.find("sides");
  if (given == parameters.end() || std::get<std::string>(given->second) == "none") return {};
  return *parse_sides(std::get<std::string>(given->second));
}

Parameter sides_parameter() {
  return {
      .name = "sides",
      .summary = "sides of an array of ranks with any number of dimensions, one stage for each: more dimensions, fewer messages",
      .standard = "none",
      .choices = {"none"},
      .form = "sides, such as 4x4x4, whose product is p or of which only the last row along the first side is short",
      .is_of_the_form = [](std::string_view text) { return parse_sides(text).has_value(); }};
}

Parameter columns_parameter() {
  return {.name = "columns",
          .summary = "columns of the grid of ranks, for example the ranks of a node",
          .standard = Count{1},
          .standard_for = [](const Problem& problem, const Parameters& before) -> ParameterValue {
            const std::vector<Count> sides = sides_of(before);
            return sides.empty() ? RankArray::best_columns(problem.ranks) : sides.back();
          },
          .standard_rule = "the last of sides, else best: the fewest rounds",
          .least = 1,
          .most = [](const Problem& problem) { return problem.ranks; },
          .range = "1..p, if the last row is full or not longer than the column above it; or best; or paper: about the root of p",
          .named = {{"best", [](const Problem& problem) { return RankArray::best_columns(problem.ranks); }},
                    {"paper", [](const Problem& problem) { return RankArray::paper_columns(problem.ranks); }}}};
}

Result<> columns_apply(const Problem& problem, const Parameters& parameters) {
  const Count p = problem.ranks, columns = number(parameters, "columns");
  if (RankArray::is_valid(p, columns)) return {};
  return cannot(fmt::format("{} ranks in {} columns make {} full rows and a row of {}; each rank of that row needs a full row", p,
                            columns, p / columns, p % columns));
}

Result<> array_applies(const Problem& problem, const Parameters& parameters) {
  const std::vector<Count> sides = sides_of(parameters);
  if (sides.empty()) return columns_apply(problem, parameters);
  if (auto fits = ArrayRoute::check(problem.ranks, sides); !fits) return fits;
  if (const Count columns = number(parameters, "columns"); columns != sides.back())
    return cannot(fmt::format("sides={} has rows of {} ranks, which contradicts columns={}; give only one of the two",
                              word(parameters, "sides"), sides.back(), columns));
  return {};
}

}  // namespace quadrille
