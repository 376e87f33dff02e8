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

#include "quadrille/fit.hpp"
#include "quadrille/model.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// What there is to choose from, and what is known beside wisdom.
struct DecisionOptions {
  std::vector<Executor> executors = {Executor::messages};  // that the group has, the preferred one first
  bool with_vendor = false;                                // is there an MPI library whose own collective can be taken?
  bool own_counts_only = false;  // alltoallv: ranks know what they send and receive themselves, and no other counts
  Effort effort = Effort::estimate;
  std::optional<MachineCosts> preset;  // whose figures serve where nothing was fitted; it has a table for the model max-rate
  Count cores = 0;                     // of a node, with the preset; 0: one for each rank
  std::optional<Situation> situation;  // absent: the problem's
  bool explain = false;                // price all ways, also where measured times decide
};

// A candidate, and what is known about it.
struct Considered {
  Way way;
  std::optional<Price> price;         // of ours, by the fit of its executor or by the preset machine
  std::optional<double> predicted_s;  // by the price; of the vendor's collective by its own curve
  std::optional<Timing> measured;     // by wisdom
  std::string rejected;               // why it was not taken; empty for the one that was
};

enum class Source : std::uint8_t {
  wisdom,    // measured before
  price,     // predicted
  standard,  // nothing is known: the default algorithm
};

std::string_view name(Source source);

struct Decision {
  Situation situation;
  Way chosen;
  Source source = Source::standard;
  std::string preset;                  // the machine whose figures prices rest on, which were not measured here; empty: none
  std::string reason;                  // one sentence
  std::vector<Considered> considered;  // the chosen one first; then by measured times; then by predicted ones; then the others
};

// The choices that are worth pricing: of each algorithm that applies, the values of its parameters among which the best may be
// (Parameter::worth_trying). Of an algorithm that states a symmetry, those for which no other has fewer rounds, start-ups and
// bytes.
std::vector<Choice> choices_worth_trying(const Problem& problem, bool own_counts_only = false);

// These under each policy and by each executor, and the vendor's collective.
std::vector<Way> ways(const Problem& problem, const DecisionOptions& options);

// Local and pure: the same arguments give the same decision on all ranks. Throws Error{misuse} where the effort is wisdom_only and
// there is no wisdom for the situation.
Decision decide(const Problem& problem, const Wisdom& wisdom, const DecisionOptions& options);

// What a plan needs to run this way. Throws Error{misuse} where the text does not fit the problem.
PlanOptions plan_options_of(const Problem& problem, const Way& way);

// Forgets what this process has read and measured: its next plan that chooses has rank 0's knowledge, which rank 0 reads anew.
void forget_wisdom();

}  // namespace quadrille
