// SPDX-License-Identifier: BSD-3-Clause
// The options of `quadrille race`, checked: which problems, candidates and ranks a race has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/subject.hpp"
#include "quadrille/race.hpp"
#include "reports/race_report.hpp"

namespace quadrille::command {

struct RaceArguments {
  std::string subject;  // a collective or a file
  SubjectOptions about;
  std::vector<Policy> policies{Policy::blocking};
  std::vector<Count> buffers{2};
  std::optional<std::string> machine, memory, executor, output, curves, trace;
  std::optional<double> seconds;  // for each problem
  RaceOptions race;
  double timeout_seconds = 60;
  bool keep_step = false;
  ReportForm form;

  bool has_files() const { return !about.schedules.empty() || (!subject.empty() && !collective_named(subject)); }
};

// The checked options of one race, the same on every rank.
struct RaceRequest {
  std::vector<Problem> problems;
  std::vector<std::vector<Way>> candidates;  // one list per problem
  bool with_auto = false;                    // also race the candidate that a plan would choose
  RaceOptions options;
  double timeout_seconds = 60;

  double fit_seconds() const { return std::min(1.0, options.seconds_per_problem); }
};

// Checks the options of the report and of the files that are written.
void check_form(const RaceArguments& options);

// Checks that a subject that is no collective is a file.
void check_subject(const RaceArguments& options);

// Reads the schedules of all files, in order; if the subject is a file, it comes first.
std::vector<OwnFamily> read_files(const RaceArguments& options, const ReadText& read);

// Returns the families of --generator. No command runs yet.
std::vector<OwnFamily> commands_of(const RaceArguments& options);

// On threads, --ranks must be one number; under MPI the launcher sets it.
Count ranks_on_threads(const RaceArguments& options, const std::vector<OwnFamily>& families);
Count ranks_launched(const RaceArguments& options, const std::vector<OwnFamily>& families, Count world);

std::vector<Problem> problems_of_options(const RaceArguments& options, Collective collective, Count ranks);

// Checks the options and makes the request. If the problem names no nodes, `nodes` are used.
RaceRequest make_request(const RaceArguments& options, const std::vector<OwnFamily>& families, Executor executor,
                         const std::vector<Count>& nodes, bool mpi);

}  // namespace quadrille::command
