// SPDX-License-Identifier: BSD-3-Clause
#include "options/common_options.hpp"

#include <fmt/format.h>

#include "options/arguments.hpp"
#include "quadrille/checked.hpp"

namespace quadrille::command {

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

}  // namespace quadrille::command
