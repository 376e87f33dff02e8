// SPDX-License-Identifier: BSD-3-Clause
// The subject of a command: a collective, with algorithms of the table and families of the user's own, or a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/cases.hpp"
#include "options/documents.hpp"
#include "options/option_table.hpp"
#include "options/problem_options.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/generator.hpp"
#include "support/output.hpp"

namespace quadrille::command {

// Commands that print schedules, and what each may take.
struct GeneratorOptions {
  std::vector<std::string> commands;
  std::optional<std::string> limits;

  void add_to(OptionTable& table);
  GeneratorLimits checked_limits() const;
};

// A family of schedules of the user's own: schedules in files (given by --schedule, or in place of a collective), or a command
// that prints schedules (--generator).
struct OwnFamily {
  // A schedule that a file holds.
  struct Part {
    Problem problem;
    std::string file;  // the file's name in messages
  };

  Family family;
  std::vector<Part> parts;  // empty: a command prints the schedules

  bool is_command() const { return parts.empty(); }
};

// Reads all schedules of the files. Schedules of one algorithm for different problems form one family, also if several files hold
// them. Its name is their algorithm. If another family or an algorithm of the table already has that name, the name of the first
// file is put in front of it. Schedules without an algorithm have the name of their file.
std::vector<OwnFamily> read_given(const std::vector<std::string>& files, const ReadText& read = read_text);

// Returns the families of --generator. Their names differ from each other and from all algorithms of the collective. Runs no
// command.
std::vector<OwnFamily> families_of_commands(const GeneratorOptions& options, Collective collective);

// Returns the families of the specifications that name schedules near the flow (flow.hpp), for the network of --topology. Computes
// none. Throws Error{misuse} if there is no --topology, or if the collective has no such schedules.
std::vector<OwnFamily> families_of_flows(const std::vector<std::string>& specifications, const ProblemOptions& options,
                                         Collective collective);

// Returns the problems that the files' schedules solve, without repetitions. If a file states no grid or nodes, those of
// `options` are used.
std::vector<Problem> problems_of(const std::vector<OwnFamily>& families, const ProblemOptions& options);

// Returns one case for each family and problem. If a file has no schedule for a problem, that case is added to `left_out` or, if
// this is null, reported on stderr. Runs no command. Throws Error{misuse}, which names both problems, if a file has a schedule
// for none of the problems.
std::vector<Case> cases_of(const std::vector<OwnFamily>& families, const std::vector<Problem>& problems,
                           std::vector<LeftOut>* left_out = nullptr);

// Makes and verifies the schedules of the user's own cases. Throws Error{misuse} with the file or command, the first finding and
// its cause if a schedule is wrong, and the errors of Family::schedule.
void check_right(const std::vector<Case>& cases);

// Refuses --generator beside a file as the subject.
void refuse_generators_of_file(const GeneratorOptions& generators);

// The options of commands that take a collective or a file. With a file, only some of them are allowed, such as --topology.
struct SubjectOptions {
  std::vector<std::string> algorithms, schedules;
  GeneratorOptions generators;
  ProblemOptions problem;

  // `algorithm_help`: the help of --algorithm. Only some commands take more files, by --schedule.
  void add_to(OptionTable& table, std::string algorithm_help, bool takes_schedules = false);

  // Returns the cases of --algorithm, as make_cases does, and of --generator, which come first. If generators are given and no
  // algorithm is, there are no cases of the table. `tells_of_all` as in make_cases.
  std::vector<Case> cases(Collective collective, bool tells_of_all = true) const;

  // As `cases`, but at least one algorithm or generator is required (make_named_cases).
  std::vector<Case> named_cases(Collective collective) const;

  // Refuses a file that does not exist, and options that do not go with a file.
  void check_file(const std::string& file) const;
};

// A schedule for commands that show it and do not judge it.
struct ShownSchedule {
  Schedule schedule;
  std::string label;              // the name of the algorithm or the file in messages
  std::vector<Finding> findings;  // of a schedule of a file or command; those of the table are verified by tests
  bool is_of_file = false;
};

// Makes the schedule of a case. `progress` shows for which rank a program is being made.
ShownSchedule shown(const Case& entry, ProgressLine& progress);
ShownSchedule shown_of_file(Schedule schedule, const std::string& file);

// The subject of a command that takes a collective or a file, with the families added by --schedule and --generator.
struct Subject {
  std::vector<Problem> problems;
  std::vector<OwnFamily> families;
  bool is_file = false;

  // Returns the cases to examine: first the cases of files and commands, verified, then algorithms of the table. If the subject
  // is a file, or commands are given, only algorithms named in `specifications` are added; otherwise those that make_cases
  // returns. Throws Error{misuse} with the first finding if a schedule is wrong.
  std::vector<Case> cases(const std::vector<std::string>& specifications, std::vector<LeftOut>* left_out) const;
};

// Returns the subject that `text` names, a collective or a file.
Subject subject_of(const std::string& text, const SubjectOptions& options);

}  // namespace quadrille::command
