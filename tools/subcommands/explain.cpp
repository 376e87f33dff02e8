// SPDX-License-Identifier: BSD-3-Clause
// quadrille explain: says which algorithm a plan would choose, and why.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "execute/executors.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/option_table.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "quadrille/explain.hpp"
#include "reports/explain_report.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// The options that select the knowledge of a machine on which the answer is based.
struct KnowledgeOptions {
  std::optional<std::string> machine, mpi, executor;
};

// Returns the first executor of the table that shares memory in this way.
std::string executor_sharing(SharedBy memory) {
  const auto rows = all_executors();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const ExecutorRow& each) { return each.memory == memory; });
  return std::string(row->name);
}

std::optional<Executor> only_executor(const std::optional<std::string>& asked, Count nodes) {
  if (!asked) return std::nullopt;
  const Executor executor = parse_executor(*asked);
  const SharedBy memory = row_of(executor).memory;
  if (nodes > 1 && memory == SharedBy::all_ranks)
    refuse("ranks on several nodes do not all share memory; take --executor " + executor_sharing(SharedBy::ranks_of_a_node));
  if (nodes == 1 && memory == SharedBy::ranks_of_a_node)
    refuse("the ranks are on one node; take --executor " + executor_sharing(SharedBy::all_ranks));
  return executor;
}

// Returns the beginning of an MPI library's name in fingerprints of machines, given its id: "Open MPI" for "openmpi".
std::string beginning_of_mpi(const std::string& id) {
  const std::vector<std::string> known = ids_or_none();
  if (std::find(known.begin(), known.end(), id) == known.end()) refuse_unknown("MPI library", id, known);
  const MpiLibrary* const library = find_mpi_library(id);
  return library ? std::string(library->title) : id;
}

// Finds the knowledge for `options`. If this machine has several wisdom files, takes the newest, or the newest of the requested
// MPI library. `nodes`: the problem's number of nodes, which decides which preset machine is chosen. Throws Error{misuse}.
MachineKnowledge find_knowledge(const KnowledgeOptions& options, Count nodes) {
  const std::optional<Executor> only = only_executor(options.executor, nodes);
  const std::string mpi = options.mpi ? beginning_of_mpi(*options.mpi) : "";
  if (options.machine && options.mpi && *options.mpi != "none")
    refuse("--machine and --mpi exclude each other, except for --mpi none");
  MachineKnowledge known;
  if (options.machine) {
    known.preset = find_machine(*options.machine);
    known.has_mpi = options.mpi != "none";
  } else {
    known = knowledge_here(nodes, mpi);
    for (const std::string& sentence : known.left_out) remark("left out: " + sentence);
  }
  known.only = only;
  return known;
}

struct ExplainArguments {
  std::string collective;
  GeneratorOptions generators;
  ProblemOptions problem;
  KnowledgeOptions knowledge;
  double seconds = ExplainOptions().seconds;
  std::optional<std::string> output;
  bool all = false, json = false;
};

Count nodes_of(const Problem& problem) { return situation_of(problem).nodes; }

std::string doing(FlipQuantity quantity, Count value) {
  const std::string what = quantity == FlipQuantity::block_bytes ? "blocks of " + bytes_text(value)
                           : quantity == FlipQuantity::ranks     ? counted(value, "rank")
                                                                 : fmt::format("an irregularity of {}", value);
  return "looking where the choice changes: " + what;
}

// Sets the functions that return the problem at other sizes. The problem itself has blocks of `block_bytes`. The functions refer
// to the arguments.
void set_other_problems(ExplainOptions& explained, const ProblemOptions& options, const Problem& problem, Bytes block_bytes) {
  explained.at_block = nullptr, explained.at_ranks = nullptr;
  if (options.depends_on_block(problem.collective))
    explained.at_block = [&](Bytes bytes) { return options.problem(problem.collective, problem.ranks, bytes, problem.root); };
  const bool has_senders = options.pattern && parse_pattern(*options.pattern, block_bytes).senders > 0;
  if (options.counts || has_senders) return;  // counts and senders are given for these ranks only
  explained.at_ranks = [&, block_bytes](Count ranks) {
    ProblemOptions alone = options;
    alone.nodes.reset(), alone.node_sizes.reset(), alone.topology.reset(), alone.grid.reset();
    return alone.problem(problem.collective, ranks, block_bytes, std::min(problem.root, ranks - 1));
  };
}

int run_explain(const ExplainArguments& options) {
  if (options.collective.empty()) refuse("name a collective: quadrille explain alltoall --ranks 64 --block 1KiB");
  const Collective collective = parse_collective(options.collective);
  constexpr std::size_t endless = 1'000'000;
  // the table leaves out ways that differ only in the executor
  const std::size_t few = most_explained_rows * (options.json ? 1 : all_executors().size());
  ExplainOptions explained{.most_parts = options.all ? endless : few, .seconds = options.seconds};
  std::vector<std::pair<Bytes, Problem>> problems;
  for (const Count ranks : options.problem.rank_counts(0))
    for (const Bytes size : options.problem.block_sizes())
      for (const Rank root : options.problem.roots(collective, ranks))
        problems.emplace_back(size, options.problem.problem(collective, ranks, size, root));
  const std::vector<OwnFamily> families = families_of_commands(options.generators, collective);
  for (const OwnFamily& own : families) explained.families.push_back(own.family);
  if (!families.empty())
    for (const auto& [size, problem] : problems) check_right(cases_of(families, {problem}));
  Output output(options.output);
  std::string text;
  Json array = Json::array();
  {
    ProgressLine progress;
    explained.progress = [&](FlipQuantity quantity, Count value) { progress.show(doing(quantity, value)); };
    for (const auto& [size, problem] : problems) {
      MachineKnowledge knowledge = find_knowledge(options.knowledge, nodes_of(problem));
      knowledge.topology = options.problem.network();
      set_other_problems(explained, options.problem, problem, size);
      progress.show("pricing");
      const Explanation explanation = explain(problem, knowledge, explained);
      if (options.json)
        array.push_back(json_of(explanation, knowledge));
      else
        text += (text.empty() ? "" : "\n") + text_of(explanation, knowledge, options.all);
    }
  }
  output.finish(options.json ? document_text("explain", one_or_all(array)) : text);
  return good;
}

}  // namespace

Subcommand add_explain(CLI::App& command) {
  auto options = std::make_shared<ExplainArguments>();
  OptionTable table(command, "explain", "which algorithm a plan would choose here or on another machine, and why");
  table.add(group::arguments, {{"collective", "COLLECTIVE", options->collective, "see 'quadrille list'"}});
  options->generators.add_to(table);
  options->problem.add_to(table);
  table.add(
      group::machine,
      {{"--machine", "NAME|FILE", options->knowledge.machine,
        "price by the figures of a named machine, such as hdr, or of a machine file, instead of what was measured here. The "
        "model is the first that applies, by 'quadrille list models'"},
       {"--mpi", "NAME", options->knowledge.mpi,
        "use the measurements made here with this MPI library: " + alternatives(ids_or_none()) + " (default: the newest ones)"},
       {"--executor", "NAME", options->knowledge.executor,
        "consider only " + executor_help() + "; default: all executors that such ranks have"},
       {"--time",
        "SECONDS",
        {options->seconds, seconds("the time")},
        "approximate time to search for the sizes and ranks at which the choice changes (default {default}s)"}});
  table.add(group::output,
            {{"--all", "", options->all,
              "all candidates, not just the first ten: also baselines, which the table has only to compare others with them, and "
              "those that differ only in the executor at an equal price; and which algorithms do not apply, and why"}});
  table.add_json(options->json, "one object for one problem, an array for several");
  table.add_output(options->output);
  table.set_footer(
      "No launcher is needed. Results of 'quadrille tune' come first. Other times are predicted, from the costs of messages "
      "and copies measured here, or from the figures of a named machine; figures without a published value are assumed, and "
      "the answer says so. Schedules of --generator are verified and compared with what a plan would choose; a plan takes "
      "them only if its options name the family. Contention is the extra time because the ranks of a node share its network "
      "adapter, memory and "
      "cores.\n\n"
      "Examples:\n"
      "  quadrille explain alltoall --ranks 8 --block 1KiB\n"
      "  quadrille explain alltoall --node-sizes 8x8 --block 1KiB --machine hdr\n"
      "  quadrille explain alltoall --topology torus:8x8 --block 64B --machine paragon\n"
      "  quadrille explain alltoallv --counts matrix.mtx\n"
      "  quadrille explain allreduce --ranks 4 --block 8B,64KiB --mpi openmpi --json");
  return {std::move(table), [options] { return run_explain(*options); }};
}

}  // namespace quadrille::command
