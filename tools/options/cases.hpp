// SPDX-License-Identifier: BSD-3-Clause
// Turns --algorithm into cases. A case is one algorithm with its parameters for one problem. "all" and ranges of parameters are
// written out, for every problem.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "options/vendor_case.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {
struct RaceCandidate;  // race.hpp
}

namespace quadrille::command {

struct Case {
  std::size_t index = 0;  // of the problem
  Problem problem;
  Choice choice;
  std::shared_ptr<const Schedule> given;  // a schedule of the problem that was read from a file; then `choice` is not used
  std::string file;                       // the file's name in messages
  std::optional<VendorCase> vendor;       // an MPI library's choice; `choice` is that of the table with the same messages

  Schedule schedule() const { return given ? *given : make_schedule(problem, choice); }
  std::string short_name() const;  // omits parameters that have their default values
  std::string specification() const;
};

// A specification that was left out because the algorithm does not apply to the problem, or not with these parameters.
struct LeftOut {
  std::size_t index = 0;  // of the problem
  std::string specification, reason;
};

// "direct does not apply: ..", without a full stop; an MPI library's choice has no schedule instead.
std::string sentence_of(const LeftOut& entry);

// Makes the cases of every problem. "all" or no specification stands for every algorithm of the table with its default parameters;
// algorithms that do not apply are left out. A specification such as "bruck:radix=2..64" stands for one case per value that the
// problem allows. For each specification, one line on stderr says what was left out. If nothing remains of a specification, that is
// an error with the first reason. If `left_out` is given, cases left out are stored there instead, and only a specification that
// never applies, such as an unknown name, is an error.
std::vector<Case> make_cases(const std::vector<Problem>& problems, const std::vector<std::string>& specifications,
                             std::vector<LeftOut>* left_out = nullptr);

// Like make_cases, but at least one specification is required. Without one, the error lists the collective's algorithms.
std::vector<Case> make_named_cases(Collective collective, const std::vector<Problem>& problems,
                                   const std::vector<std::string>& specifications);

// Returns a specification such as "bruck:radix=8", without the parameters that have their default values.
std::string short_name(const Problem& problem, const RaceCandidate& candidate);

}  // namespace quadrille::command
