// SPDX-License-Identifier: BSD-3-Clause
// An algorithm is a record (Algorithm): its name, its parameters and the functions that generate its programs. One file
// under src/collectives defines the algorithm and its record, and one row of src/collectives/table.cpp lists it. The
// command, the tests, the race and the documentation read that table, so nothing else has to change for a new
// algorithm. If several collectives share an algorithm, such as gather and gatherv, its file has a function that makes a record
// for each of them, and the row names these collectives.
//
// The head of each algorithm's file has the source, what the algorithm needs, its idea, its cost and when to prefer it. Costs are
// formulas in p (ranks), b (bytes of a block or vector), C1 and C2. C1 is the number of rounds that have a message. C2 is the
// sum, over the rounds, of the length of the longest message, in bytes or blocks. A rank with k ports sends and receives up to k
// messages in a round.
//
//   const Algorithm* bruck = find_algorithm(Collective::alltoall, "bruck");
//   Schedule schedule = make_schedule(Problem::alltoall(64, 8), "bruck:radix=8,ports=2");
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/problem.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/result.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// A word that may be given instead of a number; the number it stands for depends on the problem. Example: columns=best.
struct NamedNumber {
  std::string_view name;
  Count (*value)(const Problem&) = nullptr;
};

// The value of a parameter is a whole number, whose range may depend on the problem, or one of a few words. Instead of these
// words, some parameters also accept text of a given form, such as 4x4x4.
struct Parameter {
  std::string_view name;
  std::string_view summary;
  ParameterValue standard = Count{1};  // the default; if it is outside the problem's range, it is clipped to that range
  // Computes a default that depends on the problem and on parameters listed earlier. The result is clipped as well.
  ParameterValue (*standard_for)(const Problem&, const Parameters& before) = nullptr;
  std::string_view standard_rule;    // describes the default computed by `standard_for`
  std::vector<std::string> choices;  // the words allowed; empty if the parameter is a number
  std::string_view form = {};        // describes the text that is also accepted: "sides, such as 4x4x4"; empty: none
  bool (*is_of_the_form)(std::string_view) = nullptr;
  Count least = 1;                          // numbers only: the smallest value
  Count (*most)(const Problem&) = nullptr;  // numbers only: the largest value; null: no upper limit
  std::string_view range;                   // numbers only: the range as text, such as "2..max(2,p)"
  std::vector<NamedNumber> named;           // numbers only: words that stand for some of them
  // The values that a search for the best parameters tries; they may depend on parameters listed earlier. Null: only
  // the default.
  std::vector<ParameterValue> (*worth_trying)(const Problem&, const Parameters& before) = nullptr;
};

// Data that every rank would otherwise compute for itself. `analyse` makes it once, and the generators of all ranks
// share it.
struct Analysis {
  virtual ~Analysis() = default;
};

// The settings, such as "segments=16", that searches try for an algorithm that is a part of another algorithm. "" stands for the
// defaults of all its parameters. `whole` is the problem that the other algorithm solves.
using PartSettings = std::vector<std::string_view> (*)(const Problem& whole);
inline std::vector<std::string_view> with_defaults(const Problem&) { return {""}; }

struct Algorithm {
  Collective collective;
  std::string_view id;       // the name used in the literature
  std::string summary;       // one line
  std::string_view picture;  // what its pictures show and why it matters; the gallery shows it after the summary
  // The problem that its pictures show, as options of the command; empty: 8 ranks on a grid of 2 x 4, with a row on each node.
  std::string_view picture_problem;
  std::string_view needs;   // restrictions as text; empty: works for any number of ranks and any sizes
  std::string_view source;  // citation key of docs/references.bib, and the place in that work
  std::vector<Parameter> parameters;

  // Returns one sentence, without a full stop, that says what happens in a round that has a message, and why; "" if this record has
  // none for these parameters. Optional. A test compares the numbers in the sentence with the messages of the round.
  std::string (*says)(const Problem&, const Parameters&, Count round) = nullptr;

  // Returns the program of one rank. A pure function; its cost grows with the work of that rank, not with p. `analysis`
  // is what `analyse` returned, or null.
  Program (*generate)(const Problem&, const Parameters&, const Analysis* analysis, Rank);

  // The remaining functions are optional (null), except that reductions need `combining`. `applies` returns success if the
  // algorithm can solve the problem, else the reason why not.
  Result<> (*applies)(const Problem&, const Parameters&) = nullptr;
  std::shared_ptr<const Analysis> (*analyse)(const Problem&, const Parameters&) = nullptr;
  // Programs cut blocks or vectors, so they are not homogeneous. In a homogeneous program all offsets, lengths and strides, and the
  // scratch memory, are multiples of the block's bytes, by factors that do not depend on these bytes; so one plan runs blocks of
  // many sizes (docs/architecture.md, "One plan for many sizes"). Segments (the parameter `segments`) need not be stated here.
  // A test compares the programs of each algorithm.
  bool cuts_blocks = false;
  // alltoallv only: a rank's program depends only on the counts that this rank itself sends and receives.
  bool needs_own_counts_only = false;
  // alltoallv only: generates the same program stage by stage, for a rank that knows only its own counts. Returns null
  // unless the parameters ask for headers.
  std::unique_ptr<IncrementalProgram> (*incremental)(const Problem&, const Parameters&, Rank) = nullptr;
  std::optional<Symmetry> (*symmetry)(const Problem&, const Parameters&) = nullptr;
  // The most messages that a rank sends, or receives, in one round. Null: no limit.
  Count (*ports)(const Problem&, const Parameters&) = nullptr;
  // The most exchanges that one node's ranks have with other nodes in one round. Null: no limit. A node's port works in
  // both directions at once, so the number of exchanges is the larger of two numbers: the pairs of ranks with a message out of
  // the node, and the pairs with a message into it.
  Count (*node_ports)(const Problem&, const Parameters&) = nullptr;
  // `combining` and `combining_rule` are required for reductions and absent for all other algorithms. `combining` returns the
  // strictest order of combining that the programs observe. The algorithm does not apply to a problem that requires a stricter
  // order. `combining_rule` describes that order as text, such as "rank order; fixed tree where p is a power of two".
  Combining (*combining)(const Problem&, const Parameters&) = nullptr;
  std::string_view combining_rule;
  // The parts of other algorithms for which searches try this algorithm. Null: searches do not try it for such parts, but users
  // can still name it. `tried_between_nodes`: the part of the leaders in `hierarchical` of the same collective.
  // `tried_with_shares`: the scatter (reduce_scatterv) or the gather (allgatherv) of an algorithm that cuts a vector into shares.
  PartSettings tried_between_nodes = nullptr;
  PartSettings tried_with_shares = nullptr;
};

// All records of src/collectives/table.cpp: sorted by collective, and for each collective in the order of the rows.
std::span<const Algorithm* const> all_algorithms();
std::span<const Algorithm* const> default_algorithms();  // one for each collective; it applies to every problem
std::vector<const Algorithm*> algorithms_for(Collective collective);
const Algorithm* find_algorithm(Collective collective, std::string_view id);  // null if there is none
const Algorithm& default_algorithm(Collective collective);                    // used by plans if no algorithm is named

// An algorithm with a value for every parameter: defaults are filled in and ranges are checked.
struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters;
  bool operator==(const Choice&) const = default;
};

// Parses "id" or "id:name=value,name=value". Throws Error{misuse} for an unknown name (the message suggests the most
// similar one) and for a value out of range for this problem.
Choice parse_choice(const Problem& problem, std::string_view specification);

// The same without a problem, for choices that are kept in a file. The choice has only the parameters that the text names, and
// the ranges of their values are not checked; `completed` adds the other parameters and checks all values. Words that stand for
// numbers are refused.
Choice parse_choice(Collective collective, std::string_view specification);

// Returns `choice` with defaults for the parameters that it lacks. Throws Error{misuse} if a value is out of range for this
// problem, or is a word where the parameter is a number or vice versa.
Choice completed(const Problem& problem, Choice choice);

// Returns `choice` without the parameters whose values are the defaults.
Choice shortened(const Problem& problem, const Choice& choice);

// Returns success if `choice` can solve `problem`, else the reason why not. Throws Error{misuse} if the algorithm is a reduction
// and its record lacks the function `combining`.
Result<> applies(const Problem& problem, const Choice& choice);

// Are the programs homogeneous (Algorithm::cuts_blocks)? `choice` must have all parameters.
bool is_homogeneous(const Choice& choice);

// Throws Error{misuse} with the reason if `choice` cannot solve `problem`.
void check_applies(const Problem& problem, const Choice& choice);

// The text that names the algorithm with all its parameters, as the command reads it: "bruck:radix=2,ports=1".
std::string specification(const Choice& choice);

// Returns the schedule; its programs are made on demand. Throws Error{misuse}, with the reason, if the algorithm does not apply
// to the problem.
Schedule make_schedule(const Problem& problem, const Choice& choice);
Schedule make_schedule(const Problem& problem, std::string_view specification);

// Returns the value of a parameter, for use in generators. The parameter must exist, and its value must have been checked.
Count number(const Parameters& parameters, const std::string& name);
const std::string& word(const Parameters& parameters, const std::string& name);

}  // namespace quadrille
