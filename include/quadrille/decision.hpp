// SPDX-License-Identifier: BSD-3-Clause
// Choosing how a problem is solved: by what was measured on this machine, else by price.
//
//   Decision decision = decide(problem, wisdom, {.executors = {Executor::shared, Executor::messages}, .with_vendor = true});
//   decision.chosen.algorithm;  // "bruck:radix=4,..."
//   decision.reason;            // "measured on 2026-11-22: 3.2 us, 0.6 times the vendor's"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/model.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// What there is to choose from.
struct DecisionOptions {
  std::vector<Executor> executors = {Executor::messages};  // that the group has, the preferred one first
  bool with_vendor = false;                                // is there an MPI library, whose own collective can be taken?
  bool blocking_only = false;                              // leave policies nonblocking and dataflow out
  Effort effort = Effort::estimate;                        // wisdom_only: by measured times or not at all
};

// A candidate, and what is known about it.
struct Considered {
  Way way;
  std::optional<Price> price;         // by the fit of its executor, or by the preset machine; absent for the vendor's collective
  std::optional<double> predicted_s;  // of the price; of the vendor's collective, by its own fit
  std::optional<Timing> measured;     // by wisdom
  std::string rejected;               // why it was not taken; empty for the one that was
};

enum class Source : std::uint8_t {
  wisdom,   // measured before
  race,     // measured when the plan was made
  price,    // predicted
  standard  // nothing is known: the default algorithm
};

std::string_view name(Source source);

struct Decision {
  Situation situation;
  Way chosen;
  Source source = Source::standard;
  bool assumed = false;                // prices rest on a preset machine whose figures were not measured here
  std::string reason;                  // one sentence
  std::vector<Considered> considered;  // the best first
};

// The ways that are worth pricing: each algorithm that applies, with the values of its parameters that may be best (of Bruck's
// those for which no other has both fewer rounds and fewer bytes), under each policy, by each executor; and the vendor's
// collective.
std::vector<Way> ways(const Problem& problem, const DecisionOptions& options);

// Local and pure: the same arguments give the same decision on all ranks. Throws Error{misuse} where the effort is wisdom_only and
// there is none for the situation.
Decision decide(const Problem& problem, const Wisdom& wisdom, const DecisionOptions& options);

}  // namespace quadrille
