// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/told_ways.hpp"

#include <fmt/format.h>

#include "foundation/assert.hpp"
#include "foundation/text/parsing.hpp"
#include "mpi_face/policy/cause.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr char line_end = '\n', field_end = '\t';

}  // namespace

std::string text_of(const std::vector<Way>& ways, const Decision& decision) {
  std::string text;
  for (const Way& way : ways) {
    const bool is_chosen = text.empty() && way == decision.chosen;
    text += fmt::format("{1}{0}{2}{0}{3}{0}{4}{0}{5}{6}", field_end, way.algorithm, static_cast<int>(way.policy), way.buffers,
                        static_cast<int>(way.executor), is_chosen ? decision.reason : "it was the fastest in a trial", line_end);
  }
  return text.empty() ? std::string(sentence(Cause::no_contender)) : text;
}

bool has_ways(std::string_view text) { return text.ends_with(line_end); }

std::vector<ToldWay> parse_ways(std::string_view text) {
  QUADRILLE_ASSERT(has_ways(text));
  std::vector<ToldWay> ways;
  for (const std::string_view line : split(text.substr(0, text.size() - 1), line_end)) {
    const std::vector<std::string_view> fields = split(line, field_end);
    QUADRILLE_ASSERT(fields.size() == 5);
    const auto number = [&](std::size_t field) { return number_in<int>(fields[field]).value_or(0); };
    ways.push_back({{.algorithm = std::string(fields[0]),
                     .policy = static_cast<Policy>(number(1)),
                     .buffers = number(2),
                     .executor = static_cast<Executor>(number(3))},
                    std::string(fields[4])});
  }
  return ways;
}

}  // namespace quadrille::mpi_face
