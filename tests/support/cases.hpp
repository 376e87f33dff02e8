// SPDX-License-Identifier: BSD-3-Clause
// Cases for tests that run for every algorithm in the table: problems of any collective, and all settings of an
// algorithm's parameters.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "patterns/integers.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/traffic.hpp"
#include "support/environment.hpp"

namespace quadrille::testing {

// How many cases a test enumerates. Under sanitizers there are fewer, because sanitizers are slow and find other
// faults than wrong schedules. `./check --long` takes all cases.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
template <class T>
T extent(T under_sanitizers, T normally, T in_long_tests) {
  return sanitized ? under_sanitizers : long_tests() ? in_long_tests : normally;
}

// Returns a problem of any collective. Irregular ones get sizes drawn around `block_bytes`, some of them zero.
inline Problem problem_of(Collective collective, Count ranks, Bytes block_bytes, Rank root = 0, std::uint64_t seed = 1) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.block_bytes = is_irregular(collective) || collective == Collective::barrier ? 0 : block_bytes;
  problem.root = is_rooted(collective) ? root : 0;
  if (is_irregular(collective)) {
    std::mt19937_64 random(seed);
    std::vector<Bytes> counts(static_cast<std::size_t>(collective == Collective::alltoallv ? ranks * ranks : ranks));
    for (Bytes& count : counts) count = static_cast<Bytes>(random() % static_cast<std::uint64_t>(2 * block_bytes + 1));
    problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  }
  check(problem);
  return problem;
}

// Returns a problem on a grid, such as 4 x 3 ranks.
inline Problem problem_on(const std::vector<Count>& sides, Collective collective, Bytes block_bytes, Rank root = 0) {
  const Count ranks = std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>());
  Problem problem = problem_of(collective, ranks, block_bytes, root);
  problem.grid = sides;
  check(problem);
  return problem;
}

// Returns the roots to test: all for few ranks, otherwise the first, the last and one in between.
inline std::vector<Rank> roots_of(Collective collective, Count ranks, Count all_up_to = 9) {
  if (!is_rooted(collective)) return {0};
  if (ranks > all_up_to) return {0, 2 * ranks / 3, ranks - 1};
  std::vector<Rank> roots(static_cast<std::size_t>(ranks));
  std::iota(roots.begin(), roots.end(), Rank{0});
  return roots;
}

// Returns the problem with the same number of elements, but larger ones.
inline Problem with_elements_of(Problem problem, Bytes element_bytes) {
  problem.element_bytes = element_bytes;
  problem.block_bytes *= element_bytes;
  if (problem.counts) {
    std::vector<Bytes> counts = *problem.counts;
    for (Bytes& count : counts) count *= element_bytes;
    problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  }
  return problem;
}

// Returns problem_of for each root to test. Reductions get operators that commute, that do not, and the fixed tree (reproducible).
inline std::vector<Problem> problems_of(Collective collective, Count ranks, Bytes block_bytes, Count all_roots_up_to = 9) {
  std::vector<Problem> problems;
  for (const Rank root : roots_of(collective, ranks, all_roots_up_to)) {
    problems.push_back(problem_of(collective, ranks, block_bytes, root, static_cast<std::uint64_t>(root + 1)));
    if (!is_reduction(collective)) continue;
    Problem ordered = with_elements_of(problems.back(), 4);
    ordered.commutative = false;
    problems.push_back(ordered);
    ordered.commutative = ordered.reproducible = true;
    problems.push_back(ordered);
  }
  return problems;
}

// Returns three placements of ranks on nodes: nodes of 1, 2, 3, .. consecutive ranks; ranks dealt out in turn to nodes of equal or
// nearly equal size; and a random placement.
inline std::vector<std::vector<Count>> placements(Count ranks) {
  std::vector<std::vector<Count>> list(3);
  std::mt19937_64 random(static_cast<std::uint64_t>(ranks));
  for (Count rank = 0, node = 0, left = 1; rank < ranks; ++rank, --left) {
    if (left == 0) left = ++node + 1;
    list[0].push_back(node);
    list[1].push_back(rank % std::max<Count>(2, ranks / 3));
    list[2].push_back(static_cast<Count>(random() % 4) - 2);
  }
  return list;
}

// Returns the alltoallv without the messages from the second half of the ranks, and without those to the first half.
inline Problem in_groups(Problem problem) {
  std::vector<Bytes> counts = *problem.counts;
  for (Rank from = 0; from < problem.ranks; ++from)
    for (Rank to = 0; to < problem.ranks; ++to)
      if (from >= problem.ranks / 2 || to < problem.ranks / 2) counts[static_cast<std::size_t>(from * problem.ranks + to)] = 0;
  problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  return problem;
}

// Returns the alltoallv in which each rank has one block, of the longest of its counts, for all its targets.
inline Problem with_one_block_each(const Problem& problem) {
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < problem.ranks; ++from) {
    const std::vector<Bytes> row = Traffic(problem).row(from);
    for (Rank to = 0; to < problem.ranks; ++to)
      if (row[static_cast<std::size_t>(to)] > 0) entries.push_back({from, to, *std::max_element(row.begin(), row.end())});
  }
  return with_shared_blocks(Problem::alltoallv(problem.ranks, std::move(entries)));
}

// Returns problems_of, on a grid, with groups of senders and receivers, or with shared blocks if the algorithm needs them, and also
// on some placements if the algorithm depends on nodes.
inline std::vector<Problem> problems_of(const Algorithm& algorithm, Count ranks, Bytes block_bytes, Count all_roots_up_to = 9) {
  std::vector<Problem> problems = problems_of(algorithm.collective, ranks, block_bytes, all_roots_up_to);
  const auto applies = [&](const Problem& problem) { return quadrille::applies(problem, parse_choice(problem, algorithm.id)); };
  for (Problem& problem : problems) {
    if (applies(problem)) continue;
    Problem on_grid = problem;
    const Count rows = most_square_rows(ranks);
    on_grid.grid = {rows, ranks / rows};
    if (applies(on_grid))
      problem = on_grid;
    else if (problem.collective == Collective::alltoallv && applies(in_groups(problem)))
      problem = in_groups(problem);
    else if (problem.collective == Collective::alltoallv && applies(with_one_block_each(problem)))
      problem = with_one_block_each(problem);
  }
  if (!algorithm.node_ports) return problems;
  const std::vector<Problem> flat = problems;
  for (const std::vector<Count>& nodes : placements(ranks))
    for (Problem problem : flat) {
      problem.nodes = nodes;
      problems.push_back(std::move(problem));
    }
  return problems;
}

// Describes a problem in messages: "scatter p=5 b=8 root=2".
inline std::string description(const Problem& problem) {
  std::string text =
      fmt::format("{} p={} b={} root={}", name(problem.collective), problem.ranks, problem.block_bytes, problem.root);
  if (is_reduction(problem.collective))
    text += fmt::format(" element={}{}{}", problem.element_bytes, problem.commutative ? "" : " ordered",
                        problem.reproducible ? " reproducible" : "");
  if (!problem.nodes.empty()) text += fmt::format(" nodes={}", fmt::join(problem.nodes, ","));
  if (problem.counts) text += fmt::format(" counts={}", fmt::join(*problem.counts, ","));
  return text;
}

// Returns the largest number worth trying as a parameter: larger ones have the same effect for so many ranks and bytes.
inline Count most_telling_number(const Problem& problem) {
  if (problem.collective != Collective::alltoallv) return std::numeric_limits<Count>::max();
  return std::max(problem.ranks, Traffic(problem).longest());
}

// Returns all grids with so many ranks, such as "2x2x3": sides above 1, in every order.
inline std::vector<std::string> all_sides(Count ranks) {
  std::vector<std::string> list{fmt::format("{}", ranks)};
  for (Count side = 2; side < ranks; ++side)
    if (ranks % side == 0)
      for (const std::string& rest : all_sides(ranks / side)) list.push_back(fmt::format("{}x{}", side, rest));
  return list;
}

// Returns all words of a parameter, including those that its form allows. Of grids with two sides it returns only one.
inline std::vector<std::string> all_words(const Parameter& parameter, const Problem& problem) {
  std::vector<std::string> words = parameter.choices;
  if (parameter.is_of_the_form)
    for (const std::string& sides : all_sides(problem.ranks))
      if (parameter.is_of_the_form(sides) && (std::count(sides.begin(), sides.end(), 'x') != 1 || sides[0] == '2'))
        words.push_back(sides);
  return words;
}

// Returns all settings of the parameters that apply, with numbers up to `most_number`.
inline std::vector<Choice> all_choices(const Algorithm& algorithm, const Problem& problem,
                                       Count most_number = std::numeric_limits<Count>::max()) {
  most_number = std::min(most_number, most_telling_number(problem));
  std::vector<Choice> choices{{&algorithm, {}}};
  for (const Parameter& parameter : algorithm.parameters) {
    const std::vector<std::string> words = all_words(parameter, problem);
    std::vector<ParameterValue> values(words.begin(), words.end());
    if (values.empty())
      for (Count value = parameter.least; value <= std::min(most_number, parameter.most ? parameter.most(problem) : most_number);
           ++value)
        values.emplace_back(value);
    std::vector<Choice> extended;
    for (const Choice& choice : choices)
      for (const ParameterValue& value : values) {
        extended.push_back(choice);
        extended.back().parameters[std::string(parameter.name)] = value;
      }
    choices = std::move(extended);
  }
  std::erase_if(choices, [&](const Choice& choice) { return !applies(problem, choice); });
  return choices;
}

// Returns at most `most` of the choices, spread over the list.
inline std::vector<Choice> thinned(std::vector<Choice> choices, std::size_t most) {
  if (choices.size() <= most) return choices;
  std::vector<Choice> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(std::move(choices[i * choices.size() / most]));
  return some;
}

inline Choice standard_choice(const Algorithm& algorithm, const Problem& problem) { return parse_choice(problem, algorithm.id); }

inline std::vector<Rank> every_rank(Count ranks) {
  std::vector<Rank> list(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<Rank>(i);
  return list;
}

}  // namespace quadrille::testing
