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
             "also take the schedules in this file, JSON or text ('-' is stdin); they must be for the same problem; repeatable",
             "FILE");
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
