// SPDX-License-Identifier: BSD-3-Clause
// quadrille wisdom export: writes measurements of an MPI library's own algorithms as a file of rules that the library reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"
#include "subcommands/subcommand.hpp"
#include "subcommands/wisdom.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille::command {
namespace {

struct Library {
  std::string id;         // the name of its plug-in
  std::string_view name;  // the beginning of the MPI library's name in wisdom's fingerprints
};

Library library_named(const std::optional<std::string>& word) {
  if (!word) refuse("say for which MPI library: --for openmpi or --for mpich");
  return {*word, mpi_title(*word, {"openmpi", "mpich"})};
}

// Returns the files in which `tune --vendor` keeps measurements of this library.
std::vector<std::string> kept_files(const Library& library) {
  const std::filesystem::path any = vendor_wisdom_file({});
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(any.parent_path(), ignored))
    if (entry.path().extension() == any.extension() && read_any_wisdom(entry.path()).machine.mpi.starts_with(library.name))
      files.push_back(entry.path());
  if (files.empty())
    refuse(fmt::format("nothing is known of {}'s own algorithms; measure them first: mpirun -n 8 quadrille tune --vendor",
                       library.name));
  if (files.size() > 1) refuse(fmt::format("there is wisdom of several machines; name the file: {}", fmt::join(files, " ")));
  return files;
}

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || bytes.empty()) throw Error(ErrorCode::environment, fmt::format("the library '{}' cannot be read", file));
  return bytes;
}

std::string usage(const Library& library, const std::string& file) {
  if (library.id == "openmpi")
    return fmt::format("OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename={}", file);
  return fmt::format("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={}", file);
}

}  // namespace

int export_wisdom(const WisdomOptions& options) {
  const Library library = library_named(options.library);
  const std::optional<std::string>& output = options.output;
  Output out(output);
  Wisdom wisdom;
  for (const std::string& file : options.files.empty() ? kept_files(library) : options.files) {
    const Wisdom read_here = options.files.empty() ? read_any_wisdom(file) : read_named_wisdom(file);
    if (!read_here.machine.mpi.starts_with(library.name))
      refuse(fmt::format("the wisdom '{}' is of {}, but --for asks for rules of {}", file, read_here.machine.mpi, library.name));
    if (wisdom.machine.mpi.empty()) wisdom.machine = read_here.machine;
    wisdom.merge(read_here);
  }
  const VendorRules rules = vendor_rules(wisdom);
  const RulesFile made =
      library.id == "openmpi" ? openmpi_rules(rules) : mpich_rules(rules, bytes_of(mpi_library_file(library.id)));
  for (const std::string& sentence : made.left_out) remark("left out: " + sentence);
  if (made.rules == 0)
    remark(fmt::format("none of the measured algorithms is faster than {}'s own choice: the file changes nothing", library.name));
  out.finish(made.text);
  const bool to_file = output && *output != "-";
  remark("set in the environment to use it: " +
         usage(library, to_file ? std::filesystem::absolute(*output).string() : std::string("FILE")));
  return good;
}

}  // namespace quadrille::command
