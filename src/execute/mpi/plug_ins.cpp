// SPDX-License-Identifier: BSD-3-Clause
// Finding and loading the MPI plug-ins.
#include "execute/mpi/plug_ins.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "foundation/environment.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/system/files.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"
#include "quadrille/version.hpp"

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
  if (!function || std::string_view(function()->version) != version())
    throw Error(ErrorCode::environment,
                fmt::format("{} is of another version than this library ({}); install both together", plug_in.path, version()));
  return *function();
}

// Loads a plug-in with local symbols, to ask for its version only: two MPI libraries cannot both be global in one process.
const MpiPlugIn& load_to_ask(std::string_view library) { return load(library, RTLD_LOCAL); }

constexpr std::string_view names[] = {
    "threads",
    "shared",
#define QUADRILLE_MPI_ROW(library, macros, ...) #library,
#include "quadrille/mpi_libraries.def"
};

TransportKind kind_of(std::string_view id) {
  return static_cast<TransportKind>(std::find(std::begin(names), std::end(names), id) - std::begin(names));
}

std::string launcher_name(const MpiLibrary& library) {
  const std::string_view protocol = library.launcher.protocol;
  return protocol.empty() ? fmt::format("{}'s launcher", library.title)
                          : fmt::format("a {} launcher such as {}'s", protocol, library.title);
}

// Returns the launcher's name for a sentence that has already named another launcher.
std::string other_launcher_name(const MpiLibrary& library) {
  const std::string_view protocol = library.launcher.protocol;
  return protocol.empty() ? fmt::format("{}'s", library.title) : fmt::format("a {} one", protocol);
}

}  // namespace

const MpiPlugIn& load_to_run(std::string_view library) {
  static std::array<std::atomic<const MpiPlugIn*>, std::size(names) + 1> all{};  // the last one is for unknown libraries
  std::atomic<const MpiPlugIn*>& loaded = all[static_cast<std::size_t>(kind_of(library))];
  if (const MpiPlugIn* const known = loaded.load(std::memory_order_acquire)) return *known;
  const MpiPlugIn& plug_in = load(library, RTLD_GLOBAL);
  loaded.store(&plug_in, std::memory_order_release);
  return plug_in;
}

Count launched_ranks() { return std::strtoll(launcher_value(&MpiLauncher::size).c_str(), nullptr, 10); }

std::string_view name(TransportKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::vector<PlugIn> plug_ins() {
  std::vector<PlugIn> all;
  for (const std::string& id : ids_with_plug_in()) all.push_back(plug_in_for(id));
  return all;
}

TransportChoice choose_transport() {
  if (const std::string word = checked_environment_value("QUADRILLE_MPI"); !word.empty()) {
    if (word == "none") return {TransportKind::threads, "QUADRILLE_MPI is none"};
    if (find_mpi_library(word)->has_plug_in) return {kind_of(word), fmt::format("QUADRILLE_MPI is {}", word)};
    throw Error(ErrorCode::misuse, fmt::format("QUADRILLE_MPI is {}, which only 'quadrille wrap' takes; set it to {}", word,
                                               alternatives(ids_or_none())));
  }
  if (!environment_value("QUADRILLE_HEAD").empty())
    return {TransportKind::shared, "started by 'quadrille run' (QUADRILLE_HEAD is set)"};
  const std::vector<const MpiLibrary*> launching = launching_libraries();
  if (launching.empty()) return {TransportKind::threads, "not started by an MPI launcher"};
  if (launching.size() > 1)
    throw Error(ErrorCode::misuse, fmt::format("the environment has both {} ({}) and {} ({}); say which with {}",
                                               launcher_name(*launching[0]), launching[0]->launcher.size,
                                               other_launcher_name(*launching[1]), launching[1]->launcher.size, settings_of_mpi()));
  const MpiLibrary& library = *launching.front();
  return {kind_of(library.id), fmt::format("started by {} ({} is set)", launcher_name(library), library.launcher.size)};
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
