// SPDX-License-Identifier: BSD-3-Clause
// Algorithms as records. One file holds an algorithm and its record, one row of src/collectives/table.cpp lists it, and
// with that it is known to the command, the tests, the race and the documentation.
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
#include "quadrille/result.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/staged_program.hpp"

namespace quadrille {

// A word that stands for a number, which depends on the problem: columns=best.
struct NamedNumber {
  std::string_view name;
  Count (*value)(const Problem&) = nullptr;
};

// A parameter is a whole number in a range that may depend on the problem, or one of a few words; or, beside these, any word of a
// form, such as 4x4x4.
struct Parameter {
  std::string_view name;
  std::string_view summary;
  ParameterValue standard = Count{1};  // the default; a number is clipped to the range of the problem
  // A default that depends on the problem and on the parameters that stand before it; clipped as well.
  ParameterValue (*standard_for)(const Problem&, const Parameters& before) = nullptr;
  std::string_view standard_rule;    // that default in words, for people
  std::vector<std::string> choices;  // words; empty for a number
  std::string_view form = {};        // description of further values, such as "sides, such as 4x4x4"; empty: none
  bool (*is_of_the_form)(std::string_view) = nullptr;
  Count least = 1;                          // numbers
  Count (*most)(const Problem&) = nullptr;  // numbers; null: no upper limit
  std::string_view range;                   // numbers: the range in words, such as "2..max(2,p)"
  std::vector<NamedNumber> named;           // numbers: words for some of them
  // Values among which the best may be, for whoever chooses; null: the default only. May depend on parameters that stand before.
  std::vector<ParameterValue> (*worth_trying)(const Problem&, const Parameters& before) = nullptr;
};

// What ranks would otherwise all compute again. Made once by `analyse`, shared by the generators of all ranks.
struct Analysis {
  virtual ~Analysis() = default;
};

struct Algorithm {
  Collective collective;
  std::string_view id;       // as in the literature
  std::string_view summary;  // one line
  std::string_view needs;    // restrictions in words; empty: any number of ranks, any sizes
  std::string_view source;   // citation key of docs/references.bib, with the place
  std::vector<Parameter> parameters;

  // One rank's program: pure, at a cost that grows with what the rank does. `analysis` is what `analyse` returned, or null.
  Program (*generate)(const Problem&, const Parameters&, const Analysis* analysis, Rank);

  // Optional. Nothing if the algorithm applies to the problem, else the reason.
  Result<> (*applies)(const Problem&, const Parameters&) = nullptr;
  std::shared_ptr<const Analysis> (*analyse)(const Problem&, const Parameters&) = nullptr;
  // alltoallv. Do programs depend on what their own rank sends and receives, and on no other counts?
  bool needs_own_counts_only = false;
  // alltoallv. The same program for a rank that has no more than its own counts, made while it runs; null where the parameters
  // do not ask for headers.
  std::unique_ptr<StagedProgram> (*in_stages)(const Problem&, const Parameters&, Rank) = nullptr;
  std::optional<Symmetry> (*symmetry)(const Problem&, const Parameters&) = nullptr;
  // The largest number of messages that a rank sends, or receives, in a round; null: as many as it likes.
  Count (*ports)(const Problem&, const Parameters&) = nullptr;
  // The largest number of exchanges that the ranks of a node have with other nodes in a round; null: as many as they like. So many
  // pairs of ranks send, or receive, whichever are more: a node's port works both ways at once.
  Count (*node_ports)(const Problem&, const Parameters&) = nullptr;
  // Reductions: the strictest way of combining that the programs keep to; and when, in words, such as "rank order; fixed
  // tree where p is a power of two". Where a problem asks for more, the algorithm does not apply.
  Combining (*combining)(const Problem&, const Parameters&) = nullptr;
  std::string_view combining_rule;
};

// The one table, in its order.
std::span<const Algorithm* const> all_algorithms();
std::span<const Algorithm* const> default_algorithms();  // one for each collective; it applies to every problem
std::vector<const Algorithm*> algorithms_for(Collective collective);
const Algorithm* find_algorithm(Collective collective, std::string_view id);  // null if there is none
const Algorithm& default_algorithm(Collective collective);                    // what plans take where none is named

// An algorithm with all its parameters given, defaults filled in and ranges checked.
struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters;
  bool operator==(const Choice&) const = default;
};

// Reads "id" or "id:name=value,name=value". Throws Error{misuse}: unknown names (the sentence offers the nearest one),
// values out of range for this problem.
Choice parse_choice(const Problem& problem, std::string_view specification);

// With the defaults of the parameters that `choice` lacks. Throws Error{misuse} for values out of range for this problem.
Choice completed(const Problem& problem, Choice choice);

// Without the parameters that have their defaults.
Choice shortened(const Problem& problem, const Choice& choice);

// Can `choice` solve `problem`? If not, why.
Result<> applies(const Problem& problem, const Choice& choice);

// Throws Error{misuse} with that reason.
void check_applies(const Problem& problem, const Choice& choice);

// "bruck:radix=2,ports=1": all parameters in the command's notation.
std::string specification(const Choice& choice);

// Throws Error{misuse} if the algorithm does not apply, with its reason.
Schedule make_schedule(const Problem& problem, const Choice& choice);
Schedule make_schedule(const Problem& problem, std::string_view specification);

// The entry of `known` that is nearest to `word` in edit distance, if it is near enough to be meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// Parameters of generators: the entry is there, checked.
Count number(const Parameters& parameters, const std::string& name);
const std::string& word(const Parameters& parameters, const std::string& name);

}  // namespace quadrille
