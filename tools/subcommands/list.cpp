// SPDX-License-Identifier: BSD-3-Clause
// quadrille list: prints the table of algorithms.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <string>

#include "collectives/table.hpp"
#include "foundation/environment.hpp"
#include "mpi_face/policy/step.hpp"
#include "options/arguments.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/algorithm.hpp"
#include "reports/bound_report.hpp"
#include "subcommands/list_models.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

std::string environment_text() {
  constexpr std::size_t indent = 4;
  std::string text;
  for (const EnvironmentVariable& variable : all_environment_variables()) {
    text +=
        fmt::format("{}: {}\n", variable.name, wrapped(values_text(variable), terminal_width(), indent, variable.name.size() + 2));
    text += std::string(indent, ' ') +
            wrapped(fmt::format("{} (read by: {})", variable.about, variable.reader), terminal_width(), indent, indent) + '\n';
  }
  return text;
}

std::string environment_markdown() {
  std::string text = "| variable | values | what it does | read by |\n| --- | --- | --- | --- |\n";
  for (const EnvironmentVariable& variable : all_environment_variables())
    text += fmt::format("| `{}` | {} | {} | {} |\n", variable.name, values_text(variable), variable.about, variable.reader);
  return text;
}

Json environment_json() {
  return array_of(all_environment_variables(), [](const EnvironmentVariable& variable) {
    return Json{
        {"name", variable.name}, {"values", values_text(variable)}, {"about", variable.about}, {"read_by", variable.reader}};
  });
}

struct ListArguments {
  std::string collective, algorithm;
  std::optional<std::string> output;
  bool json = false, markdown = false, ratios = false;
};

std::string range_text(const Parameter& parameter) {
  if (!parameter.choices.empty())
    return fmt::format("{}{}{}", fmt::join(parameter.choices, " | "), parameter.form.empty() ? "" : " | ", parameter.form);
  return parameter.range.empty() ? fmt::format("{}..", parameter.least) : std::string(parameter.range);
}

std::string standard_text(const Parameter& parameter) {
  return parameter.standard_for ? std::string(parameter.standard_rule) : quadrille::to_string(parameter.standard);
}

std::string_view needs_text(const Algorithm& algorithm) {
  return algorithm.needs.empty() ? "any number of ranks" : algorithm.needs;
}

bool is_default(const Algorithm& algorithm) { return &default_algorithm(algorithm.collective) == &algorithm; }

// Returns the algorithm's mark in the table: "(default)", "(baseline)", or none.
std::string_view mark_of(const Algorithm& algorithm) {
  return is_default(algorithm) ? "(default)" : is_baseline(algorithm) ? "(baseline)" : "";
}

std::size_t id_width_of(const std::vector<const Algorithm*>& algorithms) {
  std::size_t width = 0;
  for (const Algorithm* algorithm : algorithms) width = std::max(width, algorithm->id.size());
  return width;
}

Json algorithm_json(const Algorithm& algorithm) {
  Json object{{"collective", name(algorithm.collective)}};
  object.update(MEMBERS_OF(algorithm, id, summary, picture));
  object["parameters"] = array_of(algorithm.parameters, [](const Parameter& parameter) {
    Json entry = MEMBERS_OF(parameter, name, summary);
    entry["default"] = parameter.standard_for ? Json(parameter.standard_rule) : to_json(parameter.standard);
    if (parameter.choices.empty())
      entry["range"] = range_text(parameter);
    else
      entry["choices"] = parameter.choices;
    if (!parameter.form.empty()) entry["form"] = parameter.form;
    return entry;
  });
  object.update(MEMBERS_OF(algorithm, needs, source));
  object.update({{"default", is_default(algorithm)}, {"baseline", is_baseline(algorithm)}});
  if (algorithm.combining) object["operands"] = algorithm.combining_rule;
  return object;
}

std::string algorithm_text(const Algorithm& algorithm, std::size_t id_width, std::size_t width) {
  const std::size_t indent = id_width + 4;
  std::size_t key_width = algorithm.combining ? 8 : 6;  // "operands", "source"
  for (const Parameter& parameter : algorithm.parameters) key_width = std::max(key_width, parameter.name.size());
  const std::string summary = fmt::format("{}{}{}", mark_of(algorithm), mark_of(algorithm).empty() ? "" : " ", algorithm.summary);
  std::string text = fmt::format("  {:<{}}  {}\n", algorithm.id, id_width, wrapped(summary, width, indent, indent));
  const auto add = [&](std::string_view key, std::string_view value) {
    const std::size_t column = indent + key_width + 2;
    text += fmt::format("{:{}}{:<{}}  {}\n", "", indent, key, key_width, wrapped(value, width, column, column));
  };
  for (const Parameter& parameter : algorithm.parameters)
    add(parameter.name, fmt::format("{}, default {}: {}", range_text(parameter), standard_text(parameter), parameter.summary));
  add("needs", needs_text(algorithm));
  if (algorithm.combining) add("operands", algorithm.combining_rule);  // the footer of --help explains it
  add("source", algorithm.source);
  return text;
}

std::string markdown_of(const Algorithm& algorithm) {
  const auto escaped = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
  };
  std::vector<std::string> parameters;
  for (const Parameter& parameter : algorithm.parameters)
    parameters.push_back(fmt::format("`{}` = {} (default {}): {}", parameter.name, range_text(parameter), standard_text(parameter),
                                     parameter.summary));
  const std::string operands = algorithm.combining ? fmt::format(" {} |", algorithm.combining_rule) : "";
  return fmt::format("| `{}`{}{} | {} | {} | {} |{} {} |\n", algorithm.id, mark_of(algorithm).empty() ? "" : " ",
                     mark_of(algorithm), escaped(std::string(algorithm.summary)),
                     parameters.empty() ? "–" : escaped(fmt::format("{}", fmt::join(parameters, "<br>"))),
                     escaped(std::string(needs_text(algorithm))), operands, escaped(std::string(algorithm.source)));
}

// `algorithms` are all of one collective.
std::string markdown_of(const std::vector<const Algorithm*>& algorithms) {
  const Collective collective = algorithms.front()->collective;
  const auto column = [&](const char* text) { return is_reduction(collective) ? text : ""; };
  std::string text =
      fmt::format("{}.\n\n| algorithm | what it does | parameters | needs |{} source |\n| --- | --- | --- | --- |{} --- |\n",
                  summary(collective), column(" operands |"), column(" --- |"));
  text[0] = static_cast<char>(std::toupper(text[0]));
  for (const Algorithm* algorithm : algorithms) text += markdown_of(*algorithm);
  return text;
}

// One line for each collective, with links to its page of the documentation.
std::string markdown_index() {
  std::string text = "| collective | what it does | algorithms |\n| --- | --- | --- |\n";
  for (const Collective collective : all_collectives()) {
    std::vector<std::string_view> ids;
    for (const Algorithm* algorithm : algorithms_for(collective)) ids.push_back(algorithm->id);
    text += fmt::format("| [{0}](collectives/{0}.md) | {1} | {2} |\n", name(collective), summary(collective), fmt::join(ids, ", "));
  }
  return text;
}

// `algorithms` are all of one collective.
std::string algorithm_text(const std::vector<const Algorithm*>& algorithms) {
  const Collective collective = algorithms.front()->collective;
  std::string text = fmt::format("{}: {}{}\n", name(collective), summary(collective),
                                 is_reduction(collective) ? " (--reproducible: those along the fixed tree)" : "");
  for (const Algorithm* algorithm : algorithms) text += algorithm_text(*algorithm, id_width_of(algorithms), terminal_width());
  return text;
}

// The rules of the drop-in. docs/drop-in.md says more about them.
std::string decisions_text() {
  std::string text;
  const auto line = [&](std::string_view head, std::string words) {
    std::erase(words, '`');
    if (!words.empty()) text += fmt::format("    {}: {}\n", head, wrapped(words, terminal_width(), 8, 6 + head.size()));
  };
  for (const mpi_face::InstructionRule& rule : mpi_face::instruction_rules()) {
    text += fmt::format("{}\n", rule.name);
    line("when", std::string(rule.when));
    line("the ranks", std::string(rule.then));
    line("mode before", std::string(rule.from));
    line("mode after", std::string(rule.to));
  }
  return text;
}

std::string decisions_markdown() {
  std::string text = "| message | rank 0 sends it if | all ranks | mode before | mode after |\n| --- | --- | --- | --- | --- |\n";
  for (const mpi_face::InstructionRule& rule : mpi_face::instruction_rules())
    text += fmt::format("| {} | {} | {} | {} | {} |\n", rule.name, rule.when, rule.then, rule.from, rule.to);
  return text;
}

Json decisions_json() {
  return array_of(mpi_face::instruction_rules(), [](const mpi_face::InstructionRule& rule) {
    return joined({{"message", rule.name}}, MEMBERS_OF(rule, when, then, from, to));
  });
}

// A table that `list` can print instead of algorithms.
struct OtherTable {
  std::string_view name;
  std::string (*text)();
  std::string (*markdown)();
  Json (*json)();
};

constexpr OtherTable other_tables[] = {{"models", models_text, models_markdown, models_json},
                                       {"machines", machines_text, machines_markdown, machines_json},
                                       {"topologies", topologies_text, topologies_markdown, topologies_json},
                                       {"environment", environment_text, environment_markdown, environment_json},
                                       {"decisions", decisions_text, decisions_markdown, decisions_json}};

std::string all_of(const OtherTable& table, const ListArguments& options) {
  if (!options.algorithm.empty())
    refuse(fmt::format("'{0}' is one argument too many: 'list {1}' always lists all {1}", options.algorithm, table.name));
  if (options.json) return document_text("list", table.json());
  return options.markdown ? table.markdown() : table.text();
}

std::string one_algorithm(const ListArguments& options) {
  const Collective collective = parse_collective(options.collective);
  const Algorithm* algorithm = find_algorithm(collective, options.algorithm);
  if (!algorithm) {
    std::vector<std::string> known;
    for (const Algorithm* entry : algorithms_for(collective)) known.emplace_back(entry->id);
    refuse_unknown(fmt::format("{} algorithm", name(collective)), options.algorithm, known);
  }
  if (options.json) return document_text("list", algorithm_json(*algorithm));
  return options.markdown ? markdown_of({algorithm}) : algorithm_text({algorithm});
}

// The table of each collective: how far its algorithms are from their bounds.
std::string ratios(const std::vector<Collective>& chosen) {
  constexpr Bytes block_bytes = Bytes{64} << 10;
  ProgressLine progress;
  std::string text;
  for (const Collective collective : chosen)
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", name(collective),
                        worst_ratios_text(collective, parse_wholes("2..64", "ranks", 2), block_bytes, [&](const std::string& what) {
                          progress.show(fmt::format("{}: now {}", name(collective), what));
                        }));
  progress.clear();
  return text;
}

std::string algorithms(const ListArguments& options) {
  const auto chosen = options.collective.empty() ? all_collectives() : std::vector{parse_collective(options.collective)};
  if (options.ratios) return ratios(chosen);
  if (options.json) {
    Json array = Json::array();
    for (const Collective collective : chosen)
      for (const Algorithm* algorithm : algorithms_for(collective)) array.push_back(algorithm_json(*algorithm));
    return document_text("list", array);
  }
  if (options.markdown) return options.collective.empty() ? markdown_index() : markdown_of(algorithms_for(chosen.front()));
  std::string text;
  for (const Collective collective : chosen) text += (text.empty() ? "" : "\n") + algorithm_text(algorithms_for(collective));
  return text;
}

// Refuses a first argument that is neither a collective nor a table.
void check_name(const std::string& word) {
  std::vector<std::string> known;
  for (const Collective collective : all_collectives()) known.emplace_back(name(collective));
  if (word.empty() || std::find(known.begin(), known.end(), word) != known.end()) return;
  for (const OtherTable& table : other_tables) known.emplace_back(table.name);
  if (nearest_collective(word)) refuse(unknown_collective(word, "collective or table"));
  refuse_unknown("collective or table", word, known);
}

int run_list(const ListArguments& options) {
  if (options.json + options.markdown + options.ratios > 1) refuse("--json, --markdown and --ratios exclude each other");
  if (options.ratios && !options.algorithm.empty())
    refuse("--ratios is of all algorithms of a collective; leave the algorithm out");
  Output output(options.output);
  const auto* const table = std::find_if(std::begin(other_tables), std::end(other_tables),
                                         [&](const OtherTable& each) { return each.name == options.collective; });
  if (table != std::end(other_tables)) {
    output.finish(all_of(*table, options));
  } else {
    check_name(options.collective);
    output.finish(options.algorithm.empty() ? algorithms(options) : one_algorithm(options));
  }
  return good;
}

}  // namespace

Subcommand add_list(CLI::App& command) {
  auto options = std::make_shared<ListArguments>();
  OptionTable table(command, "list", "the algorithms: what they do, parameters, restrictions, source");
  table.add(group::arguments,
            {{"collective", "COLLECTIVE|models|machines|topologies|environment|decisions", options->collective,
              "only this collective; or the models or machines that 'price' knows, the networks of --topology, the environment "
              "variables, or the decisions of 'wrap'"},
             {"algorithm", "ALGORITHM", options->algorithm, "only this algorithm of the collective"}});
  table.add_json(options->json, "as a JSON array, or an object for one algorithm");
  table.add(
      group::output,
      {{"--markdown", "", options->markdown, "as the documentation's tables: of one collective, or an index of all"},
       {"--ratios", "", options->ratios,
        "how far algorithms are from the best there can be, as bound --worst-ratios --block 64KiB prints it for each collective; "
        "takes a minute for all"}});
  table.add_output(options->output);
  table.set_footer(
      "The default algorithm is what a plan uses if no algorithm is named; it applies to every problem. The line 'operands' "
      "says how a reduction combines its operands: in any order (the operator must commute), in rank order, or along the "
      "fixed tree. --reproducible demands the fixed tree, because all such algorithms give the same bits.\n\n"
      "Examples:\n"
      "  quadrille list\n"
      "  quadrille list alltoall --json\n"
      "  quadrille list alltoall bruck\n"
      "  quadrille list allgather --ratios\n"
      "  quadrille list machines\n"
      "  quadrille list environment");
  Subcommand subcommand{std::move(table), [options] { return run_list(*options); }};
  subcommand.reads_environment = false;
  return subcommand;
}

}  // namespace quadrille::command
