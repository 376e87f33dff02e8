// SPDX-License-Identifier: BSD-3-Clause
// From --algorithm to cases: "all" and ranges of parameters written out, for every problem.
#pragma once

#include <memory>
#include <string>
#include <vector>

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
  std::shared_ptr<const Schedule> given;  // instead of the choice: a schedule of the problem, from a file
  std::string file;                       // what sentences call that

  Schedule schedule() const { return given ? *given : make_schedule(problem, choice); }
  std::string short_name() const;  // without the parameters that have their defaults
  std::string full_name() const { return given ? specification(*given) : specification(choice); }
};

// What was left out since it does not apply, or not with these parameters.
struct LeftOut {
  std::size_t index = 0;  // of the problem
  std::string specification, reason;
};

// "all", and no specification: every algorithm of the table, with its defaults; those that do not apply are left out. A
// specification such as "bruck:radix=2..64" stands for one case each, as far as the problem has those values. What is left out is
// remarked upon on stderr, in a line for each specification; a specification of which nothing remains is an error, with its first
// reason. With `left_out` it is put there instead, and only what never applies, such as a name that nobody knows, is an error.
std::vector<Case> make_cases(const std::vector<Problem>& problems, const std::vector<std::string>& specifications,
                             std::vector<LeftOut>* left_out = nullptr);

// The same, but somebody has to name an algorithm: without a specification it is an error that says which there are.
std::vector<Case> make_named_cases(Collective collective, const std::vector<Problem>& problems,
                                   const std::vector<std::string>& specifications);

// "bruck:radix=8": without the parameters that have their defaults.
std::string short_name(const Problem& problem, const Candidate& candidate);
std::string short_name(const Problem& problem, const RaceCandidate& candidate);

}  // namespace quadrille::command
