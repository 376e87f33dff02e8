// SPDX-License-Identifier: BSD-3-Clause
// quadrille completion: a completion script, written from the parser and the table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "arguments.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "output.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"
#include "reproduce/exhibit.hpp"

namespace quadrille::command {
namespace {

constexpr const char* script = R"(# bash completion for quadrille; written by 'quadrille completion bash'
_quadrille() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
  case $previous in
    --algorithm) words='{algorithms}' ;;
    --policy) words='blocking nonblocking dataflow all' ;;
    --executor) words='threads mpi shared hybrid' ;;
    --machine) words='{machines}' ;;
    --model) words='{models}' ;;
    --format) words='text json' ;;
    --by) words='rounds events' ;;
    --as) words='space-time blocks links traffic' ;;
    --output | -o) compopt -o default; COMPREPLY=(); return ;;
    *)
      if ((COMP_CWORD == 1)); then
        words='{subcommands}'
      else
        case ${{COMP_WORDS[1]}} in
{options}        esac
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if ((COMP_CWORD > 1)) && [[ ${{COMP_WORDS[1]}} =~ ^(verify|draw)$ && $word != -* ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}}
complete -F _quadrille quadrille
)";

std::vector<std::string> option_names(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

struct Options {
  std::string shell;
  std::optional<std::string> output;
};

int run(const CLI::App& command, const Options& asked) {
  const std::string& shell = asked.shell;
  if (shell.empty()) refuse("name a shell: quadrille completion bash");
  if (shell != "bash") refuse_unknown("completion for the shell", shell, {"bash"});
  std::set<std::string_view> algorithms{"all", "vendor"};
  for (const Algorithm* algorithm : all_algorithms()) algorithms.insert(algorithm->id);
  std::vector<std::string> subcommands = option_names(command);
  std::string options;
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string& name = subcommand->get_name();
    subcommands.push_back(name);
    std::vector<std::string> words = option_names(*subcommand);
    if (name == "completion") words.push_back("bash");
    if (name == "reproduce") {
      words.push_back("all");
      for (const reproduce::Exhibit* exhibit : reproduce::all_exhibits()) words.emplace_back(exhibit->id);
    }
    if (subcommand->get_option_no_throw("collective") || name == "verify" || name == "draw")
      for (const std::string& collective : collectives_with_algorithms()) words.push_back(collective);
    options += fmt::format("          {}) words='{}' ;;\n", name, fmt::join(words, " "));
  }
  std::vector<std::string_view> models;
  for (const Model* model : all_models()) models.push_back(model->id);
  Output(asked.output)
      .finish(fmt::format(script, fmt::arg("machines", fmt::join(machine_names(), " ")), fmt::arg("models", fmt::join(models, " ")),
                          fmt::arg("algorithms", fmt::join(algorithms, " ")), fmt::arg("subcommands", fmt::join(subcommands, " ")),
                          fmt::arg("options", options)));
  return good;
}

}  // namespace

Subcommand add_completion(CLI::App& command) {
  auto options = std::make_shared<Options>();
  CLI::App* parser = command.add_subcommand("completion", "print a completion script for the shell");
  parser->add_option("shell", options->shell, "bash")->type_name("SHELL");
  add_output_option(*parser, options->output);
  parser->footer("Example:\n  source <(quadrille completion bash)");
  return {parser, [&command, options] { return run(command, *options); }};
}

}  // namespace quadrille::command
