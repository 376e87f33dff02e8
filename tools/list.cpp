// SPDX-License-Identifier: BSD-3-Clause
// quadrille list: what the table of algorithms holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

#include "arguments.hpp"
#include "command.hpp"
#include "json.hpp"
#include "list_models.hpp"
#include "output.hpp"
#include "quadrille/algorithm.hpp"
#include "text.hpp"

namespace quadrille::command {
namespace {

struct Options {
  std::string collective;
  bool json = false, markdown = false;
};

std::string range_text(const Parameter& parameter) {
  if (!parameter.choices.empty()) return fmt::format("{}", fmt::join(parameter.choices, " | "));
  return parameter.range.empty() ? fmt::format("{}..", parameter.least) : std::string(parameter.range);
}

std::string standard_text(const Parameter& parameter) {
  return parameter.standard_for ? std::string(parameter.standard_rule) : to_string(parameter.standard);
}

std::string_view needs_text(const Algorithm& algorithm) {
  return algorithm.needs.empty() ? "any number of ranks" : algorithm.needs;
}

Json json_of(const Algorithm& algorithm) {
  Json parameters = Json::array();
  for (const Parameter& parameter : algorithm.parameters) {
    Json entry{{"name", parameter.name},
               {"summary", parameter.summary},
               {"default", parameter.standard_for ? Json(parameter.standard_rule) : to_json(parameter.standard)}};
    if (parameter.choices.empty())
      entry["range"] = range_text(parameter);
    else
      entry["choices"] = parameter.choices;
    parameters.push_back(std::move(entry));
  }
  Json object{{"collective", name(algorithm.collective)}, {"id", algorithm.id},       {"summary", algorithm.summary},
              {"parameters", std::move(parameters)},      {"needs", algorithm.needs}, {"source", algorithm.source}};
  if (algorithm.combining) object["operands"] = algorithm.combining_rule;
  return object;
}

std::string text_of(const Algorithm& algorithm, std::size_t id_width, std::size_t width) {
  const std::size_t indent = id_width + 4;
  std::size_t key_width = algorithm.combining ? 8 : 6;  // "operands", "source"
  for (const Parameter& parameter : algorithm.parameters) key_width = std::max(key_width, parameter.name.size());
  std::string text = fmt::format("  {:<{}}  {}\n", algorithm.id, id_width, wrapped(algorithm.summary, width - indent, indent));
  const auto add = [&](std::string_view key, std::string_view value) {
    const std::size_t column = indent + key_width + 2;
    text += fmt::format("{:{}}{:<{}}  {}\n", "", indent, key, key_width, wrapped(value, width - column, column));
  };
  for (const Parameter& parameter : algorithm.parameters)
    add(parameter.name, fmt::format("{}, default {}: {}", range_text(parameter), standard_text(parameter), parameter.summary));
  add("needs", needs_text(algorithm));
  if (algorithm.combining) add("operands", algorithm.combining_rule);  // see the footer of --help
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
  return fmt::format("| `{}` | {} | {} | {} |{} {} |\n", algorithm.id, escaped(std::string(algorithm.summary)),
                     parameters.empty() ? "–" : escaped(fmt::format("{}", fmt::join(parameters, "<br>"))),
                     escaped(std::string(needs_text(algorithm))), operands, escaped(std::string(algorithm.source)));
}

std::string markdown_of(Collective collective) {
  const auto column = [&](const char* text) { return is_reduction(collective) ? text : ""; };
  std::string text =
      fmt::format("{}.\n\n| algorithm | what it does | parameters | needs |{} source |\n| --- | --- | --- | --- |{} --- |\n",
                  summary(collective), column(" operands |"), column(" --- |"));
  text[0] = static_cast<char>(std::toupper(text[0]));
  for (const Algorithm* algorithm : algorithms_for(collective)) text += markdown_of(*algorithm);
  return text;
}

// One line for each collective, with links to the pages of the documentation.
std::string markdown_index() {
  std::string text = "| collective | what it does | algorithms |\n| --- | --- | --- |\n";
  for (const std::string& collective : collectives_with_algorithms()) {
    std::vector<std::string_view> ids;
    for (const Algorithm* algorithm : algorithms_for(*collective_named(collective))) ids.push_back(algorithm->id);
    text += fmt::format("| [{0}](collectives/{0}.md) | {1} | {2} |\n", collective, summary(*collective_named(collective)),
                        fmt::join(ids, ", "));
  }
  return text;
}

std::string text_of(Collective collective) {
  const auto algorithms = algorithms_for(collective);
  std::size_t id_width = 0;
  for (const Algorithm* algorithm : algorithms) id_width = std::max(id_width, algorithm->id.size());
  std::string text = fmt::format("{}: {}{}\n", name(collective), summary(collective),
                                 is_reduction(collective) ? " (--reproducible: those along the fixed tree)" : "");
  for (const Algorithm* algorithm : algorithms) text += text_of(*algorithm, id_width, terminal_width());
  return text;
}

int run(const Options& options) {
  if (options.json && options.markdown) refuse("--json and --markdown exclude each other");
  if (options.collective == "models" || options.collective == "machines") {
    const bool models = options.collective == "models";
    if (options.json)
      Output().finish(to_text(models ? models_json() : machines_json()));
    else if (options.markdown)
      Output().finish(models ? models_markdown() : machines_markdown());
    else
      Output().finish(models ? models_text() : machines_text());
    return good;
  }
  auto chosen = options.collective.empty() ? all_collectives() : std::vector{parse_collective(options.collective)};
  std::erase_if(chosen, [](Collective collective) { return algorithms_for(collective).empty(); });
  std::string text;
  if (options.json) {
    Json array = Json::array();
    for (const Collective collective : chosen)
      for (const Algorithm* algorithm : algorithms_for(collective)) array.push_back(json_of(*algorithm));
    text = to_text(array);
  } else if (chosen.empty()) {
    text = fmt::format("no algorithm for {} yet; there are for: {}\n", options.collective,
                       fmt::join(collectives_with_algorithms(), ", "));
  } else if (options.markdown) {
    text = options.collective.empty() ? markdown_index() : markdown_of(chosen.front());
  } else {
    for (const Collective collective : chosen) text += (text.empty() ? "" : "\n") + text_of(collective);
  }
  Output().finish(text);
  return good;
}

}  // namespace

Subcommand add_list(CLI::App& command) {
  auto options = std::make_shared<Options>();
  CLI::App* parser = command.add_subcommand("list", "the algorithms: what they do, parameters, restrictions, source");
  parser->add_option("collective", options->collective, "only this collective's; or models, or machines: what 'price' knows")
      ->type_name("COLLECTIVE|models|machines");
  parser->add_flag("--json", options->json, "as a JSON array");
  parser->add_flag("--markdown", options->markdown, "as the documentation's tables: of one collective, or an index of all");
  parser->footer(
      "Operands say how a reduction combines: in any order (the operator must commute), in rank order, or along the fixed tree, "
      "where\n"
      "--reproducible applies: the same bits from all such algorithms.\n\nExamples:\n  quadrille list\n  quadrille list alltoall "
      "--json\n  quadrille list machines");
  return {parser, [options] { return run(*options); }};
}

}  // namespace quadrille::command
