// SPDX-License-Identifier: BSD-3-Clause
// quadrille race: runs candidates side by side on real data, on threads or under an MPI launcher.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/executors.hpp"
#include "execute/transport.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "plan/given_schedule.hpp"
#include "plan/placed.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/generator.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/race.hpp"
#include "quadrille/traced_run.hpp"
#include "quadrille/transports.hpp"
#include "reports/race_report.hpp"
#include "subcommands/race_request.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/output.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille::command {
namespace {

// Returns true if the ranks are processes that a launcher started, and false if they are threads.
bool runs_launched(const AskedExecutor& asked) {
  if (asked.on_threads) return false;
  const TransportChoice choice = choose_transport();
  const bool launched = choice.transport != TransportKind::threads;
  if (asked.executor == Executor::automatic) return launched;
  const ExecutorRow& row = row_of(asked.executor);
  if (row.needs_mpi && !choice.is_mpi())
    refuse(fmt::format("there is no MPI for the executor {}: {}; start it as 'mpirun -n 8 quadrille race ...'", row.name,
                       choice.reason));
  if (!launched)
    refuse(
        fmt::format("there are no processes for the executor {}: {}; start it as 'quadrille run -n 8 quadrille race ...' or by "
                    "mpirun",
                    row.name, choice.reason));
  return launched;
}

// Returns the executors to race. If none is named, each candidate runs with every executor that the group offers.
std::vector<Executor> executors_for(Executor asked, Communicator& world) {
  if (asked == Executor::automatic) {
    std::vector<Executor> all = executors_of(world);
    std::reverse(all.begin(), all.end());  // messages come first
    return all;
  }
  const Result<Transport*> transport = transport_for(world.transport(), asked);
  if (!transport) refuse(transport.error());
  return {(*transport)->executor()};
}

void run_by(const std::vector<Executor>& executors, std::vector<Way>& candidates) {
  std::vector<Way> all;
  for (Way candidate : candidates) {
    for (const Executor executor : candidate.is_vendor() ? std::vector{Executor::mpi} : executors) {
      candidate.executor = executor;
      if (!candidate.keep_step || row_of(executor).memory != SharedBy::nobody) all.push_back(candidate);
    }
  }
  candidates = std::move(all);
}

// Measures the costs of each executor, and of MPI's messages for predictions of the MPI library's own collective. Takes as long
// as one size of the race, but at most a second.
std::vector<ExecutorFit> fitted(Communicator& communicator, const RaceRequest& request) {
  const std::vector<Executor> offered = executors_of(communicator);
  std::vector<Executor> executors;
  for (const auto& candidates : request.candidates)
    for (const Way& candidate : candidates) {
      if (candidate.executor == Executor::automatic)
        return fit_executors(communicator, {.executors = {}, .seconds = request.fit_seconds()});
      const Executor executor = candidate.is_vendor() ? Executor::mpi : candidate.executor;
      if (candidate.is_vendor() && std::find(offered.begin(), offered.end(), executor) == offered.end()) continue;
      if (std::find(executors.begin(), executors.end(), executor) == executors.end()) executors.push_back(executor);
    }
  if (executors.empty()) return {};
  return fit_executors(communicator, {.executors = executors, .seconds = request.fit_seconds()});
}

// Collective: executes each candidate of the race again, observed, and returns the traces at rank 0, in the order of the entries.
// The MPI library's own collectives have none. `beat` is called before each candidate.
std::vector<Trace> race_traces(Communicator& ranks, const RaceResult& race, const RaceOptions& options,
                               const std::function<void()>& beat) {
  std::vector<std::byte> input(index(input_bytes(race.problem, ranks.rank()))),
      output(index(output_bytes(race.problem, ranks.rank())));
  std::vector<Trace> traces;
  for (const RaceEntry& entry : race.entries) {
    const Way& candidate = entry.candidate;
    if (candidate.is_vendor()) continue;
    beat();
    const auto* family = std::get_if<Family>(&candidate.algorithm);
    const Schedule schedule =
        family ? schedule_of(ranks, *family, race.problem).value() : make_schedule(race.problem, candidate.algorithm);
    Trace& trace = traces.emplace_back(traced_run(ranks, schedule,
                                                  {.policy = candidate.policy,
                                                   .executor = candidate.executor,
                                                   .buffers = candidate.buffers,
                                                   .operation = options.operation,
                                                   .keep_step = candidate.keep_step},
                                                  input.data(), output.data()));
    if (trace.times.empty()) continue;  // on all ranks but the first
    trace.title = fmt::format("{}, {}, {}, {}", name(race.problem.collective), short_name(race.problem, candidate.algorithm),
                              problem_text(race.problem), trace.times.back().title);
  }
  return traces;
}

// Returns one trace as an object, several as an array.
std::string traces_text(const std::vector<Trace>& traces) {
  std::ostringstream text;
  text << (traces.size() == 1 ? "" : "[");
  for (const Trace& trace : traces) {
    text << (&trace == &traces.front() ? "" : ",\n");
    write_trace(text, trace);
  }
  text << (traces.size() == 1 ? "\n" : "]\n");
  return text.str();
}

// The file of --trace. Only rank 0 writes it.
class TraceFile {
 public:
  TraceFile(const std::optional<std::string>& file, bool is_writer) : is_asked_(file.has_value()) {
    if (file && is_writer) output_.emplace(file);
  }

  // Collective.
  void add(Communicator& ranks, const RaceResult& race, const RaceOptions& options, RankGroup& group) {
    if (!is_asked_) return;
    for (Trace& trace : race_traces(ranks, race, options, [&] {
           if (ranks.rank() == 0) group.beat();
         }))
      if (ranks.rank() == 0) traces_.push_back(std::move(trace));
  }

  void finish() {
    if (output_) output_->finish(traces_text(traces_));
  }

 private:
  const bool is_asked_;
  std::optional<Output> output_;
  std::vector<Trace> traces_;
};

// Replaces "vendor:all" by all algorithms that the MPI library has for the problem.
void name_all_of_vendor(Communicator& world, const Problem& problem, std::vector<Way>& candidates) {
  const auto names_all = [](const Way& each) { return each.is_vendor() && each.algorithm == Candidate(Vendor{"all"}); };
  if (std::erase_if(candidates, names_all) == 0) return;
  const auto names = world.transport().vendor_algorithms(problem);
  if (!names) refuse(names.error());
  for (const std::string& each : *names) candidates.push_back({.algorithm = Vendor{each}});
}

void append(std::vector<OwnFamily>& families, const std::vector<OwnFamily>& more) {
  families.insert(families.end(), more.begin(), more.end());
}

// Collective: rank 0 reads the files and distributes their text, because other ranks may not be able to read stdin or the folder.
// All ranks throw rank 0's errors.
std::vector<OwnFamily> read_by_first(Communicator& world, const RaceArguments& options) {
  made_or_thrown(world, [&] {
    if (world.rank() == 0) check_subject(options);
    return true;
  });
  return read_files(options, [&](const std::string& file, const std::string& label) {
    std::string text;
    const auto lengths = gathered_or_thrown(world, [&] {
      if (world.rank() == 0) text = read_text(file, label);
      return static_cast<Bytes>(text.size());
    });
    return told_in_parts(world, 0, std::move(text), lengths[0]);
  });
}

// Collective: adds the candidate that a plan would choose, unless it is there already.
void add_choice_of_plan(Communicator& communicator, const Problem& problem, RaceOptions& options, std::vector<Way>& candidates) {
  const Plan made = plan(communicator, problem, {.operation = options.operation});
  options.automatic = made.decision()->chosen;
  if (std::find(candidates.begin(), candidates.end(), *options.automatic) == candidates.end())
    candidates.push_back(*options.automatic);
}

// Races all problems, one after the other, on this rank. Returns whether all data was right.
bool run_all(Communicator& communicator, RaceRequest request, RaceReport& report, TraceFile& traces, RankGroup& ranks) {
  const bool first = communicator.rank() == 0;
  bool right = true;
  ProgressLine progress;
  if (request.options.fits.empty()) request.options.fits = fitted(communicator, request);
  for (std::size_t i = 0; i < request.problems.size(); ++i) {
    const Problem& problem = request.problems[i];
    request.options.progress = [&](int repetition, int repetitions) {
      ranks.beat();
      progress.show(fmt::format("{}: size {} of {}, repetition {} of {}", name(problem.collective), i + 1, request.problems.size(),
                                repetition + 1, repetitions));
    };
    if (first) ranks.beat();
    if (request.with_auto) add_choice_of_plan(communicator, problem, request.options, request.candidates[i]);
    const RaceResult result = race(communicator, problem, request.candidates[i], request.options);
    right = right && std::all_of(result.entries.begin(), result.entries.end(),
                                 [](const RaceEntry& entry) { return entry.failed_check.empty(); });
    traces.add(communicator, result, request.options, ranks);
    if (!first) continue;
    progress.clear();
    report.add(result);
  }
  return right;
}

// What a signal does to a race, whose ranks wait for each other: rank 0 writes what was measured, and all ranks end. The other
// ranks give rank 0 time to write, because a launcher ends all ranks when one has ended.
ActionOnSignal write_on_signal(RaceReport& report, std::size_t sizes, bool is_first) {
  return ActionOnSignal([&report, sizes, is_first](int signal) {
    if (!is_first) std::this_thread::sleep_for(std::chrono::seconds(1));
    try {
      if (is_first && !report.finish_partly(signal, sizes)) return;
    } catch (const std::exception& error) {
      complain(error.what());
    }
    std::_Exit(128 + signal);
  });
}

// Races on all ranks and writes the results. Returns the exit code.
int race_on(RankGroup& ranks, const RaceArguments& options, const RaceRequest& request) {
  const bool has_first = ranks.has_first();
  ReportForm form = options.form;
  if (!has_first) form.plot.reset();
  RaceReport report(has_first ? options.output : std::nullopt, form, ranks.transport(), ranks.size(), request.options);
  TraceFile traces(options.trace, has_first);
  const ActionOnSignal on_signal = write_on_signal(report, request.problems.size(), has_first);
  return ranks.run(request.timeout_seconds, [&](Communicator& communicator) {
    const bool right = run_all(communicator, request, report, traces, ranks);
    if (communicator.rank() == 0) report.finish(), traces.finish();
    return right ? good : with_findings;
  });
}

int run_on_threads(const RaceArguments& options) {
  check_subject(options);
  std::vector<OwnFamily> families = read_files(options, read_text);
  append(families, commands_of(options));
  RankGroup ranks(ranks_on_threads(options, families));
  const RaceRequest request = make_request(options, families, Executor::automatic, ByRank<Count>(ranks.size()), false);
  check_right(cases_of(families, request.problems));
  return race_on(ranks, options, request);
}

// Does an algorithm that the options name depend on the nodes of the ranks?
bool depends_on_nodes(const RaceArguments& options) {
  const auto collective = collective_named(options.subject);
  return collective &&
         std::any_of(options.about.algorithms.begin(), options.about.algorithms.end(), [&](std::string_view specification) {
           const Algorithm* algorithm = find_algorithm(*collective, specification.substr(0, specification.find(':')));
           return algorithm && algorithm->node_ports;
         });
}

// Runs the commands at rank 0, before MPI starts, because some MPI libraries do not allow their processes to start others. The
// families keep the schedules and the errors. All ranks throw an error together later. Each process refuses placeholders whose
// values depend on the nodes of the ranks, because these are not known yet.
void run_commands(const RaceArguments& options, const std::vector<OwnFamily>& commands, const Launched& here) {
  const std::vector<Problem> problems =
      problems_of_options(options, parse_collective(options.subject), ranks_launched(options, {}, here.ranks));
  for (const Problem& problem : problems)
    for (const std::string& command : options.about.generators.commands) words_for(command, problem);
  if (here.rank != 0) return;
  ProgressLine progress;
  for (const Case& entry : cases_of(commands, problems)) {
    progress.show(fmt::format("runs {}, {}", entry.specification(), problem_text(entry.problem)));
    try {
      entry.schedule();
    } catch (const Error&) {}
  }
}

int run_launched(const RaceArguments& options, Executor executor) {
  // Errors that can be found before MPI starts are thrown here, so that every process simply exits. Errors in nodes and files are
  // found later.
  const bool mpi = choose_transport().is_mpi();
  const std::vector<OwnFamily> commands = commands_of(options);
  if (const auto here = launched()) {
    if (!options.has_files() && !depends_on_nodes(options))
      make_request(options, commands, executor, ByRank<Count>(ranks_launched(options, {}, here->ranks)), mpi);
    if (!commands.empty()) run_commands(options, commands, *here);
  }
  if (std::any_of(options.about.algorithms.begin(), options.about.algorithms.end(),
                  [](const std::string& each) { return names_vendor(each) && parse_candidate({}, each) != Candidate(Vendor{}); }))
    allow_vendor_algorithms();
  RankGroup ranks(join_launched_ranks());
  Communicator& world = ranks.world();
  std::vector<OwnFamily> families = read_by_first(world, options);
  append(families, commands);
  ranks_launched(options, families, ranks.size());
  RaceRequest request = make_request(options, families, executor, world.nodes(), mpi);
  made_or_thrown(world, [&] {
    // a plan would refuse a wrong schedule, too, but without naming the file
    if (ranks.has_first()) check_right(cases_of(families, request.problems));
    return true;
  });
  for (std::size_t i = 0; i < request.problems.size(); ++i) name_all_of_vendor(world, request.problems[i], request.candidates[i]);
  for (auto& candidates : request.candidates) run_by(executors_for(executor, world), candidates);
  return ranks.first_can_write({options.output, options.form.plot, options.trace}) ? race_on(ranks, options, request) : misused;
}

int run_race(RaceArguments options) {
  check_form(options);
  if (options.subject.empty()) refuse("name a collective or a file: quadrille race alltoall --block 8B,64KiB");
  if (options.curves) options.form.curves = parse_curves(*options.curves);
  const AskedExecutor asked = parse_executor_of_ranks(options.executor);
  return runs_launched(asked) ? run_launched(options, asked.executor) : run_on_threads(options);
}

}  // namespace

Subcommand add_race(CLI::App& command) {
  auto options = std::make_shared<RaceArguments>();
  OptionTable table(command, "race", "run algorithms side by side on real, checked data and time them");
  table.add(group::arguments, {{"subject", "COLLECTIVE|FILE", options->subject,
                                "a collective (see 'quadrille list'), or a file of schedules ('-' is stdin)"}});
  options->about.add_to(
      table,
      "such as bruck:radix=8, or all; repeatable (default: all that apply; if a file is given instead of a "
      "collective, only its schedules). Under mpirun the MPI library's own collective ('vendor') always races, too. "
      "vendor:NAME forces one of the library's algorithms, vendor:all races each of them, and auto also races what "
      "a plan would choose",
      /*takes_schedules=*/true);
  table.add(group::execution,
            {{"--policy", "LIST", {options->policies, parse_policies}, "blocking (the default), nonblocking, dataflow or all"},
             {"--buffers",
              "LIST",
              {options->buffers, [](const std::string& text) { return parse_wholes(text, "the number of buffers", 1); }},
              "dataflow: the number of rounds whose packed messages may be in flight together: 1, 2 or 1,2 (default 2)"},
             {"--memory", "KIND", options->memory,
              "memory of input and output: private (the default), or shared, which other ranks can read"},
             {"--keep-step", "", options->keep_step,
              "policy blocking: also race each candidate with the ranks of a node in step, so that they begin their exchanges with "
              "other nodes round by round"},
             {"--executor", "NAME", options->executor,
              fmt::format("threads, {}; default: without a launcher threads, else all executors that the ranks have, side by side",
                          executor_help())}});
  table.add(group::machine,
            {{"--machine", "NAME|FILE", options->machine,
              "predict times by this machine's file, as in 'quadrille price' (default: fitted to these ranks before the race)"}});
  table.add(
      group::measurement,
      {{"--repetitions",
        "N",
        {options->race.repetitions, repeats("repetitions", 1)},
        "repetitions of all candidates (default {default})"},
       {"--time",
        "SECONDS",
        {options->seconds, seconds("the time")},
        fmt::format("approximate time for each size (default {}s)", options->race.seconds_per_problem)},
       {"--iterations",
        "N",
        {options->race.iterations, repeats("iterations", 1)},
        "runs in a batch, instead of --time; a sample is the median of five batches"},
       {"--warm-up",
        "N",
        {options->race.warm_up, repeats("runs to warm up", 0)},
        "additional runs of a candidate before each of its samples, which are not timed (default {default})"},
       {"--cold", "", options->race.cold,
        "with cold caches: the runs cycle through so many pairs of input and output that these exceed the last-level caches"},
       {"--seed", "N", {options->race.seed, whole("the seed", 0)}, "seed of the random order of candidates (default {default})"},
       {"--timeout",
        "SECONDS",
        {options->timeout_seconds, seconds("the time-out")},
        "stop after this time without progress (default {default}s)"}});
  table.add(group::output,
            {{"--phases", "", options->form.phases, "also print where the time goes: distribute, communicate, collect"},
             {"--ratios", "", options->form.ratios,
              "print one line only: for each size, how many times faster our best candidate is than the vendor's collective"},
             {"--bandwidth", "", options->form.bandwidth,
              "also print algorithm bandwidth and bus bandwidth, in GB/s (1e9 bytes), as nccl-tests defines them"},
             {"--over-ranks", "", options->form.over_ranks,
              "also print the times of single ranks in a run: the shortest, the mean and the longest"},
             {"--plot", "FILE", options->form.plot,
              "also draw, as SVG, times over sizes, their ratio to the vendor's (or to the best), and the fastest candidates"},
             {"--curves", "N", options->curves,
              fmt::format("with --plot: number of candidates drawn besides the vendor, 1 to 8 (default {})", default_curves)},
             {"--trace", "FILE", options->trace,
              "also run each candidate once more and write when each message, copy and wait began and ended, as JSON: "
              "quadrille-trace/1, an object for one candidate, an array for several; the vendor's collectives have no trace"},
             {"--csv", "", options->form.csv, "as comma-separated values: a row for each size and candidate"}});
  table.add_json(options->form.json, "as a JSON object, with all samples");
  table.add_output(options->output);
  table.set_footer(
      "On threads, --ranks is one number (default 8); a launcher sets the number of ranks itself. A time runs from the first "
      "rank's start to the last rank's end. A ratio compares two times of the same repetition. Exit code 1 if data was wrong. "
      "Rank 0 reads files, and runs commands, for all ranks. Their schedules are verified first; a wrong one is refused with its "
      "first finding.\n\n"
      "Examples:\n"
      "  quadrille race alltoall\n"
      "  quadrille race alltoall --ranks 4 --block 8B,64KiB --algorithm all --algorithm bruck:radix=4\n"
      "  quadrille race allreduce --block 1KiB..4MiB --cold --bandwidth --plot race.svg\n"
      "  mpirun -n 8 quadrille race alltoall --block 8B,1KiB,64KiB --json --output race.json\n"
      "  mpirun -n 6 quadrille race alltoall --block 1KiB --schedule mine.json\n"
      "  quadrille race alltoall --block 8B..1MiB --generator 'python3 mine.py {ranks} {block}' --algorithm direct");
  return {std::move(table), [options] { return run_race(*options); },
          [options] { return joins_launched_ranks(options->executor); }};
}

}  // namespace quadrille::command
