// SPDX-License-Identifier: BSD-3-Clause
// quadrille preload: prints the path of the library that 'quadrille wrap' preloads.
#include "subcommands/preload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "execute/shared/memory/program_heap.hpp"
#include "foundation/environment.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/system/files.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "quadrille/transports.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

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
  const auto folder = std::filesystem::path(plug_ins().front().path).parent_path();
  const auto file = folder / fmt::format("quadrille-{}-{}.so", kind, mpi);
  std::error_code ignored;
  return std::filesystem::exists(file, ignored) ? file.string() : "";
}

}  // namespace

std::string preload_library(std::string_view mpi) {
  if (const std::string file = installed("preload", mpi); !file.empty()) return file;
  if (mpi == "abi")
    refuse(
        "the library to preload for the standard ABI of MPI 5 is not installed; configure quadrille with -D "
        "QUADRILLE_MPI_ABI=FOLDER, where the ABI's mpi.h is");
  refuse(fmt::format(
      "the library to preload for {} is not installed; build quadrille on a machine that has this MPI's development package", mpi));
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
