// SPDX-License-Identifier: BSD-3-Clause
// What a command examines: a collective with algorithms of the table and families that the user brings along, or a file.
#pragma once

#include <string>
#include <vector>

#include "options/cases.hpp"
#include "options/common_options.hpp"
#include "options/given_schedules.hpp"
#include "options/problem_options.hpp"

namespace quadrille::command {

// Returns the cases of `algorithms`, as make_cases does, and of `generators`, which come first. With generators but no algorithm
// there are no cases of the table.
std::vector<Case> cases_with_generators(const std::vector<Problem>& problems, const std::vector<std::string>& algorithms,
                                        const GeneratorOptions& generators);

// The same, but at least one algorithm or generator is required (make_named_cases).
std::vector<Case> named_cases_with_generators(const std::vector<Problem>& problems, const std::vector<std::string>& algorithms,
                                              const GeneratorOptions& generators);

// Refuses --generator beside a file as the subject.
void refuse_generators_of_file(const GeneratorOptions& generators);

// The subject of a command that takes a collective or a file, with the families added by --schedule and --generator.
struct Subject {
  std::vector<Problem> problems;
  std::vector<OwnFamily> families;
  bool is_file = false;

  // Returns the cases to examine: first the verified ones of files and commands, then algorithms of the table. If the subject is a
  // file, or commands are given, only algorithms named in `specifications` are added; otherwise those that make_cases returns.
  // Throws Error{misuse} with the first finding if a schedule is wrong.
  std::vector<Case> cases(const std::vector<std::string>& specifications, std::vector<LeftOut>* left_out) const;
};

// Returns the subject that `text` names, a collective or a file.
Subject subject_of(const std::string& text, const std::vector<std::string>& schedule_files, const GeneratorOptions& generators,
                   const ProblemOptions& options);

}  // namespace quadrille::command
