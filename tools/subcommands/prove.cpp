// SPDX-License-Identifier: BSD-3-Clause
// quadrille prove: proves for all numbers of ranks that a family of schedules is right, by z3.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "foundation/text/wording.hpp"
#include "prove/proof.hpp"
#include "quadrille/error.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct ProveArguments {
  std::string family;
  std::string solver = "z3";
  std::optional<std::string> output;
};

const ProvedFamily& family_named(const std::string& id) {
  std::vector<std::string> known;
  for (const ProvedFamily& family : proved_families()) {
    if (family.id == id) return family;
    known.emplace_back(family.id);
  }
  if (id.empty()) refuse(fmt::format("name a family; there are: {}", fmt::join(known, ", ")));
  refuse_unknown("proof for", id, known);
}

int run_prove(const ProveArguments& options) {
  const ProvedFamily& family = family_named(options.family);
  std::string file = options.output.value_or(std::string(family.id) + ".smt2");
  if (!options.output) file[file.find('/')] = '-';
  const std::string document = proof_document(family);
  Output(file).finish(document);
  if (file == "-") return good;
  std::vector<ProvedStep> steps;
  try {
    steps = answers_of(options.solver, file, document);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}; the proof is in {}: any SMT solver can check it, such as z3 (Debian: apt install z3)",
                            error.what(), file));
  }
  std::string text;
  Count proved = 0;
  for (const ProvedStep& step : steps) {
    proved += step.answer == Answer::unsat ? 1 : 0;
    if (step.answer == Answer::sat) text += fmt::format("false for some numbers: {}\n", step.name);
    if (step.answer == Answer::unknown) text += fmt::format("not decided: {}\n", step.name);
  }
  text += fmt::format("{}: {}\n\n{} of {} proved by {}; the proof is in {}\n", family.id, family.statement, proved,
                      counted(static_cast<Count>(steps.size()), "step"), options.solver, file);
  Output().finish(text);
  return proved == static_cast<Count>(steps.size()) ? good : with_findings;
}

}  // namespace

Subcommand add_prove(CLI::App& command) {
  auto options = std::make_shared<ProveArguments>();
  OptionTable table(command, "prove", "prove for all numbers of ranks that a family of schedules is right");
  std::vector<std::string_view> ids;
  for (const ProvedFamily& family : proved_families()) ids.push_back(family.id);
  table.add(group::arguments, {{"family", "FAMILY", options->family, fmt::format("what to prove: {}", fmt::join(ids, ", "))}});
  table.add(group::others, {{"--solver", "PROGRAM", options->solver, "program that reads SMT-LIB (default z3)"}});
  table.add_output(options->output);
  table.set_footer(
      "Writes the proof as an SMT-LIB document, to the file that -o names or to FAMILY.smt2 in this folder, and lets the solver "
      "check "
      "each step. With -o - the document is printed, and no solver is run.\n\n"
      "Example:\n"
      "  quadrille prove alltoall/bruck");
  return {std::move(table), [options] { return run_prove(*options); }};
}

}  // namespace quadrille::command
