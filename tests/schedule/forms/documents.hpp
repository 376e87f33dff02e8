// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of both forms of a schedule: schedules for every row of the table of algorithms, and comparison
// of schedules.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "quadrille/error.hpp"
#include "schedule/comparison.hpp"
#include "schedule/forms/document.hpp"

namespace quadrille {

inline std::string text_of(const Schedule& schedule) {
  std::ostringstream out;
  write_text(out, schedule);
  return out.str();
}

inline std::string json_of(const Schedule& schedule) {
  std::ostringstream out;
  write_json(out, schedule);
  return out.str();
}

inline std::vector<Program> programs_of(const Schedule& schedule) {
  std::vector<Program> programs;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs.push_back(schedule.program(rank));
  return programs;
}

inline auto members(const Problem& problem) {
  return std::tuple(problem.collective, problem.ranks, problem.block_bytes, problem.counts ? *problem.counts : std::vector<Bytes>{},
                    problem.root, problem.element_bytes, problem.commutative, problem.reproducible, problem.nodes, problem.grid);
}

// Returns a problem; if the collective is irregular, its sizes differ and include 0.
inline Problem problem_of(Collective collective, Count ranks, Bytes block_bytes) {
  Problem problem{.collective = collective, .ranks = ranks};
  if (is_rooted(collective)) problem.root = ranks - 1;
  if (is_irregular(collective)) {
    std::vector<Bytes> counts(static_cast<std::size_t>(collective == Collective::alltoallv ? ranks * ranks : ranks));
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = block_bytes * static_cast<Bytes>(i % 4);
    problem.counts = std::make_shared<const std::vector<Bytes>>(counts);
  } else if (collective != Collective::barrier) {
    problem.block_bytes = block_bytes;
  }
  return problem;
}

// Calls visit(schedule) for every row of the table, with its defaults and with each parameter changed in turn.
inline void for_each_schedule(Count most_ranks, const std::vector<Bytes>& block_sizes,
                              const std::function<void(const Schedule&)>& visit) {
  for (const Algorithm* algorithm : all_algorithms())
    for (Count ranks = 1; ranks <= most_ranks; ++ranks)
      for (const Bytes block_bytes : block_sizes) {
        const Problem problem = problem_of(algorithm->collective, ranks, block_bytes);
        std::vector<std::string> specifications{std::string(algorithm->id)};
        for (const Parameter& parameter : algorithm->parameters) {
          const std::string prefix = std::string(algorithm->id) + ':' + std::string(parameter.name) + '=';
          for (const std::string& choice : parameter.choices) specifications.push_back(prefix + choice);
          if (!parameter.choices.empty()) continue;
          const Count most = std::min(parameter.most ? parameter.most(problem) : parameter.least + 3, parameter.least + 9);
          for (Count value = parameter.least; value <= most; ++value) specifications.push_back(prefix + std::to_string(value));
        }
        for (const std::string& specification : specifications) {
          const Choice choice = parse_choice(problem, specification);
          if (applies(problem, choice)) visit(make_schedule(problem, choice));
        }
      }
}

// Returns the error with which `text` is refused as malformed; empty if it is accepted, or refused for another
// reason.
inline std::string refusal(const std::string& text) {
  try {
    parse_documents(text);
  } catch (const Error& error) {
    return error.code() == ErrorCode::malformed ? error.what() : "";
  }
  return "";
}

}  // namespace quadrille
