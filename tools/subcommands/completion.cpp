// SPDX-License-Identifier: BSD-3-Clause
// quadrille completion: prints a completion script for a shell, made from the command's parser and the tables that its options
// name.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "options/arguments.hpp"
#include "options/option_table.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"
#include "quadrille/operator.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/output.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille::command {
namespace {

using Words = std::vector<std::string>;

Words completion_shells() { return {"bash", "fish", "zsh"}; }

// The values that may be completed in one place.
struct Values {
  Words words;
  bool files = false;
};

struct Option {
  Words names;  // "--output", "-o"
  std::string summary;
  bool takes_value = false, repeatable = false;
  std::string type;  // type of the option's value
  Values values;
};

struct Subparser {
  std::string name, summary;
  std::vector<Option> options;
  Values arguments;
};

Words subcommand_names(const CLI::App& command) {
  Words names;
  for (const CLI::App* subcommand : command.get_subcommands({})) names.push_back(subcommand->get_name());
  return names;
}

// The known values, by the name of an option or, for options without an entry, by the name of the value's type.
std::map<std::string, Words> known_values(const CLI::App& command) {
  std::set<std::string> algorithms{"all", "vendor"};
  for (const Algorithm* algorithm : all_algorithms()) algorithms.emplace(algorithm->id);
  Words models, exhibits, ids;
  for (const std::string& algorithm : algorithms)
    if (algorithm != "all" && algorithm != "vendor") ids.push_back(algorithm);
  for (const Model* model : all_models()) models.emplace_back(model->id);
  for (std::string exhibit : {
#define ROW(record) #record,
#include "papers/exhibits.def"
#undef ROW
       }) {
    std::replace(exhibit.begin(), exhibit.end(), '_', '-');
    exhibits.push_back(exhibit);
  }
  return {{"COLLECTIVE", collective_names()},
          {"ALGORITHM", std::move(ids)},
          {"SUBCOMMAND", subcommand_names(command)},
          {"SPEC", Words(algorithms.begin(), algorithms.end())},
          {"MODEL", std::move(models)},
          {"ID", std::move(exhibits)},
          {"SHELL", completion_shells()},
          {"OP", operator_names()},
          {"TOPOLOGY", topology_examples()},
          {"TYPE", type_names()},
          {"FORMAT", {"text", "json"}},
          {"WAY", {"rounds", "events"}},
          {"PICTURE", {"space-time", "blocks", "links", "traffic"}},
          {"--executor", words_of_ranks()},
          {"--machine", machine_names()},
          {"--memory", {"private", "shared"}},
          {"--policy", {"blocking", "nonblocking", "dataflow", "all"}}};
}

// Returns the values of an option. A type such as "ID|all" names a kind of value, and a word that stands for itself.
Values values_of(const CLI::Option& option, const std::map<std::string, Words>& known) {
  Values values;
  const auto add = [&](const std::string& key) {
    if (const auto entry = known.find(key); entry != known.end())
      values.words.insert(values.words.end(), entry->second.begin(), entry->second.end());
  };
  for (const std::string& name : option.get_lnames()) add("--" + name);
  const std::string type = option.get_type_name();
  for (const std::string_view part : split(type, '|')) {
    const std::string kind(part.substr(0, part.find("...")));
    values.files = values.files || kind == "FILE" || kind == "DIR";
    if (std::islower(static_cast<unsigned char>(kind[0])))
      values.words.push_back(kind);
    else
      add(kind);
  }
  return values;
}

Subparser describe(const CLI::App& parser, const std::map<std::string, Words>& known) {
  Subparser result{parser.get_name(), parser.get_description(), {}, {}};
  for (const CLI::Option* option : parser.get_options()) {
    const bool takes_value = option->get_items_expected_max() > 0;
    Values values = takes_value ? values_of(*option, known) : Values{};
    Option described{{},
                     option->get_description(),
                     takes_value,
                     option->get_items_expected_max() > 1,
                     takes_value ? option->get_type_name() : "",
                     values};
    for (const std::string& name : option->get_lnames()) described.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) described.names.push_back("-" + name);
    if (!described.names.empty()) {
      result.options.push_back(std::move(described));
      continue;
    }
    // Completion does not distinguish arguments by their position: each word may be any of them.
    result.arguments.words.insert(result.arguments.words.end(), values.words.begin(), values.words.end());
    result.arguments.files = result.arguments.files || values.files;
  }
  return result;
}

std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char character : text) {
    if (special.find(character) != std::string_view::npos) result += '\\';
    result += character == '\n' ? ' ' : character;
  }
  return result;
}

Words option_names(const Subparser& parser) {
  Words names;
  for (const Option& option : parser.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

Words names_of(const std::vector<Subparser>& subcommands) {
  Words names;
  for (const Subparser& subcommand : subcommands) names.push_back(subcommand.name);
  return names;
}

std::string bash_values(const Values& values) {
  return fmt::format("words='{}'{}", fmt::join(values.words, " "), values.files ? " files=yes" : "");
}

std::string bash_script(const Subparser& command, const std::vector<Subparser>& subcommands) {
  std::map<std::string, Values> valued;
  for (const Subparser& subcommand : subcommands)
    for (const Option& option : subcommand.options)
      for (const std::string& name : option.names)
        if (option.takes_value) valued.try_emplace(name, option.values);
  std::string values, arguments;
  for (const auto& [name, known] : valued) values += fmt::format("    {}) {} ;;\n", name, bash_values(known));
  Words first = names_of(subcommands), options = option_names(command);
  first.insert(first.end(), options.begin(), options.end());
  for (const Subparser& subcommand : subcommands) {
    Values words{option_names(subcommand), subcommand.arguments.files};
    words.words.insert(words.words.end(), subcommand.arguments.words.begin(), subcommand.arguments.words.end());
    arguments += fmt::format("        {}) {} ;;\n", subcommand.name, bash_values(words));
  }
  return fmt::format(R"(# bash completion for quadrille; written by 'quadrille completion bash'
_quadrille() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words= files=
  ((COMP_CWORD > 1)) || previous=
  # Bash splits --option=value into three words, unless COMP_WORDBREAKS lacks the '='.
  if [[ $word == '=' ]]; then word=
  elif [[ $previous == '=' ]] && ((COMP_CWORD > 2)); then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case $previous in
{}    *)
      ((COMP_CWORD > 1)) || words='{}'
      ((COMP_CWORD == 1)) || case ${{COMP_WORDS[1]}} in
{}      esac ;;
  esac
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$word"
    [[ ! $files || $word == -* ]] || compgen -f -- "$word"
  )
  [[ ! $files ]] || compopt -o filenames 2>/dev/null
}}
complete -F _quadrille quadrille
)",
                     values, fmt::join(first, " "), arguments);
}

std::string zsh_quoted(std::string_view text) {
  std::string result;
  for (const char character : escaped(text, "\\[]:"))
    result += character == '\'' ? std::string(R"('\'')") : std::string(1, character);
  return result;
}

std::string zsh_action(const Values& values) {
  if (values.files && values.words.empty()) return "_files";
  if (values.files) return fmt::format("{{compadd {}; _files}}", fmt::join(values.words, " "));
  return values.words.empty() ? " " : fmt::format("({})", fmt::join(values.words, " "));
}

std::string zsh_arguments(const Subparser& parser) {
  std::string text = "_arguments";
  for (const Option& option : parser.options)
    for (const std::string& name : option.names)
      text += fmt::format(" \\\n        '{}{}{}[{}]{}'", option.repeatable ? "*" : "", name,
                          option.takes_value && name.starts_with("--") ? "=" : "", zsh_quoted(option.summary),
                          option.takes_value ? fmt::format(":{}:{}", zsh_quoted(option.type), zsh_action(option.values)) : "");
  if (!parser.arguments.words.empty() || parser.arguments.files)
    text += fmt::format(" \\\n        '*:argument:{}'", zsh_action(parser.arguments));
  return text;
}

std::string zsh_script(const Subparser& command, const std::vector<Subparser>& subcommands) {
  std::string names, cases;
  for (const Subparser& subcommand : subcommands) {
    names += fmt::format("    '{}:{}'\n", subcommand.name, zsh_quoted(subcommand.summary));
    cases += fmt::format("    {})\n      {} ;;\n", subcommand.name, zsh_arguments(subcommand));
  }
  return fmt::format(R"(#compdef quadrille
# zsh completion for quadrille; written by 'quadrille completion zsh'
_quadrille() {{
  local -a subcommands=(
{}  )
  if ((CURRENT == 2)); then
    _describe subcommand subcommands
    {}
    return
  fi
  local subcommand=$words[2]
  shift words
  ((CURRENT--))
  case $subcommand in
{}  esac
}}
# As a file in $fpath it is the function's body; sourced, it defines the function.
if [[ $funcstack[1] == _quadrille ]]; then _quadrille "$@"; else compdef _quadrille quadrille; fi
)",
                     names, zsh_arguments(command), cases);
}

std::string fish_quoted(std::string_view text) { return "'" + escaped(text, "\\'") + "'"; }

std::string fish_values(const Values& values) {
  return (values.files ? std::string(" -F") : "") +
         (values.words.empty() ? "" : " -a " + fish_quoted(fmt::format("{}", fmt::join(values.words, " "))));
}

std::string fish_options(const Subparser& parser, const std::string& condition) {
  std::string text;
  for (const Option& option : parser.options) {
    text += fmt::format("complete -c quadrille -n {}", fish_quoted(condition));
    for (const std::string& name : option.names) text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fmt::format("{}{} -d {}\n",
                        !option.takes_value   ? ""
                        : option.values.files ? " -r"
                                              : " -x",
                        fish_values(option.values), fish_quoted(option.summary));
  }
  return text;
}

std::string fish_script(const Subparser& command, const std::vector<Subparser>& subcommands) {
  std::string text = "# fish completion for quadrille; written by 'quadrille completion fish'\ncomplete -c quadrille -f\n";
  for (const Subparser& subcommand : subcommands)
    text += fmt::format("complete -c quadrille -n __fish_use_subcommand -a {} -d {}\n", subcommand.name,
                        fish_quoted(subcommand.summary));
  text += fish_options(command, "__fish_use_subcommand");
  for (const Subparser& subcommand : subcommands) {
    const std::string condition = "__fish_seen_subcommand_from " + subcommand.name;
    text += fish_options(subcommand, condition);
    if (!subcommand.arguments.words.empty() || subcommand.arguments.files)
      text += fmt::format("complete -c quadrille -n {}{}\n", fish_quoted(condition), fish_values(subcommand.arguments));
  }
  return text;
}

// `shell` is bash, fish or zsh. Throws Error{misuse} for any other shell.
std::string completion_script(const CLI::App& command, const std::string& shell) {
  const auto known = known_values(command);
  std::vector<Subparser> subcommands;
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; }))
    subcommands.push_back(describe(*subcommand, known));
  const Subparser all = describe(command, known);
  if (shell == "bash") return bash_script(all, subcommands);
  if (shell == "fish") return fish_script(all, subcommands);
  if (shell == "zsh") return zsh_script(all, subcommands);
  refuse_unknown("completion for the shell", shell, completion_shells());
}

struct CompletionArguments {
  std::string shell;
  std::optional<std::string> output;
};

int run_completion(const CLI::App& command, const CompletionArguments& options) {
  if (options.shell.empty())
    refuse(fmt::format("name a shell, {}: quadrille completion bash", fmt::join(completion_shells(), ", ")));
  Output(options.output).finish(completion_script(command, options.shell));
  return good;
}

}  // namespace

Subcommand add_completion(CLI::App& command) {
  auto options = std::make_shared<CompletionArguments>();
  OptionTable table(command, "completion", "print a completion script for the shell");
  table.add(group::arguments, {{"shell", "SHELL", options->shell, "bash, fish or zsh"}});
  table.add_output(options->output);
  table.set_footer(
      "Examples:\n  source <(quadrille completion bash)\n  source <(quadrille completion zsh)\n  quadrille completion fish "
      "| source");
  Subcommand subcommand{std::move(table), [&command, options] { return run_completion(command, *options); }};
  subcommand.reads_environment = false;
  return subcommand;
}

}  // namespace quadrille::command
