// SPDX-License-Identifier: BSD-3-Clause
// Schedules that files hold, beside those of the table's algorithms: named by --schedule, or where a collective stands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"
#include "documents.hpp"
#include "problem_options.hpp"

namespace quadrille::command {

struct GivenSchedule {
  std::string file;  // what sentences call it
  // Its algorithm's text is its name. Where that names another schedule or an algorithm of the table, the file's name is put
  // before.
  std::shared_ptr<const Schedule> schedule;
};

// All schedules of the files, in order.
std::vector<GivenSchedule> read_given(const std::vector<std::string>& files, const ReadText& read = read_text);

// The problems that they solve, each once, where `options` place them.
std::vector<Problem> problems_of(const std::vector<GivenSchedule>& given, const ProblemOptions& options);

// A case for each, of the problem that it solves. Nodes, grid, element size and operator are the problem's; whether the schedule
// is right for these, `verify` tells. Throws Error{misuse} with both problems for a schedule that solves none of them.
std::vector<Case> cases_of(const std::vector<GivenSchedule>& given, const std::vector<Problem>& problems);

// Throws Error{misuse} with the file and the first finding if a schedule of a file is wrong.
void check_right(const std::vector<Case>& cases);

// What a command looks at that takes a collective or a file, and --schedule and --algorithm.
struct Subject {
  std::vector<Problem> problems;
  std::vector<GivenSchedule> given;
  bool is_file = false;

  // Those of the files, verified; then those of the table: where a file is the subject, the ones that `specifications` name, else
  // as make_cases has it. Throws Error{misuse} with the first finding if a file's schedule is wrong.
  std::vector<Case> cases(const std::vector<std::string>& specifications, std::vector<LeftOut>* left_out) const;
};

// Of `text`, a collective or a file.
Subject subject_of(const std::string& text, const std::vector<std::string>& schedule_files, const ProblemOptions& options);

}  // namespace quadrille::command
