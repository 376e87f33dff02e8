// SPDX-License-Identifier: BSD-3-Clause
#include "problem/problem_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "foundation/text/byte_text.hpp"
#include "foundation/text/counted.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

std::vector<Bytes> sizes_of(const Problem& problem) {
  if (!moves_data(problem.collective)) return {};
  if (!is_irregular(problem.collective)) return {problem.block_bytes};
  if (problem.counts) {
    const auto [least, most] = std::minmax_element(problem.counts->begin(), problem.counts->end());
    return {*least, *most};
  }
  Bytes least = std::numeric_limits<Bytes>::max();
  for (Rank from = 0; from < problem.ranks && least > 0; ++from) {
    const std::vector<Bytes> row = Traffic(problem).row(from);
    least = std::min(least, *std::min_element(row.begin(), row.end()));
  }
  return {least, Traffic(problem).longest()};
}

std::string block_text(const Problem& problem) {
  std::vector<std::string> texts;
  for (const Bytes size : sizes_of(problem)) texts.push_back(bytes_text(size));
  return texts.empty() ? "–" : fmt::format("{}", fmt::join(texts, ".."));
}

std::string problem_text(const Problem& problem) {
  std::string text = counted(problem.ranks, "rank");
  if (moves_data(problem.collective))
    text += fmt::format(", {} a {}", block_text(problem), is_irregular(problem.collective) ? "share" : "block");
  if (is_rooted(problem.collective)) text += fmt::format(", root {}", problem.root);
  return text;
}

std::string collective_text(const Problem& problem) {
  return fmt::format("{} among {}", name(problem.collective), problem_text(problem));
}

std::vector<Bytes> all_counts(const Problem& problem) {
  if (problem.counts) return *problem.counts;
  std::vector<Bytes> counts;
  for (Rank from = 0; from < problem.ranks; ++from) {
    const std::vector<Bytes> row = Traffic(problem).row(from);
    counts.insert(counts.end(), row.begin(), row.end());
  }
  return counts;
}

}  // namespace quadrille
