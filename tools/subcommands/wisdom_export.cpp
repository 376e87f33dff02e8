// SPDX-License-Identifier: BSD-3-Clause
// quadrille wisdom export: writes measurements of an MPI library's own algorithms as a file of rules that the library reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "foundation/mpi_libraries.hpp"
#include "subcommands/subcommand.hpp"
#include "subcommands/wisdom.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"
#include "support/talk.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille::command {
namespace {

const RulesFormat& format_for(const std::optional<std::string>& library) {
  const std::vector<std::string> known = libraries_with_rules();
  if (!library) refuse(fmt::format("say for which MPI library: --for {}", fmt::join(known, " or --for ")));
  const RulesFormat* const format = find_rules_format(*library);
  if (!format) refuse_unknown("MPI library", *library, known);
  return *format;
}

// Returns the files in which `tune --vendor` keeps measurements of this library.
std::vector<std::string> kept_files(std::string_view title) {
  const std::filesystem::path any = vendor_wisdom_file({});
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(any.parent_path(), ignored))
    if (entry.path().extension() == any.extension() && read_any_wisdom(entry.path()).machine.mpi.starts_with(title))
      files.push_back(entry.path());
  if (files.empty())
    refuse(fmt::format("nothing is known of {}'s own algorithms; measure them first: mpirun -n 8 quadrille tune --vendor", title));
  if (files.size() > 1) refuse(fmt::format("there is wisdom of several machines; name the file: {}", fmt::join(files, " ")));
  return files;
}

}  // namespace

int export_wisdom(const WisdomOptions& options) {
  const RulesFormat& format = format_for(options.library);
  const std::string_view title = find_mpi_library(format.library)->title;
  const std::optional<std::string>& output = options.output;
  Output out(output);
  Wisdom wisdom;
  for (const std::string& file : options.files.empty() ? kept_files(title) : options.files) {
    const Wisdom read_here = options.files.empty() ? read_any_wisdom(file) : read_named_wisdom(file);
    if (!read_here.machine.mpi.starts_with(title))
      refuse(fmt::format("the wisdom '{}' is of {}, but --for asks for rules of {}", file, read_here.machine.mpi, title));
    if (wisdom.machine.mpi.empty()) wisdom.machine = read_here.machine;
    wisdom.merge(read_here);
  }
  const RulesFile made = format.write(vendor_rules(wisdom));
  for (const std::string& sentence : made.left_out) remark("left out: " + sentence);
  if (made.rules == 0)
    remark(fmt::format("none of the measured algorithms is faster than {}'s own choice: the file changes nothing", title));
  out.finish(made.text);
  const bool to_file = output && *output != "-";
  remark("set in the environment to use it: " +
         fmt::format("{}{}", format.setting, to_file ? std::filesystem::absolute(*output).string() : std::string("FILE")));
  return good;
}

}  // namespace quadrille::command
