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

// The option --only, which picks traces or schedules of a file that holds several. `view` and `trace` share it.
struct OnlyOption {
  std::vector<std::string> words;  // each a number, from 1 on, or a part of a title

  void add_to(CLI::App& parser);  // to the group begun last

  // Returns the things that the words name, in the order of the words; without words, all things. `title` returns the title of a
  // thing, and `label` names the file in errors. Throws Error{misuse}, with the titles, if a word names none or several.
  template <class Thing, class Title>
  std::vector<Thing> picked(std::vector<Thing> all, Title&& title, const std::string& label) const {
    if (words.empty()) return all;
    std::vector<std::string> titles;
    for (const Thing& thing : all) titles.push_back(title(thing));
    std::vector<Thing> list;
    for (const std::size_t i : places_in(titles, label)) list.push_back(all[i]);
    return list;
  }

 private:
  std::vector<std::size_t> places_in(const std::vector<std::string>& titles, const std::string& label) const;
};

// Returns "1: alltoall, bruck; 2: alltoall, direct", for errors.
std::string numbered(const std::vector<std::string>& titles);

}  // namespace quadrille::command
