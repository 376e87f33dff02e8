// SPDX-License-Identifier: BSD-3-Clause
#include "options/common_options.hpp"

namespace quadrille::command {

void add_algorithm_option(CLI::App& parser, std::vector<std::string>& specifications, const std::string& help) {
  begin_group(parser, group::algorithm);
  add_option(parser, "--algorithm", specifications, help, "SPEC");
}

void add_schedule_option(CLI::App& parser, std::vector<std::string>& files) {
  begin_group(parser, group::algorithm);
  add_option(parser, "--schedule", files,
             "also take the schedules in this file, JSON or text ('-' is stdin); those of one algorithm for several sizes or "
             "numbers of ranks are one candidate; repeatable",
             "FILE");
}

void add_generator_option(CLI::App& parser, std::vector<std::string>& commands) {
  begin_group(parser, group::algorithm);
  add_option(parser, "--generator", commands,
             "a command that prints a schedule, run for each problem, such as 'python3 mine.py {ranks} {block}'; no shell reads "
             "it. Placeholders: {collective}, {ranks}, {block} and {element} in bytes, {root}, {counts}, {nodes}, {grid}, "
             "{commutative}, {reproducible}. Without --algorithm only such candidates are taken; repeatable",
             "COMMAND");
}

void add_policy_option(CLI::App& parser, std::vector<std::string>& lists, const std::string& help) {
  add_option(parser, "--policy", lists, help, "LIST");
}

void add_json_flag(CLI::App& parser, bool& json, const std::string& help) {
  begin_group(parser, group::output);
  add_flag(parser, "--json", json, help);
}

void add_output_option(CLI::App& parser, std::optional<std::string>& file) {
  begin_group(parser, group::output);
  add_option(parser, "-o,--output", file, "write to this file instead of stdout; - is stdout", "FILE");
}

}  // namespace quadrille::command
