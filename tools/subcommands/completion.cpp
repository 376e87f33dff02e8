// SPDX-License-Identifier: BSD-3-Clause
// quadrille completion: prints a completion script for a shell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "options/arguments.hpp"
#include "options/common_options.hpp"
#include "subcommands/completion_scripts.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

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
  CLI::App* parser = add_subcommand(command, "completion", "print a completion script for the shell");
  add_option(*parser, "shell", options->shell, "bash, fish or zsh", "SHELL");
  add_output_option(*parser, options->output);
  set_footer(*parser,
             "Examples:\n  source <(quadrille completion bash)\n  source <(quadrille completion zsh)\n  quadrille completion fish "
             "| source");
  Subcommand subcommand{parser, [&command, options] { return run_completion(command, *options); }};
  subcommand.reads_environment = false;
  return subcommand;
}

}  // namespace quadrille::command
