// SPDX-License-Identifier: BSD-3-Clause
// One cell of wisdom: the ways to solve one problem race in heats, and those that are clearly slower leave after each.
//
//   Wisdom found{.machine = fingerprint(communicator)};
//   found.add(tune_cell(communicator, problem, promising_ways(problem, knowledge, options), {.operation = sum}));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/decision.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

struct TuneOptions {
  // The fewest rounds of each heat; later heats have more where the time allows it. With five rounds a way leaves if all five
  // ratios to the best are worse than `clearly_slower`; more rounds allow for outliers.
  std::vector<int> heats = {5, 5, 7};
  double clearly_slower = 1.05;               // the whole interval of the ratio to the best lies above it
  double seconds = 1;                         // about how long all heats may take
  std::shared_ptr<const Operator> operation;  // as in RaceOptions
  std::optional<Situation> situation;         // of the record; absent: the problem's
  // Called on rank 0.
  std::function<void(int round, int rounds, std::size_t ways)> progress;  // of the heat
  std::function<void(const std::string& sentence)> wrong;                 // a way gave wrong data
};

// The alltoallv of equal counts among the same ranks: what ways are priced for where nobody knows all counts.
Problem with_equal_counts(const Problem& problem, Bytes block_bytes);

// Which ways are worth a race: the cheapest by price, but few of each algorithm and executor; of each other algorithm the cheapest,
// unless it is far from the best, and the one with its default parameters; `known_good` as far as they apply, such as the fastest
// for another size; the default algorithm; and the vendor's collective. Local and pure, like `decide`.
std::vector<Way> promising_ways(const Problem& problem, const Wisdom& wisdom, const DecisionOptions& options,
                                const std::vector<Way>& known_good = {}, std::size_t how_many = 8);

// Collective. Every rank gets the same record. The times of ways that
// left early are their ratios to the best, times what the best took in the last heat, so that all can be compared. Ways that do not
// apply, and those whose data was wrong, are not in it. Throws Error{misuse} if nothing is left, and like `race`.
WisdomRecord tune_cell(Communicator& communicator, const Problem& problem, const std::vector<Way>& ways,
                       const TuneOptions& options = {});

}  // namespace quadrille
