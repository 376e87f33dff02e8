// SPDX-License-Identifier: BSD-3-Clause
// Measures one cell of wisdom, that is, one situation. The ways to solve one problem race in several elimination rounds. After each
// round the clearly slower ways are eliminated.
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

struct CellRaceOptions {
  // The least number of repetitions of each round; later rounds have more if time allows. With five repetitions, a way is
  // eliminated only if all five ratios to the best way are above `clearly_slower`. With more repetitions, a few of the ratios may
  // be below.
  std::vector<int> elimination_rounds = {5, 5, 7};
  double clearly_slower = 1.05;               // a way is eliminated if the whole interval of its ratio to the best lies above this
  double seconds = 1;                         // approximate duration of all rounds
  std::shared_ptr<const Operator> operation;  // as in RaceOptions
  std::optional<Situation> situation;         // of the record; absent: the problem's situation
  // These are called on rank 0.
  std::function<void(int repetition, int repetitions, std::size_t ways)> progress;  // progress within the round
  std::function<void(const std::string& sentence)> wrong;                           // reports a way that gave wrong data
};

// Returns an alltoallv on the same ranks whose counts fit the situation. All ranks send to equally many others. At each rank one
// block is longer than the others, by the factor of the irregularity. Rank 0 sends more than the other ranks, by the factor of
// the skew. The price of the result replaces the price of an alltoallv whose counts no rank knows in full. If there are many
// ranks, all counts are equal.
Problem with_alike_counts(const Problem& problem, const Situation& situation);

// Returns the ways that are worth racing: the ways with the lowest prices, but only a few of each algorithm and executor; of each
// other algorithm the cheapest way, unless it is hopeless, and the way with default parameters; the ways of `known_good` that
// apply, such as the fastest ways for another size; the default algorithm; and the vendor's collective. Local and pure, like
// `decide`.
std::vector<Way> promising_ways(const Problem& problem, const Wisdom& wisdom, const DecisionOptions& options,
                                const std::vector<Way>& known_good = {}, std::size_t how_many = 8);

// Collective: races the ways and returns the same record on every rank. So that all times can be compared, the time of a way that
// was eliminated early is the best way's time in the last round, multiplied by the ratio of the eliminated way to the best way.
// Ways that do not apply or gave wrong data are not in the record. Throws Error{misuse} if no way is left, and like `race`.
WisdomRecord tune_cell(Communicator& communicator, const Problem& problem, const std::vector<Way>& ways,
                       const CellRaceOptions& options = {});

}  // namespace quadrille
