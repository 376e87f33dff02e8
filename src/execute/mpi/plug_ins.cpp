// SPDX-License-Identifier: BSD-3-Clause
// Finding and loading the MPI plug-ins.
#include "execute/mpi/plug_ins.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "foundation/environment.hpp"
#include "foundation/library_folder.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {
namespace {

PlugIn plug_in_for(std::string_view library) {
  const auto path = library_folder() / fmt::format("quadrille-{}.so", library);
  std::error_code ignored;
  return {std::string(library), path.string(), std::filesystem::exists(path, ignored)};
}

const MpiPlugIn& load(std::string_view library, int visibility) {
  const PlugIn plug_in = plug_in_for(library);
  if (!plug_in.installed)
    throw Error(
        ErrorCode::environment,
        fmt::format(
            "the plug-in for {} is not installed ({}); build quadrille on a machine that has this MPI's development package",
            library, plug_in.path));
  void* handle = dlopen(plug_in.path.c_str(), RTLD_NOW | visibility);
  if (!handle) throw Error(ErrorCode::environment, fmt::format("the plug-in for {} cannot be loaded: {}", library, dlerror()));
  const auto function = reinterpret_cast<PlugInFunction>(dlsym(handle, plug_in_symbol));
  if (!function || std::string_view(function()->version) != QUADRILLE_VERSION)
    throw Error(ErrorCode::environment, fmt::format("{} is of another version than this library ({}); install both together",
                                                    plug_in.path, QUADRILLE_VERSION));
  return *function();
}

// Loads a plug-in with local symbols, to ask for its version only: two MPI libraries cannot both be global in one process.
const MpiPlugIn& load_to_ask(std::string_view library) { return load(library, RTLD_LOCAL); }

bool is_set(const char* name) { return !environment_value(name).empty(); }

}  // namespace

const MpiPlugIn& load_to_run(std::string_view library) {
  static std::atomic<const MpiPlugIn*> openmpi{nullptr}, mpich{nullptr};
  std::atomic<const MpiPlugIn*>& loaded = library == name(TransportKind::openmpi) ? openmpi : mpich;
  if (const MpiPlugIn* const known = loaded.load(std::memory_order_acquire)) return *known;
  const MpiPlugIn& plug_in = load(library, RTLD_GLOBAL);
  loaded.store(&plug_in, std::memory_order_release);
  return plug_in;
}

Count launched_ranks() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const std::string text = environment_value(variable); !text.empty()) return std::strtoll(text.c_str(), nullptr, 10);
  return 0;
}

std::string_view name(TransportKind kind) {
  static constexpr ByEnum<TransportKind, std::string_view, 4> names{{"threads", "shared", "openmpi", "mpich"}};
  return names[kind];
}

std::vector<PlugIn> plug_ins() { return {plug_in_for(name(TransportKind::openmpi)), plug_in_for(name(TransportKind::mpich))}; }

TransportChoice choose_transport() {
  if (const std::string word = checked_environment_value("QUADRILLE_MPI"); !word.empty()) {
    if (word == "none") return {TransportKind::threads, "QUADRILLE_MPI is none"};
    for (const TransportKind kind : {TransportKind::openmpi, TransportKind::mpich})
      if (word == name(kind)) return {kind, fmt::format("QUADRILLE_MPI is {}", word)};
    throw Error(ErrorCode::misuse,
                fmt::format("QUADRILLE_MPI is {}, which only 'quadrille wrap' takes; set it to openmpi, mpich or none", word));
  }
  if (is_set("QUADRILLE_HEAD")) return {TransportKind::shared, "started by 'quadrille run' (QUADRILLE_HEAD is set)"};
  const bool open_mpi = is_set("OMPI_COMM_WORLD_SIZE"), pmi = is_set("PMI_SIZE") || is_set("PMI_RANK");
  if (open_mpi && pmi)
    throw Error(ErrorCode::misuse,
                "the environment has both Open MPI's launcher (OMPI_COMM_WORLD_SIZE) and a PMI one (PMI_SIZE); say which with "
                "QUADRILLE_MPI=openmpi or QUADRILLE_MPI=mpich");
  if (open_mpi) return {TransportKind::openmpi, "started by Open MPI's launcher (OMPI_COMM_WORLD_SIZE is set)"};
  if (pmi) return {TransportKind::mpich, "started by a PMI launcher such as MPICH's (PMI_SIZE is set)"};
  return {TransportKind::threads, "not started by an MPI launcher"};
}

std::string mpi_library_file(std::string_view library) { return load_to_ask(library).library_file(); }

std::string mpi_version(const PlugIn& plug_in) {
  try {
    return load_to_ask(plug_in.mpi).mpi_version();
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace quadrille
