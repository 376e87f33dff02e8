// SPDX-License-Identifier: BSD-3-Clause
// Chooses how to solve a problem: by measurements on this machine if there are any, otherwise by predicted price.
//
//   Decision decision = decide(problem, wisdom, {.executors = {Executor::shared, Executor::mpi}, .with_vendor = true});
//   to_string(decision.chosen);  // "bruck:radix=4,... blocking shared"
//   decision.reason;             // "measured on 2026-11-22: 3.2 us, 0.6 times the vendor's"
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/fit.hpp"
#include "quadrille/model_choice.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// The ways that a decision may choose, and what is known besides wisdom.
struct DecisionOptions {
  std::vector<Executor> executors = {Executor::mpi};  // executors of the group, the preferred one first
  bool with_vendor = false;                           // true if there is an MPI library whose own collective can be chosen
  bool own_counts_only = false;                       // alltoallv: each rank knows only what it sends and receives itself
  Effort effort = Effort::estimate;
  std::optional<MachineCosts> preset;  // supplies prices for executors without a fit, by the model that `choose_model` returns
  std::optional<Topology> topology;    // the network of the ranks, for models that count links
  Count cores = 0;                     // cores of a node, used with the preset; 0: one core per rank
  std::optional<Situation> situation;  // absent: the problem's own situation
  bool explain = false;                // price all ways even if measured times decide
};

// One way and what is known about it.
struct Considered {
  Way way;
  std::optional<Price> price;         // for our own algorithms: from the fit of the executor, or from the preset machine
  std::optional<double> predicted_s;  // computed from the price; for the vendor's collective, from its measured times
  std::optional<Timing> measured;     // measured time, from wisdom
  std::string rejected;               // why it was not chosen; empty for the chosen one
};

enum class Source : std::uint8_t {
  wisdom,    // measured earlier
  price,     // predicted
  standard,  // nothing is known, so the default algorithm was taken
};

std::string_view name(Source source);

struct Decision {
  Situation situation;
  Way chosen;
  Source source = Source::standard;
  double prediction_error = 0;  // the largest ExecutorFit::error of the fits that supplied prices; 0: unknown, as for a preset
  std::string preset;           // the preset machine that supplied the prices because nothing was measured here; empty: none
  bool is_exact = false;        // does a document's model define that machine (MachineCosts::is_exact)?
  ModelChoice model;            // the model of the prices, and why it is this one; null if nothing was priced
  std::string reason;           // one sentence
  // First the chosen way, then ways with measured times and ways with predicted times (both sorted, the fastest first), then the
  // others.
  std::vector<Considered> considered;
};

// Two ways are tied if their predicted times differ by at most the fraction that this function returns: the error of the
// predictions, but at least 3 %. It is 0 if a document's model defines the machine: then only equal times are tied.
double tie_tolerance(const Decision& decision);

// Returns true if the predicted time `seconds` is tied with the predicted time of the chosen way. If a way is faster than the
// chosen one by more than tie_tolerance, its larger number of rounds is the reason why it was not chosen.
bool is_tied(const Decision& decision, double seconds);

// Returns the choices worth pricing: for each algorithm that applies, the values of its parameters that may be the best
// (Parameter::worth_trying). If the algorithm states a symmetry, a choice is dropped if another choice of the algorithm has at
// most as many rounds, start-ups and bytes. Choices that state more than `most_ports` ports (Algorithm::ports) are left out.
std::vector<Choice> choices_worth_trying(const Problem& problem, bool own_counts_only = false,
                                         Count most_ports = std::numeric_limits<Count>::max());

// Returns each choice of choices_worth_trying under each policy and by each executor, and the vendor's collective if there is
// one.
std::vector<Way> ways(const Problem& problem, const DecisionOptions& options);

// Returns the model by which the preset prices the problem (choose_model). Only the model max-rate distinguishes between
// executors; with the other models all executors have the same price. Without a preset, or if no model applies, returns the
// reason.
Result<ModelChoice> model_of_preset(const Problem& problem, const DecisionOptions& options);

// Chooses a way. Local and pure: equal arguments give equal decisions on all ranks. Throws Error{misuse} if the effort is
// wisdom_only and wisdom has no record that answers for the situation.
Decision decide(const Problem& problem, const Wisdom& wisdom, const DecisionOptions& options);

// Forgets the wisdom that this process has read or measured. When a plan next has to choose, rank 0 reads the wisdom file again
// and sends its contents to all ranks.
void forget_wisdom();

}  // namespace quadrille
