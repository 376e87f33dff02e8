// SPDX-License-Identifier: BSD-3-Clause
// Options that several subcommands have, and the headings under which help groups options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/parser.hpp"
#include "quadrille/generator.hpp"

namespace quadrille::command {

// Headings in the help. Subcommands add their options in this order; `others` comes last.
namespace group {
inline constexpr const char* algorithm = "Algorithm";
inline constexpr const char* problem = "Problem";
inline constexpr const char* machine = "Machine and model";
inline constexpr const char* rules = "Rules";
inline constexpr const char* execution = "Execution";
inline constexpr const char* measurement = "Measurement";
inline constexpr const char* output = "Output";
inline constexpr const char* others = "Others";
}  // namespace group

// Adds --algorithm, which may be repeated, in a group of its own.
void add_algorithm_option(CLI::App& parser, std::vector<std::string>& specifications, std::string_view help);

// Adds --schedule, which may be repeated, to the group of algorithms.
void add_schedule_option(CLI::App& parser, std::vector<std::string>& files);

// Commands that print schedules, and what each may take.
struct GeneratorOptions {
  std::vector<std::string> commands;
  std::optional<std::string> limits;

  void add_to(CLI::App& parser);  // to the group of algorithms
  GeneratorLimits checked_limits() const;
};

// Adds --policy, whose value is a list, to the group begun last.
void add_policy_option(CLI::App& parser, std::vector<std::string>& lists, std::string_view help);

// Adds --json or -o, for subcommands that print results. Each of them begins the group of output options.
void add_json_flag(CLI::App& parser, bool& json, std::string_view help);
void add_output_option(CLI::App& parser, std::optional<std::string>& file);

}  // namespace quadrille::command
