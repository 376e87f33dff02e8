// SPDX-License-Identifier: BSD-3-Clause
// quadrille completion: a completion script for a shell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arguments.hpp"
#include "command.hpp"
#include "completion_scripts.hpp"
#include "output.hpp"

namespace quadrille::command {
namespace {

int run(const CLI::App& command, const std::string& shell) {
  if (shell.empty()) refuse(fmt::format("name a shell, {}: quadrille completion bash", fmt::join(completion_shells(), ", ")));
  Output().finish(completion_script(command, shell));
  return good;
}

}  // namespace

Subcommand add_completion(CLI::App& command) {
  auto shell = std::make_shared<std::string>();
  CLI::App* parser = command.add_subcommand("completion", "print a completion script for the shell");
  parser->add_option("shell", *shell, "bash, fish or zsh")->type_name("SHELL");
  parser->footer(
      "Examples:\n  source <(quadrille completion bash)\n  source <(quadrille completion zsh)\n  quadrille completion fish | "
      "source");
  return {parser, [&command, shell] { return run(command, *shell); }};
}

}  // namespace quadrille::command
