// SPDX-License-Identifier: BSD-3-Clause
#include "common_options.hpp"

namespace quadrille::command {

void begin_group(CLI::App& parser, const char* heading) { parser.option_defaults()->group(heading); }

void add_algorithm_option(CLI::App& parser, std::vector<std::string>& specifications, const std::string& help) {
  begin_group(parser, group::algorithm);
  parser.add_option("--algorithm", specifications, help)->type_name("SPEC")->allow_extra_args(false);
}

void add_policy_option(CLI::App& parser, std::vector<std::string>& lists, const std::string& help) {
  parser.add_option("--policy", lists, help)->type_name("LIST")->allow_extra_args(false);
}

void add_json_flag(CLI::App& parser, bool& json, const std::string& help) {
  begin_group(parser, group::output);
  parser.add_flag("--json", json, help);
}

void add_output_option(CLI::App& parser, std::optional<std::string>& file) {
  begin_group(parser, group::output);
  parser.add_option("-o,--output", file, "write to this file instead of stdout")->type_name("FILE");
}

}  // namespace quadrille::command
