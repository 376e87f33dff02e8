// SPDX-License-Identifier: BSD-3-Clause
// quadrille preload: prints the path of the library that 'quadrille wrap' preloads.
#include "subcommands/preload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <vector>

#include "execute/shared/memory/program_heap.hpp"
#include "foundation/environment.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/system/files.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "quadrille/transports.hpp"
#include "subcommands/subcommand.hpp"
#include "support/elf.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;

struct PreloadArguments {
  std::optional<std::string> mpi;
};

std::string launchers_mpi() {
  const TransportChoice choice = choose_transport();
  if (!choice.is_mpi()) refuse("no launcher tells which MPI library is used; name it: quadrille preload --mpi openmpi");
  return std::string(name(choice.transport));
}

int run_preload(const PreloadArguments& options) {
  const std::string mpi = options.mpi ? *options.mpi : launchers_mpi();
  if (!find_mpi_library(mpi)) refuse_unknown("MPI", mpi, ids_with_drop_in());
  Output().finish(preload_library(mpi) + '\n');
  return good;
}

// Empty if there is no such library.
std::string installed(std::string_view kind, std::string_view mpi) {
  const auto folder = fs::path(plug_ins().front().path).parent_path();
  const auto file = folder / fmt::format("quadrille-{}-{}.so", kind, mpi);
  std::error_code ignored;
  return fs::exists(file, ignored) ? file.string() : "";
}

// Returns the interpreter that a script names in its first line; for `env`, the program that env would find. Returns "" if the
// file is not a script.
std::string interpreter_of(const fs::path& file) {
  const Descriptor opened = open_regular_file(file, file.string());
  char line[256] = {};
  if (::read(opened.number(), line, sizeof line - 1) < 2) return {};
  if (line[0] != '#' || line[1] != '!') return {};
  std::istringstream words(std::string(line + 2, std::strcspn(line + 2, "\n")));
  std::string word, next;
  words >> word;
  if (fs::path(word).filename() != "env") return word;
  while (words >> next)
    if (next[0] != '-' && next.find('=') == std::string::npos) return next;
  return word;
}

void check_can_be_preloaded(const fs::path& file, const ElfFile& elf) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) refuse(fmt::format("{} is not a file", file.string()));
  if (access(file.c_str(), X_OK) != 0) refuse(fmt::format("{} may not be executed", file.string()));
  if (!elf.is_elf) refuse(fmt::format("{} is neither an executable nor a script with #! in its first line", file.string()));
  if (!elf.is_64_bit) refuse(fmt::format("{} is not a 64-bit executable, but quadrille is", file.string()));
  if (!elf.is_dynamic)
    refuse(
        fmt::format("{} is linked statically, so nothing can be preloaded; call quadrille_alltoall and so on in its source "
                    "(quadrille/mpi_collectives.h)",
                    file.string()));
  if (facts.st_mode & (S_ISUID | S_ISGID))
    refuse(fmt::format("{} runs with another user's or group's rights, and the loader preloads nothing into such programs",
                       file.string()));
}

}  // namespace

fs::path find_program(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    if (access(word.c_str(), F_OK) != 0) refuse(fmt::format("there is no program {}", word));
    return word;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / word;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file;
  }
  refuse(fmt::format("there is no program {} in the folders of PATH", word));
}

PreloadedProgram checked_program(const std::string& word) {
  PreloadedProgram program{.path = find_program(word)};
  program.file = program.path;
  for (int depth = 0; depth < 4; ++depth) {  // the kernel, too, follows at most four interpreters
    const std::string interpreter = interpreter_of(program.file);
    if (interpreter.empty()) break;
    program.is_script = true;
    program.file = find_program(interpreter);
  }
  check_can_be_preloaded(program.file, read_elf(program.file));
  return program;
}

LinkedMpi linked_mpi(const fs::path& file) {
  LinkedMpi linked;
  // The libraries that an MPI library needs are not read. Only the library of the standard ABI may need another MPI library, and
  // it takes precedence (below).
  const auto enters = [](const std::string& name) { return !library_of_needed(name); };
  for (const std::string& library : libraries_of(file, enters))
    if (const MpiLibrary* const mpi = library_of_needed(library)) linked.libraries.insert(mpi), linked.files.insert(library);
  return linked;
}

std::string LinkedMpi::chosen(const fs::path& file) const {
  // checked first, because a library of the standard ABI may itself use another MPI library
  if (libraries.contains(find_mpi_library("abi"))) return "abi";
  if (libraries.size() == 1) return std::string((*libraries.begin())->id);
  const std::string wish = checked_environment_value("QUADRILLE_MPI");
  if (wish == "abi") return "abi";
  if (libraries.size() > 1 && wish.empty()) {
    std::vector<std::string_view> titles;
    for (const MpiLibrary* const mpi : libraries) titles.push_back(mpi->title);
    refuse(
        fmt::format("{} is linked with both {}; say which with {}", file.string(), fmt::join(titles, " and "), settings_of_mpi()));
  }
  const TransportChoice choice = choose_transport();
  if (!choice.is_mpi())
    refuse(
        fmt::format("{} is not linked with an MPI library, and no launcher says which it will load: mpirun -n 8 quadrille wrap "
                    "..., or set {}",
                    file.string(), settings_of_mpi()));
  return std::string(name(choice.transport));
}

std::string preload_library(std::string_view mpi) {
  if (const std::string file = installed("preload", mpi); !file.empty()) {
    if (file.find_first_of(": ") == std::string::npos) return file;
    refuse(fmt::format("the loader cannot preload {}: its path has a space or a colon", file));
  }
  if (mpi == "abi")
    refuse(
        "the library to preload for the standard ABI of MPI 5 is not installed; configure quadrille with -D "
        "QUADRILLE_MPI_ABI=FOLDER, where the ABI's mpi.h is");
  refuse(fmt::format(
      "the library to preload for {} is not installed; build quadrille on a machine that has this MPI's development package", mpi));
}

std::string alias_library(std::string_view mpi, const std::set<std::string>& files) {
  for (const std::string& needed : read_elf(installed("preload", mpi)).needed)
    if (const MpiLibrary* const library = library_of_needed(needed); library && library->id == mpi)
      return files.empty() || files.contains(needed) ? "" : installed("alias", mpi);
  return "";
}

std::string record_library(std::string_view mpi) {
  if (const std::string file = installed("record", mpi); !file.empty()) return file;
  if (mpi == "abi") refuse("programs of the standard ABI of MPI 5 cannot be recorded");
  refuse(fmt::format("the library that records programs of {} is not installed", mpi));
}

void preload_heap(const std::string& wish) {
  if (wish != "on" && wish != "always") refuse(fmt::format("'{}' is not a kind of heap; it may be on or always", wish));
  if (wish == "always") setenv(heap_variable, "always", 1);
  const std::string library = (library_folder().parent_path() / "libquadrille-heap.so").string();
  if (access(library.c_str(), R_OK) != 0) refuse(fmt::format("the library with the heap is not installed ({})", library));
  const std::string others = environment_value("LD_PRELOAD");
  setenv("LD_PRELOAD", (others.empty() ? library : library + ':' + others).c_str(), 1);
  if (const std::string why = why_no_program_heap(); !why.empty() && is_first_launched())
    std::fputs(fmt::format("quadrille: --heap is off: {}\n", why).c_str(), stderr);
}

Subcommand add_preload(CLI::App& command) {
  auto options = std::make_shared<PreloadArguments>();
  OptionTable table(command, "preload", "print the path of the library that speeds up an MPI program");
  table.add(group::execution, {{"--mpi", "MPI", options->mpi,
                                alternatives(ids_with_drop_in()) + ", the standard ABI of MPI 5 (default: that of the launcher)"}});
  table.set_footer(
      "For use by hand, where 'quadrille wrap' does not fit. The program must be linked with this MPI dynamically.\n\n"
      "Examples:\n  mpirun -n 8 -x LD_PRELOAD=$(quadrille preload --mpi openmpi) ./app\n"
      "  mpiexec -n 8 -genv LD_PRELOAD $(quadrille preload --mpi mpich) ./app");
  return {std::move(table), [options] { return run_preload(*options); }};
}

}  // namespace quadrille::command
