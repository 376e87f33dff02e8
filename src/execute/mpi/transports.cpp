// SPDX-License-Identifier: BSD-3-Clause
// Finding and loading the MPI plug-ins.
#include "quadrille/transports.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "execute/mpi/plug_in.hpp"
#include "foundation/assert.hpp"
#include "foundation/environment.hpp"
#include "foundation/library_folder.hpp"
#include "quadrille/indexed.hpp"

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

// Loads a plug-in with global symbols, because MPI libraries load components of their own, which look for the library's symbols
// among the global ones. The plug-in stays loaded, because a program may make ten thousand communicators.
const MpiPlugIn& load_to_run(std::string_view library) {
  static std::atomic<const MpiPlugIn*> openmpi{nullptr}, mpich{nullptr};
  std::atomic<const MpiPlugIn*>& loaded = library == name(TransportKind::openmpi) ? openmpi : mpich;
  if (const MpiPlugIn* const known = loaded.load(std::memory_order_acquire)) return *known;
  const MpiPlugIn& plug_in = load(library, RTLD_GLOBAL);
  loaded.store(&plug_in, std::memory_order_release);
  return plug_in;
}

// Loads a plug-in with local symbols, to ask for its version only: two MPI libraries cannot both be global in one process.
const MpiPlugIn& load_to_ask(std::string_view library) { return load(library, RTLD_LOCAL); }

// Returns how many processes the MPI launcher has started, as its environment variables say; 0 if there is no launcher.
Count launched_ranks() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const std::string text = environment_value(variable); !text.empty()) return std::strtoll(text.c_str(), nullptr, 10);
  return 0;
}

// Asserts what the engine relies on about a group that a plug-in has made.
std::unique_ptr<Communicator> plausible(std::unique_ptr<Communicator> group) {
  QUADRILLE_ASSERT(group && group->rank() >= 0 && group->rank() < group->size());
  QUADRILLE_ASSERT(size(group->nodes()) == group->size());
  return group;
}

bool is_set(const char* name) { return !environment_value(name).empty(); }

}  // namespace

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

std::unique_ptr<Communicator> mpi_world() {
  const TransportChoice choice = choose_transport();
  if (!choice.is_mpi()) throw Error(ErrorCode::misuse, fmt::format("there is no MPI world: {}", choice.reason));
  auto world = plausible(load_to_run(name(choice.transport)).world());
  if (const Count launched = launched_ranks(); launched > 1 && world->size() == 1)
    throw Error(
        ErrorCode::environment,
        fmt::format("the launcher started {} processes, but {} sees only this one ({}); use the launcher of the same MPI library",
                    launched, name(choice.transport), choice.reason));
  return world;
}

std::unique_ptr<Communicator> launched_world() {
  return choose_transport().transport == TransportKind::shared ? shared_world() : mpi_world();
}

void run_launched(Count threads, const std::function<void(Communicator&)>& body) {
  if (choose_transport().transport == TransportKind::threads)
    run_threads(threads, body);
  else
    body(*launched_world());
}

std::unique_ptr<Communicator> over_mpi_handle(std::string_view library, const void* handle, std::size_t bytes) {
  return plausible(load_to_run(library).over(handle, bytes));
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
