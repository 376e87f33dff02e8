// SPDX-License-Identifier: BSD-3-Clause
// quadrille price: predicts the times of schedules on a machine by a cost model, and says why one is the fastest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "reports/price_report.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct PriceArguments {
  std::string subject;  // a collective or a file
  SubjectOptions about;
  ModelOptions model;
  std::optional<std::string> contention, output;
  bool json = false;
};

double contention_factor(std::string_view text) {
  const auto factor = number_in<double>(text);
  if (!factor || !(*factor >= 1) || !std::isfinite(*factor))
    refuse(fmt::format("the contention factor '{}' is not a number from 1 on", text));
  return *factor;
}

// Parses "1.5,1.2": the contention factors of blocking and of nonblocking traffic. One number stands for both. Models with one
// factor accept one number.
void set_contention(std::string_view text, const Model& model, MachineCosts& machine) {
  if (!model.knows("contention")) refuse(fmt::format("the model {} knows no contention factor; leave --contention out", model.id));
  const std::size_t comma = text.find(',');
  const bool has_two = comma != std::string_view::npos;
  if (has_two && text.find(',', comma + 1) != std::string_view::npos)
    refuse(fmt::format("there are two contention factors at most, for blocking and for nonblocking traffic; '{}' has more", text));
  if (has_two && !model.knows("blocking_contention"))
    refuse(fmt::format("the model {} knows one contention factor, for messages in flight together; name one number", model.id));
  Coefficients& coefficients = machine.models.find(model.id)->second;
  coefficients["contention"] = contention_factor(has_two ? text.substr(comma + 1) : text);
  if (model.knows("blocking_contention")) coefficients["blocking_contention"] = contention_factor(text.substr(0, comma));
}

Pricer pricer_of(const PriceArguments& options, const Problem& problem) {
  MachineCosts machine = options.model.machine_costs();
  ModelChoice model = options.model.choose(machine, problem, options.about.problem.topology.has_value());
  if (options.contention) set_contention(*options.contention, *model.model, machine);
  return {std::move(model), std::move(machine), options.about.problem.network()};
}

std::vector<PriceList> price_lists(const PriceArguments& options, const Pricer& pricer, const Subject& subject) {
  std::vector<LeftOut> left_out;
  const std::vector<Problem>& problems = subject.problems;
  const auto cases = subject.cases(options.about.algorithms, &left_out);
  std::vector<PriceList> lists;
  ProgressLine progress;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    std::vector<Case> own;
    std::vector<LeftOut> own_left_out;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(own), [&](const Case& entry) { return entry.index == i; });
    std::copy_if(left_out.begin(), left_out.end(), std::back_inserter(own_left_out),
                 [&](const LeftOut& entry) { return entry.index == i; });
    if (own.empty()) continue;
    PriceList& list = lists.emplace_back(pricer.prices(problems[i], own, std::move(own_left_out), progress));
    // One search for winners covers all sizes. So of several sizes with the same ranks and root, only the first one is searched.
    const Problem& problem = problems[i];
    const bool again = i > 0 && problems[i - 1].ranks == problem.ranks && problems[i - 1].root == problem.root;
    const bool has_other_sizes = subject.families.empty() && options.about.problem.depends_on_block(problem.collective);
    if (has_other_sizes && list.candidates.size() > 1 && !again)
      pricer.find_winners(
          list, [&](Bytes bytes) { return options.about.problem.problem(problem.collective, problem.ranks, bytes, problem.root); },
          progress);
  }
  return lists;
}

int run_price(const PriceArguments& options) {
  if (options.subject.empty()) refuse("name a collective or a file: quadrille price alltoallv --ranks 64 --machine sp2");
  const Subject subject = subject_of(options.subject, options.about);
  const Pricer pricer = pricer_of(options, subject.problems.front());
  Output output(options.output);
  const std::vector<PriceList> lists = price_lists(options, pricer, subject);
  output.finish(options.json ? document_text("price", one_or_all(array_of(
                                                          lists, [&](const PriceList& list) { return json_of(list, pricer); })))
                             : text_of(lists, pricer));
  return good;
}

std::string models_of_price() {
  std::string text;
  for (const Model* model : all_models()) text += fmt::format("  {}: {}\n", model->id, model->formula);
  return text;
}

}  // namespace

Subcommand add_price(CLI::App& command) {
  auto options = std::make_shared<PriceArguments>();
  OptionTable table(command, "price", "predict the times of schedules on a machine by a model, and name the fastest");
  table.add(group::arguments,
            {{"subject", "COLLECTIVE|FILE", options->subject, "a collective, or a document of schedules ('-' is stdin)"}});
  options->about.add_to(table,
                        "such as four-stage:columns=paper, or all, or " + vendor_case_help() +
                            "; repeatable (default: all; if a file is given instead of a "
                            "collective, only its schedules)",
                        /*takes_schedules=*/true);
  options->model.add_to(table);
  table.add(
      group::machine,
      {{"--contention", "FACTOR[,FACTOR]", options->contention,
        "factor by which bytes take longer on the wire because messages meet (default: the machine's factor; if it has none, the "
        "model flat finds out which messages wait for each other). The model free-running takes two factors, such as 1.5,1.2: for "
        "blocking "
        "traffic, and for messages in flight together; one number stands for both"}});
  table.add_json(options->json, "one object for one problem, an array for several");
  table.add_output(options->output);
  table.set_footer(
      "Rounds follow one another, and each takes as long as its longest message. The model free-running instead times each "
      "stage as a whole: as long as its busiest rank works. Control messages count. Models:\n" +
      models_of_price() +
      "\nSchedules of files and commands are verified first; a wrong one is refused with its first finding.\n"
      "\nExamples:\n  quadrille price alltoall --ranks 64 --block 64B --machine sp1 --algorithm shift --algorithm "
      "bruck:radix=2..8\n"
      "  quadrille price alltoallv --pattern transpose:64KiB --ranks 64 --machine sp2\n"
      "  quadrille price alltoallv --pattern transpose:64KiB --ranks 64 --machine sp2 --model free-running --contention "
      "1.5,1.2\n"
      "  quadrille price alltoall --topology torus:16x16 --block 1KiB --machine paragon\n"
      "  quadrille price alltoall --ranks 6 --block 1KiB --machine sp2 --schedule mine.json\n"
      "  quadrille price alltoall --ranks 8 --block 8B..1MiB --machine sp2 --generator 'python3 mine.py {ranks} {block}'\n"
      "  quadrille price alltoall --node-sizes 8x4 --machine myrinet");
  return {std::move(table), [options] { return run_price(*options); }};
}

}  // namespace quadrille::command
