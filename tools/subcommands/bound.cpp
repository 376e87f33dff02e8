// SPDX-License-Identifier: BSD-3-Clause
// quadrille bound: prints what every schedule of a problem takes at least, with proofs, and how far algorithms are from it.
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "options/arguments.hpp"
#include "options/documents.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/bound.hpp"
#include "quadrille/error.hpp"
#include "reports/bound_report.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

constexpr Count standard_steps = 1600;
constexpr Count most_ports = std::numeric_limits<std::int32_t>::max();  // as in documents

struct BoundArguments {
  std::string collective;
  ProblemOptions problem;
  ModelOptions model;
  std::optional<std::string> check, output;
  std::optional<Count> ports, steps;
  bool worst = false, json = false;
};

bool asks_of_model(const BoundArguments& options) { return options.model.machine || options.model.model; }

int check_file(const BoundArguments& options) {
  if (!options.collective.empty() || options.problem.given() || options.problem.topology)
    refuse("--check takes a file of bounds, which states the problem itself; leave the collective and its options out");
  if (asks_of_model(options) || options.ports || options.steps || options.worst || options.json)
    refuse("--check takes only a file, and -o; leave the other options out");
  bool is_good = true;
  const std::string text = check_text(parse_bounds(read_text(*options.check, label_of(*options.check))), is_good);
  Output(options.output).finish(text);
  return is_good ? good : with_findings;
}

int print_worst(const BoundArguments& options, Collective collective) {
  ProblemOptions others = options.problem;
  others.ranks.reset(), others.block.reset();
  if (others.given() || others.topology || asks_of_model(options) || options.ports || options.steps || options.json)
    refuse("--worst-ratios takes only --ranks, --block and -o; it looks at networks of its own");
  const std::vector<Bytes> blocks = options.problem.block_sizes();
  if (blocks.size() != 1) refuse(fmt::format("--worst-ratios takes one size, not {}", blocks.size()));
  ProgressLine progress;
  const std::vector<Count> ranks = options.problem.ranks ? options.problem.rank_counts(0) : parse_wholes("2..64", "ranks", 2);
  const std::string text =
      worst_ratios_text(collective, ranks, blocks[0], [&](const std::string& what) { progress.show("now " + what); });
  progress.clear();
  Output(options.output).finish(text);
  return good;
}

BoundDocument bounds_of(const BoundArguments& options, Problem problem) {
  const auto topology = options.problem.network();
  const Topology* const network = topology ? &*topology : nullptr;
  std::optional<LeastTimes> times;
  if (options.model.machine) {
    const MachineCosts machine = options.model.machine_costs();
    const ModelChoice model = options.model.choose(machine, problem, network != nullptr, [](const Model& each) -> Result<> {
      if (has_least_times(each)) return {};
      return cannot(fmt::format("no bound of the times of the model {} is known", each.id));
    });
    times = least_times(*model.model, machine, network);
    if (!times)
      refuse(
          fmt::format("no bound is known of the times of the model {}; take --model linear, fitted, loggp, flat, cluster or torus",
                      model.model->id));
  }
  BoundDocument document{.problem = std::move(problem)};
  if (network) document.network = links_of(*network);
  ProgressLine progress;
  progress.show("looks for bounds");
  document.bounds = certified_bounds(document.problem, times ? times->ports : options.ports.value_or(1), network,
                                     options.steps.value_or(standard_steps));
  progress.clear();
  if (times) document.bounds.push_back(time_bound(document.problem, document.bounds, *times));
  return document;
}

int run_bound(const BoundArguments& options) {
  if (options.check) return check_file(options);
  if (options.collective.empty()) refuse("name a collective, such as quadrille bound alltoall --ranks 16, or a file: --check FILE");
  const Collective collective = parse_collective(options.collective);
  if (options.worst) return print_worst(options, collective);
  if (options.model.model && !options.model.machine)
    refuse("--model is a model of a machine; name the machine, too: --machine sp2");
  if (options.steps && !options.problem.topology) refuse("--steps is about the links of a network; name one: --topology torus:4x8");
  if (options.ports.value_or(1) > most_ports) refuse(fmt::format("--ports is at most {}", most_ports));
  if (options.ports && options.model.machine) refuse("the model says how many ports there are; leave --ports out");
  const std::vector<Problem> problems = options.problem.problems(collective);
  if (problems.size() != 1)
    refuse(fmt::format("bounds are of one problem, not of {}; name one number of ranks and one size", problems.size()));
  const BoundDocument document = bounds_of(options, problems[0]);
  Output output(options.output);
  output.finish(options.json ? bounds_json(document)
                             : fmt::format("{}\n\n{}", collective_text(document.problem), bounds_text(document.bounds)));
  return good;
}

}  // namespace

Subcommand add_bound(CLI::App& command) {
  auto options = std::make_shared<BoundArguments>();
  OptionTable table(command, "bound", "print what every schedule of a problem takes at least, with proofs that can be checked");
  table.add(group::arguments, {{"collective", "COLLECTIVE", options->collective, "the collective"}});
  options->problem.add_to(table);
  options->model.add_to(table);
  table.add(
      group::rules,
      {{"--ports",
        "K",
        {options->ports, whole("the number of ports", 1)},
        "messages that a rank, and a node, may send, and receive, in a round (default 1; with --machine, those of the model)"},
       {"--steps",
        "N",
        {options->steps, whole("the number of steps", 0)},
        fmt::format("steps of the search for prices of links (default {})", standard_steps)},
       {"--check", "FILE", options->check, "check the certificates of a file that --json has written ('-' is stdin)"},
       {"--worst-ratios", "", options->worst,
        "print, for each algorithm with its default parameters, the greatest ratio of its figures to the bounds, over --ranks "
        "(default 2..64), without a network and on rings, tori, hypercubes and fat trees"}});
  table.add_json(options->json, "print the bounds with their certificates, in the form of docs/bounds.md");
  table.add_output(options->output);
  table.set_footer(
      "Exit code 1 if --check finds a bound that its certificate does not prove.\n"
      "\nExamples:\n  quadrille bound alltoall --ranks 16 --ports 2\n"
      "  quadrille bound alltoall --topology torus:4x8 --block 1KiB\n"
      "  quadrille bound allreduce --topology fat-tree:4 --block 64KiB --machine sp2 --model linear\n"
      "  quadrille bound alltoallv --counts counts.csv --node-sizes 8x4\n"
      "  quadrille bound alltoall --topology torus:4x8 --json | quadrille bound --check -\n"
      "  quadrille bound allgather --worst-ratios");
  return {std::move(table), [options] { return run_bound(*options); }};
}

}  // namespace quadrille::command
