// SPDX-License-Identifier: BSD-3-Clause
// quadrille trace: writes the record of one schedule, with its logical time and simulated times.
#include "quadrille/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "collectives/short_specification.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/common_options.hpp"
#include "options/documents.hpp"
#include "options/event_arguments.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/verify.hpp"
#include "reports/schedule_trace.hpp"
#include "schedule/policy_name.hpp"
#include "subcommands/subcommand.hpp"
#include "support/json.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

struct Options {
  std::string subject;  // a collective, or a file
  std::vector<std::string> algorithms;
  ProblemOptions problem;
  ModelOptions model;
  EventArguments events;
  std::optional<std::string> by, form, output;
};

const std::vector<std::string> forms{"json", "perfetto"};

bool is_perfetto(const Options& options) { return options.form == "perfetto"; }

Case named_case(const Options& options, Collective collective) {
  const std::vector<Case> cases = make_named_cases(collective, options.problem.problems(collective), options.algorithms);
  if (cases.size() > 1)
    refuse(fmt::format("a trace is of one schedule, not of {}; ask for one algorithm, number of ranks and size", cases.size()));
  return cases.front();
}

// Is this the text of a trace, or of several?
bool holds_trace(const std::string& text) {
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json& first = document.is_array() && !document.empty() ? document.front() : document;
  return first.is_object() && first.contains("format") && first["format"] == "quadrille-trace/1";
}

void write(Output& output, const Options& options, const Trace& trace) {
  if (is_perfetto(options))
    write_perfetto(output.stream(), trace);
  else
    write_trace(output.stream(), trace), output.stream() << '\n';
  output.finish();
}

// Converts a file with a trace.
int convert(Output& output, const Options& options, const std::string& text) {
  std::vector<Trace> traces;
  try {
    traces = parse_traces(text);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", label_of(options.subject), error.what()));
  }
  if (options.model.machine || options.problem.topology)
    refuse(fmt::format("{} holds a trace; its times cannot be simulated; name a schedule instead", label_of(options.subject)));
  if (traces.size() != 1)
    refuse(
        fmt::format("{} holds {} traces; write the one to convert to a file of its own", label_of(options.subject), traces.size()));
  write(output, options, traces.front());
  return good;
}

Schedule read(const Options& options, const std::string& text) {
  std::vector<Schedule> schedules = read_schedules(options.subject, [&](const auto&, const auto&) { return text; });
  if (schedules.size() != 1)
    refuse(fmt::format("a trace is of one schedule, and {} holds {}; write the one to trace to a file of its own",
                       label_of(options.subject), schedules.size()));
  schedules.front().problem = options.problem.with_network(schedules.front().problem);
  return std::move(schedules.front());
}

void add_time(Trace& trace, TracedTime time, const Model& model, const MachineCosts& machine) {
  time.model = model.id;
  time.machine = machine.name;
  time.title += fmt::format(", model {}, machine {}{}{}", time.model, time.machine, time.policy.empty() ? "" : ", ", time.policy);
  trace.times.push_back(std::move(time));
}

void add_time_by_rounds(Trace& trace, const Schedule& schedule, const Options& options, const Topology* topology) {
  const MachineCosts machine = options.model.machine_costs();
  const Model& model = *options.model.choose(machine, schedule.problem, topology != nullptr).model;
  const WorkloadOptions counted{.topology = topology, .nodes = model.needs_nodes, .work = model.needs_work};
  add_time(trace, time_by_rounds(trace, simulate_rounds(schedule, model, machine, counted)), model, machine);
}

void add_times_by_events(Trace& trace, const Schedule& schedule, const Options& options, const Topology* topology) {
  const MachineCosts machine = options.model.machine_costs();
  const auto suits = [&](const Model& each) { return simulates_events(each, machine, topology != nullptr); };
  const Model& model = *options.model.choose(machine, schedule.problem, topology != nullptr, suits).model;
  EventOptions events = options.events.options();
  events.topology = topology;
  for (const Policy policy : options.events.policy_list()) {
    events.policy = policy;
    add_time(trace, time_by_events(trace, schedule, message_times(model, machine), events), model, machine);
  }
}

// Without --by, simulations by events are left out if the machine or the model cannot do them.
void add_simulations(Trace& trace, const Schedule& schedule, const Options& options, const Topology* topology) {
  if (options.by != "events") add_time_by_rounds(trace, schedule, options, topology);
  if (options.by == "rounds") return;
  try {
    add_times_by_events(trace, schedule, options, topology);
  } catch (const Error& error) {
    if (options.by || options.events.given() || error.code() != ErrorCode::misuse) throw;
    remark(fmt::format("simulated by rounds only: {}", error.what()));
  }
}

void check_options(const Options& options) {
  if (options.subject.empty()) refuse("name a collective or a file: quadrille trace alltoall --algorithm bruck --ranks 5");
  if (options.form && std::find(forms.begin(), forms.end(), *options.form) == forms.end())
    refuse_unknown("form", *options.form, forms);
  if (options.by && *options.by != "rounds" && *options.by != "events")
    refuse(fmt::format("--by is 'rounds' or 'events', not '{}'", *options.by));
  if (options.by == "rounds" && options.events.given())
    refuse("--policy, --barriers, --seed, --late, --slow-links, --jitter and --switching go with --by events");
  if (!options.model.machine && (options.model.model || options.by || options.events.given()))
    refuse("simulated times need a machine: --machine sp2");
}

int run(const Options& options) {
  check_options(options);
  Output output(options.output);
  const auto collective = collective_named(options.subject);
  std::string text;
  if (!collective) {
    check_names_file(options.subject, options.problem.given(), !options.algorithms.empty());
    text = read_text(options.subject, label_of(options.subject));
    if (holds_trace(text)) return convert(output, options, text);
  }
  ProgressLine progress;
  progress.show("traces " + options.subject);
  std::optional<Case> its_case;
  if (collective) its_case = named_case(options, *collective);
  const Schedule schedule = its_case ? progress.followed(its_case->schedule()) : read(options, text);
  std::vector<Finding> findings;  // stays empty for algorithms of the table, which tests verify
  if (!collective) findings = verify(schedule, {.most_findings = most_counted_findings});
  const auto topology = options.problem.network();
  Trace trace = described_trace(schedule, its_case ? its_case->short_name() : short_specification(schedule),
                                topology ? &*topology : nullptr, findings);
  if (options.model.machine) {
    if (!findings.empty())
      refuse(fmt::format("a wrong schedule has no simulated times, so leave --machine out; it has {}",
                         summary_of(findings, causes_of(schedule, findings))));
    add_simulations(trace, schedule, options, topology ? &*topology : nullptr);
  }
  progress.clear();
  write(output, options, trace);
  if (findings.empty()) return good;
  complain(fmt::format("{} holds a wrong schedule, and its trace lists {}", label_of(options.subject),
                       summary_of(findings, causes_of(schedule, findings))));
  return with_findings;
}

}  // namespace

Subcommand add_trace(CLI::App& command) {
  auto options = std::make_shared<Options>();
  CLI::App* parser = add_subcommand(command, "trace", "write what happens in a schedule, and when: messages, copies, links");
  add_option(*parser, "subject", options->subject, "a collective, or a file with a schedule or a trace ('-' is stdin)",
             "COLLECTIVE|FILE");
  add_algorithm_option(*parser, options->algorithms, "such as bruck:radix=8,ports=2");
  options->problem.add_to(*parser);
  options->model.add_to(*parser);
  begin_group(*parser, group::execution);
  add_option(*parser, "--by", options->by,
             "with --machine: simulate by rounds or by events, as 'quadrille simulate' does (default: both)", "WAY");
  options->events.add_to(*parser);
  begin_group(*parser, group::output);
  add_option(
      *parser, "--as", options->form,
      "json: quadrille-trace/1 (the default); perfetto: for ui.perfetto.dev, with a process for each time and tracks for each "
      "rank and link",
      "FORM");
  add_output_option(*parser, options->output);
  set_footer(
      *parser,
      "docs/trace-format.md describes the JSON form. A trace has the rounds as logical time and, with --machine, "
      "simulated times; --policy all adds a simulation by events for each policy. With --topology it has the links that each "
      "message takes. 'quadrille race --trace' writes traces of real runs. A file's schedule is verified first; a trace of a "
      "wrong one is written, too: it lists the findings with their causes. stderr has the first cause, and the exit code is 1. A "
      "file's trace is converted, as --as "
      "says.\n\n"
      "Examples:\n"
      "  quadrille trace alltoall --algorithm bruck --ranks 8 -o bruck.json\n"
      "  quadrille trace alltoall --algorithm torus --topology torus:4x4 --block 1KiB --machine sp1 -o torus.json\n"
      "  quadrille trace alltoall --algorithm bruck --ranks 8 --machine sp2 --as perfetto -o bruck.perfetto");
  Subcommand subcommand{parser, [options] { return run(*options); }};
  subcommand.writes = [options] { return is_perfetto(*options) ? FileFormat::perfetto : FileFormat::json; };
  return subcommand;
}

}  // namespace quadrille::command
