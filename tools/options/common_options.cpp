// SPDX-License-Identifier: BSD-3-Clause
#include "options/common_options.hpp"

#include <fmt/format.h>

#include <optional>

#include "foundation/text/parsing.hpp"
#include "options/arguments.hpp"
#include "quadrille/checked.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t most_listed_titles = 12;

std::vector<std::size_t> with_word(const std::vector<std::string>& titles, const std::string& word) {
  if (const auto number = number_in<std::size_t>(word))
    return *number >= 1 && *number <= titles.size() ? std::vector{*number - 1} : std::vector<std::size_t>();
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < titles.size(); ++i)
    if (titles[i].find(word) != std::string::npos) found.push_back(i);
  return found;
}

}  // namespace

void add_algorithm_option(CLI::App& parser, std::vector<std::string>& specifications, std::string_view help) {
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

void GeneratorOptions::add_to(CLI::App& parser) {
  begin_group(parser, group::algorithm);
  add_option(parser, "--generator", commands,
             "a command that prints a schedule, run for each problem, such as 'python3 mine.py {ranks} {block}'; no shell reads "
             "it. Placeholders: {collective}, {ranks}, {block} and {element} in bytes, {root}, {counts}, {nodes}, {grid}, "
             "{commutative}, {reproducible}. Without --algorithm only such candidates are taken; repeatable",
             "COMMAND");
  const GeneratorLimits standard;
  add_option(parser, "--generator-limits", limits,
             fmt::format("end a command of --generator, and all that it has started, if it prints more or takes longer for one "
                         "problem (default {}MiB,{}s)",
                         standard.mebibytes, standard.seconds),
             "SIZE,SECONDS");
}

GeneratorLimits GeneratorOptions::checked_limits() const {
  GeneratorLimits checked{.raised_by = "--generator-limits"};
  if (!limits) return checked;
  if (commands.empty()) refuse("--generator-limits is for commands of --generator; leave it out");
  const std::vector<std::string_view> both = split(*limits, ',');
  if (both.size() != 2) refuse(fmt::format("--generator-limits is a size and a time, such as 1GiB,600s, not '{}'", *limits));
  checked.mebibytes = static_cast<std::size_t>(ceil_divide(parse_size(both[0]), Bytes{1} << 20));
  checked.seconds = parse_seconds(both[1], "the time of --generator-limits");
  return checked;
}

void add_policy_option(CLI::App& parser, std::vector<std::string>& lists, std::string_view help) {
  add_option(parser, "--policy", lists, help, "LIST");
}

void add_json_flag(CLI::App& parser, bool& json, std::string_view help) {
  begin_group(parser, group::output);
  add_flag(parser, "--json", json, help);
}

void add_output_option(CLI::App& parser, std::optional<std::string>& file) {
  begin_group(parser, group::output);
  add_option(parser, "-o,--output", file, "write to this file instead of stdout; - is stdout", "FILE");
}

void OnlyOption::add_to(CLI::App& parser) {
  add_option(parser, "--only", words, "of a file that holds several: this one, by its number (from 1) or a part of its title",
             "N|TITLE");
}

std::vector<std::size_t> OnlyOption::places_in(const std::vector<std::string>& titles, const std::string& label) const {
  std::vector<std::size_t> list;
  for (const std::string& word : words) {
    const std::vector<std::size_t> found = with_word(titles, word);
    if (found.empty()) refuse(fmt::format("{} has nothing that --only {} names; it holds {}", label, word, numbered(titles)));
    if (found.size() > 1)
      refuse(fmt::format("{} titles in {} contain '{}'; pick one by its number: {}", found.size(), label, word, numbered(titles)));
    list.push_back(found.front());
  }
  return list;
}

std::string numbered(const std::vector<std::string>& titles) {
  std::string text;
  for (std::size_t i = 0; i < titles.size() && i < most_listed_titles; ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", i + 1, titles[i]);
  return titles.size() > most_listed_titles ? fmt::format("{}; and {} more", text, titles.size() - most_listed_titles) : text;
}

}  // namespace quadrille::command
