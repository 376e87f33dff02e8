// SPDX-License-Identifier: BSD-3-Clause
// quadrille trace: writes the record of one schedule, with its logical time and simulated times.
#include "quadrille/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "collectives/table.hpp"
#include "draw/viewer_page.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/documents.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"
#include "reports/schedule_verdict.hpp"
#include "reports/simulated_times.hpp"
#include "schedule/ordering.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct TraceArguments {
  std::string subject;  // a collective, or a file
  SubjectOptions about;
  ModelOptions model;
  EventArguments events;
  OnlyOption only;
  std::optional<std::string> by, form, output;
};

const std::vector<std::string> forms{"json", "perfetto"};

bool is_perfetto(const TraceArguments& options) { return options.form == "perfetto"; }

Case traced_case(const TraceArguments& options, Collective collective) {
  const std::vector<Case> cases = options.about.named_cases(collective);
  if (cases.size() > 1)
    refuse(fmt::format("a trace is of one schedule, not of {}; ask for one algorithm, number of ranks and size", cases.size()));
  return cases.front();
}

void write(Output& output, const TraceArguments& options, const Trace& trace) {
  if (is_perfetto(options))
    write_perfetto(output.stream(), trace);
  else
    write_trace(output.stream(), trace), output.stream() << '\n';
  output.finish();
}

// Returns the only thing that --only picks. Refuses if --only picks several things.
template <class Thing, class Title>
Thing one_of(const TraceArguments& options, std::vector<Thing> all, Title&& title) {
  const std::string label = label_of(options.subject);
  std::vector<Thing> picked = options.only.picked(std::move(all), title, label);
  if (picked.size() == 1) return std::move(picked.front());
  if (!options.only.words.empty()) refuse("a trace is of one schedule; give --only once");
  std::vector<std::string> titles;
  for (const Thing& thing : picked) titles.push_back(title(thing));
  refuse(
      fmt::format("a trace is of one schedule, and {} holds {}; pick one by --only N: {}", label, picked.size(), numbered(titles)));
}

int convert(Output& output, const TraceArguments& options, const std::string& text) {
  std::vector<Trace> traces = read_traces(text, label_of(options.subject));
  if (options.model.machine || options.about.problem.topology)
    refuse(fmt::format("{} holds a trace; its times cannot be simulated; name a schedule instead", label_of(options.subject)));
  write(output, options, one_of(options, std::move(traces), [](const Trace& trace) { return trace.title; }));
  return good;
}

Schedule read(const TraceArguments& options, const std::string& text) {
  Schedule schedule = one_of(options, read_schedules(options.subject, [&](const auto&, const auto&) { return text; }),
                             [](const Schedule& each) { return specification(each); });
  schedule.problem = options.about.problem.with_network(schedule.problem);
  return schedule;
}

void check_options(const TraceArguments& options) {
  if (options.subject.empty()) refuse("name a collective or a file: quadrille trace alltoall --algorithm bruck --ranks 5");
  if (options.form && std::find(forms.begin(), forms.end(), *options.form) == forms.end())
    refuse_unknown("form", *options.form, forms);
  if (options.by && *options.by != "rounds" && *options.by != "events")
    refuse(fmt::format("--by is 'rounds' or 'events', not '{}'", *options.by));
  if (options.by == "rounds" && options.events.given())
    refuse("--policy, --barriers, --seed, --late, --slow-links, --jitter and --switching go with --by events");
  if (!options.only.words.empty() && collective_named(options.subject)) refuse("--only picks from a file; leave it out");
  if (!options.model.machine && (options.model.model || options.by || options.events.given()))
    refuse("simulated times need a machine: --machine sp2");
}

int run_trace(const TraceArguments& options) {
  check_options(options);
  Output output(options.output);
  const auto collective = collective_named(options.subject);
  std::string text;
  if (!collective) {
    options.about.check_file(options.subject);
    text = read_text(options.subject, label_of(options.subject));
    if (kind_of_document(text, label_of(options.subject)) == DocumentKind::trace) return convert(output, options, text);
  }
  ProgressLine progress;
  progress.show("traces " + options.subject);
  const auto [schedule, label, findings, is_of_file] =
      collective ? shown(traced_case(options, *collective), progress) : shown_of_file(read(options, text), options.subject);
  const auto topology = options.about.problem.network();
  Trace trace =
      described_trace(schedule, is_of_file ? short_specification(schedule) : label, topology ? &*topology : nullptr, findings);
  if (options.model.machine) {
    refuse_wrong(schedule, findings);
    add_simulated_times(trace, schedule, topology ? &*topology : nullptr, options.model, options.events, options.by);
  }
  progress.clear();
  write(output, options, trace);
  if (findings.empty()) return good;
  complain_of(schedule, label, "its trace lists", findings);
  return with_findings;
}

}  // namespace

Subcommand add_trace(CLI::App& command) {
  auto options = std::make_shared<TraceArguments>();
  OptionTable table(command, "trace", "write what happens in a schedule, and when: messages, copies, links");
  table.add(group::arguments, {{"subject", "COLLECTIVE|FILE", options->subject,
                                "a collective, or a file with a schedule or a trace ('-' is stdin)"}});
  options->about.add_to(table, "such as bruck:radix=8,ports=2");
  options->model.add_to(table);
  table.add(group::execution, {{"--by", "WAY", options->by,
                                "with --machine: simulate by rounds or by events, as 'quadrille simulate' does (default: both)"}});
  options->events.add_to(table);
  table.add(
      group::output,
      {{"--as", "FORM", options->form,
        "json: quadrille-trace/1 (the default); perfetto: for ui.perfetto.dev, with a process for each time and tracks for each "
        "rank and link"}});
  table.add(group::output, {options->only.row()});
  table.add_output(options->output);
  table.set_footer(
      "docs/trace-format.md describes the JSON form. A trace has the rounds as logical time and, with --machine, "
      "simulated times; --policy all adds a simulation by events for each policy. With --topology it has the links that each "
      "message takes. 'quadrille race --trace' writes traces of real runs. The schedule of a file or command is verified first; a "
      "trace of a wrong one is written, too: it lists the findings with their causes. stderr has the first cause, and the exit "
      "code "
      "is 1. A file's trace is converted, as --as says; --only picks one of several.\n\n"
      "Examples:\n"
      "  quadrille trace alltoall --algorithm bruck --ranks 8 -o bruck.json\n"
      "  quadrille trace alltoall --algorithm torus --topology torus:4x4 --block 1KiB --machine sp1 -o torus.json\n"
      "  quadrille trace alltoall --algorithm bruck --ranks 8 --machine sp2 --as perfetto -o bruck.perfetto\n"
      "  quadrille trace runs.json --only 2 --as perfetto -o second.perfetto");
  Subcommand subcommand{std::move(table), [options] { return run_trace(*options); }};
  subcommand.writes = [options] { return is_perfetto(*options) ? FileFormat::perfetto : FileFormat::json; };
  return subcommand;
}

}  // namespace quadrille::command
