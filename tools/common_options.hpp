// SPDX-License-Identifier: BSD-3-Clause
// What the options of the subcommands have in common: the groups that help shows them in, and options that several have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parser.hpp"

namespace quadrille::command {

// Headings of help, in the order in which subcommands add them; `others` comes last.
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

// --algorithm, which may be repeated, in a group of its own.
void add_algorithm_option(CLI::App& parser, std::vector<std::string>& specifications, const std::string& help);

// --schedule, which may be repeated, in the group of algorithms.
void add_schedule_option(CLI::App& parser, std::vector<std::string>& files);

// --policy: a list, in the group that is open.
void add_policy_option(CLI::App& parser, std::vector<std::string>& lists, const std::string& help);

// --json and -o of what prints results; both begin the group of output.
void add_json_flag(CLI::App& parser, bool& json, const std::string& help);
void add_output_option(CLI::App& parser, std::optional<std::string>& file);

}  // namespace quadrille::command
