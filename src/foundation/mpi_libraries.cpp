// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/mpi_libraries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "foundation/environment.hpp"

namespace quadrille {
namespace {

bool is_set(const char* name) { return name && !environment_value(name).empty(); }

}  // namespace

std::vector<const MpiLibrary*> launching_libraries(std::span<const MpiLibrary> libraries) {
  std::vector<const MpiLibrary*> found;
  for (const MpiLibrary& library : libraries) {
    const MpiLauncher& launcher = library.launcher;
    if (!is_set(launcher.size) && !(launcher.rank_suffices && is_set(launcher.rank))) continue;
    const auto is_same = [&](const MpiLibrary* other) { return std::string_view(other->launcher.size) == launcher.size; };
    if (std::none_of(found.begin(), found.end(), is_same)) found.push_back(&library);
  }
  return found;
}

std::string launcher_value(const char* MpiLauncher::*variable) {
  for (const MpiLibrary& library : mpi_libraries)
    if (is_set(library.launcher.*variable)) return environment_value(library.launcher.*variable);
  return {};
}

std::vector<std::string> library_settings() {
  std::vector<std::string> found;
  for (char** variable = environ; *variable; ++variable)
    for (const MpiLibrary& library : mpi_libraries)
      for (const std::string_view prefix : library.settings)
        if (!prefix.empty() && std::string_view(*variable).starts_with(prefix)) found.emplace_back(*variable);
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> ids_with_plug_in() {
  std::vector<std::string> ids;
  for (const MpiLibrary& library : mpi_libraries)
    if (library.has_plug_in) ids.emplace_back(library.id);
  return ids;
}

std::vector<std::string> ids_or_none() {
  std::vector<std::string> words = ids_with_plug_in();
  words.emplace_back("none");
  return words;
}

std::vector<std::string> ids_with_drop_in() {
  std::vector<std::string> ids;
  for (const MpiLibrary& library : mpi_libraries) ids.emplace_back(library.id);
  return ids;
}

std::string settings_of_mpi() { return fmt::format("QUADRILLE_MPI={}", fmt::join(ids_with_plug_in(), " or QUADRILLE_MPI=")); }

}  // namespace quadrille
