// SPDX-License-Identifier: BSD-3-Clause
#include "subcommands/race_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "execute/executors.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/indexed.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille::command {
namespace {

constexpr std::string_view by_plan = "auto";  // the specification that stands for the candidate that a plan would choose

std::vector<std::vector<Way>> make_candidates(const std::vector<Problem>& problems, const std::vector<OwnFamily>& families,
                                              const RaceArguments& options, bool with_vendor) {
  for (const Count count : options.buffers)
    if (count > 2) refuse(fmt::format("the number of buffers is {}; it is 1 or 2", count));
  std::vector<std::string> own;
  for (const std::string& specification : options.about.algorithms) {
    if (names_vendor(specification) && !with_vendor)
      refuse("there is no vendor here: it is an MPI library's own collective; start the race under mpirun");
    if (!names_vendor(specification) && specification != by_plan) own.push_back(specification);
  }
  std::vector<std::vector<Way>> candidates(problems.size());
  std::vector<Case> cases = cases_of(families, problems);
  if (!own.empty() ||
      (options.about.algorithms.empty() && options.about.generators.commands.empty() && collective_named(options.subject))) {
    const std::vector<Case> of_table = make_cases(problems, own);
    cases.insert(cases.end(), of_table.begin(), of_table.end());
  }
  for (const Case& entry : cases)
    for (const Policy policy : options.policies)
      for (const Count count : policy == Policy::dataflow ? options.buffers : std::vector<Count>{2})
        for (const bool in_step : {false, true})
          if (!in_step || (options.keep_step && policy == Policy::blocking && problems[entry.index].nodes.size() > 1))
            candidates[entry.index].push_back(
                {.algorithm = entry.candidate, .policy = policy, .buffers = static_cast<int>(count), .keep_step = in_step});
  if (with_vendor)  // the other candidates are compared with the vendor's collective
    for (auto& list : candidates) list.push_back({.algorithm = Vendor{}});
  for (const std::string& specification : options.about.algorithms)
    for (std::size_t i = 0; names_vendor(specification) && i < problems.size(); ++i)
      if (const Candidate vendor = parse_candidate(problems[i], specification); vendor != Candidate(Vendor{}))
        candidates[i].push_back({.algorithm = vendor});
  return candidates;
}

// Returns the costs from a machine's file. They are the same for all executors.
std::vector<ExecutorFit> fits_of(const MachineCosts& machine, const std::vector<Count>& nodes) {
  Situation situation{.ranks = size(nodes)};
  for (const Count node : nodes) {
    situation.nodes = std::max(situation.nodes, node + 1);
    situation.ranks_of_node = std::max<Count>(situation.ranks_of_node, std::count(nodes.begin(), nodes.end(), node));
  }
  std::vector<ExecutorFit> fits;
  for (const ExecutorRow& row : all_executors()) fits.push_back(preset_fit(machine, row.executor, situation, 0));
  return fits;
}

// Returns the problems of the files' schedules. All must be for the same collective and number of ranks, because a race has one
// operator.
std::vector<Problem> problems_of_files(const RaceArguments& options, const std::vector<OwnFamily>& families,
                                       const std::shared_ptr<const Operator>& operation) {
  std::vector<Problem> problems = problems_of(families, options.about.problem);
  for (Problem& problem : problems) {
    const Problem& first = problems.front();
    if (problem.collective != first.collective || problem.ranks != first.ranks)
      refuse(
          fmt::format("a race has one collective and one number of ranks; {} holds schedules for {} among {} and for {} among {}",
                      label_of(options.subject), name(first.collective), counted(first.ranks, "rank"), name(problem.collective),
                      problem.ranks));
    if (operation && operation->element_bytes != problem.element_bytes)
      refuse(fmt::format("the elements in {} have {} bytes, and those of {} of {} have {}; choose another --type",
                         label_of(options.subject), problem.element_bytes, operation->name, operation->type,
                         operation->element_bytes));
  }
  return problems;
}

}  // namespace

void check_form(const RaceArguments& options) {
  const ReportForm& form = options.form;
  if (form.json + form.csv + form.ratios > 1) refuse("--json, --csv and --ratios exclude each other");
  if (options.curves && !form.plot) refuse("--curves says what a plot shows; name its file, such as --plot race.svg");
  if (form.plot && form.plot == options.output) refuse("the plot and the results need two files");
  if (form.plot) check_extension(*form.plot, FileFormat::svg);
  if (options.trace && (options.trace == options.output || options.trace == form.plot))
    refuse("the traces and the results need two files");
  if (options.trace == "-" && !options.output) refuse("the traces and the results need two outputs; add -o results.txt");
  if (options.trace) check_extension(*options.trace, FileFormat::json);
}

void check_subject(const RaceArguments& options) {
  if (collective_named(options.subject)) return;
  check_names_file(options.subject, options.about.problem.given_but_operator());
  refuse_generators_of_file(options.about.generators);
}

std::vector<OwnFamily> read_files(const RaceArguments& options, const ReadText& read) {
  std::vector<std::string> files = options.about.schedules;
  if (!collective_named(options.subject)) files.insert(files.begin(), options.subject);
  return read_given(files, read);
}

std::vector<OwnFamily> commands_of(const RaceArguments& options) {
  const auto collective = collective_named(options.subject);
  return collective ? families_of_commands(options.about.generators, *collective) : std::vector<OwnFamily>{};
}

Count ranks_on_threads(const RaceArguments& options, const std::vector<OwnFamily>& families) {
  if (!collective_named(options.subject)) {
    const Count ranks = families.front().parts.front().problem.ranks;
    check_threads(ranks);
    return ranks;
  }
  const auto counts = options.about.problem.rank_counts(8);
  if (counts.size() != 1) refuse("a race has one number of ranks; name one, such as --ranks 8");
  check_threads(counts[0]);
  return counts[0];
}

Count ranks_launched(const RaceArguments& options, const std::vector<OwnFamily>& families, Count world) {
  if (!collective_named(options.subject)) {
    const auto& [problem, file] = families.front().parts.front();
    if (problem.ranks != world)
      refuse(fmt::format("the schedule in {} is for {}, but the launcher started {}", file, counted(problem.ranks, "rank"), world));
    return world;
  }
  const auto counts = options.about.problem.rank_counts(world);
  if (counts.size() == 1 && counts[0] == world) return world;
  if (!options.about.problem.ranks)
    refuse(fmt::format("the {} are for {}, but the launcher started {}",
                       options.about.problem.nodes || options.about.problem.node_sizes ? "nodes" : "counts",
                       counted(counts.at(0), "rank"), world));
  refuse(fmt::format("--ranks {} contradicts the launcher, which started {}; leave it out", *options.about.problem.ranks,
                     counted(world, "rank")));
}

std::vector<Problem> problems_of_options(const RaceArguments& options, Collective collective, Count ranks) {
  const auto roots = options.about.problem.roots(collective, ranks);
  if (roots.size() != 1) refuse("a race has one root; name one, such as --root 0");
  std::vector<Problem> problems;
  for (const Bytes size : options.about.problem.block_sizes())
    problems.push_back(options.about.problem.problem(collective, ranks, size, roots[0]));
  return problems;
}

RaceRequest make_request(const RaceArguments& options, const std::vector<OwnFamily>& families, Executor executor,
                         const std::vector<Count>& nodes, bool mpi) {
  const Count ranks = size(nodes);
  const auto named = collective_named(options.subject);
  const Collective collective = named ? *named : families.front().parts.front().problem.collective;
  RaceRequest request{.options = options.race, .timeout_seconds = options.timeout_seconds};
  if (options.seconds && options.race.iterations)
    refuse("--time and --iterations exclude each other: both say how many runs a sample has");
  if (options.seconds) request.options.seconds_per_problem = *options.seconds;
  if (options.memory && *options.memory != "private" && *options.memory != "shared")
    refuse_unknown("memory", *options.memory, {"private", "shared"});
  request.options.shared_buffers = options.memory == "shared";
  if (options.machine) request.options.fits = fits_of(find_machine(*options.machine), nodes);
  request.options.operation = options.about.problem.operation_for(collective);
  request.problems =
      named ? problems_of_options(options, collective, ranks) : problems_of_files(options, families, request.options.operation);
  for (Problem& problem : request.problems) {
    if (problem.nodes.empty()) problem.nodes = nodes;
    check_memory(problem);
  }
  if (options.keep_step && executor != Executor::automatic && row_of(executor).memory == SharedBy::nobody)
    refuse(fmt::format("--keep-step needs memory that the ranks of a node share; leave --executor {} out", name(executor)));
  if (options.keep_step && std::find(options.policies.begin(), options.policies.end(), Policy::blocking) == options.policies.end())
    refuse("--keep-step needs the policy blocking; add it to --policy");
  request.candidates = make_candidates(request.problems, families, options, mpi);
  request.with_auto =
      std::find(options.about.algorithms.begin(), options.about.algorithms.end(), by_plan) != options.about.algorithms.end();
  return request;
}

}  // namespace quadrille::command
