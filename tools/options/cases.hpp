// SPDX-License-Identifier: BSD-3-Clause
// Turns --algorithm into cases. A case is one candidate for one problem: an algorithm with its parameters, or a family of the
// user's own (subject.hpp). "all" and ranges of parameters are expanded, for every problem.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"
#include "support/text.hpp"

namespace quadrille::command {

// The choice of an MPI library, which --algorithm accepts in place of an algorithm of the table.
struct VendorCase {
  std::string name;  // "vendor:openmpi"
  std::string note;  // "Open MPI 4.1 takes linear_sync here, ..", without a full stop
  Choice choice;     // the algorithm of the table that sends the same messages
};

// Parses "vendor:openmpi", the library's choice for this problem, or "vendor:openmpi:pairwise", one of the library's algorithms.
// Returns the reason if the choice is not known or the table has no such algorithm. Throws Error{misuse} if no known library is
// named.
Result<VendorCase> parse_vendor_case(const Problem& problem, std::string_view specification);

std::vector<std::string> vendor_library_ids();  // "openmpi", "mpich"

// What --algorithm also accepts, for help: "what an MPI library would send (vendor:..)".
std::string vendor_case_help();

struct Case {
  std::size_t index = 0;  // index of the problem
  Problem problem;
  Candidate candidate;               // the candidate, which has a schedule
  std::string file;                  // for a family in files: the file that holds the schedule, as messages name it
  std::optional<VendorCase> vendor;  // an MPI library's choice; `candidate` is the table's algorithm with the same messages

  bool is_own() const { return std::holds_alternative<Family>(candidate); }  // a family, not in the table
  Schedule schedule() const { return make_schedule(problem, candidate); }
  std::string short_name() const { return vendor ? vendor->name : quadrille::short_name(problem, candidate); }
  std::string specification() const { return vendor ? vendor->name : quadrille::specification(candidate); }
};

// A specification that was left out because the algorithm does not apply to the problem, or not with these parameters.
struct LeftOut {
  std::size_t index = 0;  // index of the problem
  std::string specification, reason;
};

// A text without a full stop, such as "direct does not apply: .."; for an MPI library's choice it says that the choice has no
// schedule.
std::string sentence_of(const LeftOut& entry);

inline Json left_out_json(const LeftOut& entry) { return {{"algorithm", entry.specification}, {"reason", entry.reason}}; }

// Makes the cases of every problem. "all" or no specification stands for every algorithm of the table with its default
// parameters; algorithms that do not apply are left out. A specification such as "bruck:radix=2..64" stands for one case per
// value that the problem allows. For each specification, one line on stderr says what was left out. It is an error if no case of
// a specification remains; the error has the first reason. If `left_out` is given, the cases that are left out are stored there
// instead, and only a specification that never applies, such as an unknown name, is an error. `tells_of_all`: whether stderr also
// says what was left out of "all".
std::vector<Case> make_cases(const std::vector<Problem>& problems, const std::vector<std::string>& specifications,
                             std::vector<LeftOut>* left_out = nullptr, bool tells_of_all = true);

// Like make_cases, but at least one specification is required. Without one, the error lists the collective's algorithms.
std::vector<Case> make_named_cases(Collective collective, const std::vector<Problem>& problems,
                                   const std::vector<std::string>& specifications);

}  // namespace quadrille::command
