// SPDX-License-Identifier: BSD-3-Clause
// The facts about MPI libraries, from the table quadrille/mpi_libraries.def, and what the variables of their launchers say about
// this process. The inline functions call inline functions only, because the drop-in for the standard ABI is not linked with
// libquadrille.
#pragma once

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille {

// What a library's launcher does. `rank`, `size`, `local_size` and `other_rank` are environment variables of each process that it
// starts.
struct MpiLauncher {
  std::string_view words[3] = {};    // `mpirun --version` prints at least one of them
  const char* rank = nullptr;        // the process's rank in MPI_COMM_WORLD
  const char* size = nullptr;        // the number of ranks of MPI_COMM_WORLD
  const char* local_size = nullptr;  // the number of these ranks on this machine
  const char* other_rank = nullptr;  // the rank, if another launcher of the same protocol has started the process
  const char* descriptor = nullptr;  // a descriptor whose end tells the launcher that the process has ended
  const char* run[2] = {};           // variables that together identify a run; null: none
  bool rank_suffices = false;        // some launchers set `rank` without `size`
  std::string_view proxy;            // name of the process that starts the ranks of a machine; empty: it is not known
  std::string_view proxy_option;     // the option of the proxy whose value identifies the run
  std::string_view protocol;         // launchers of other libraries that use this protocol set the same variables; empty: none do
};

struct MpiLibrary {
  std::string_view id;
  bool has_plug_in = false;
  std::string_view title;  // also the beginning of the library's name in fingerprints of machines
  MpiLauncher launcher;
  std::string_view version_words[3] = {};  // one of them occurs in the version text of this library, and of those derived from it
  std::string_view settings[4] = {};       // how variables of the environment begin that change what the library does
  std::string_view file;                   // the beginning of a file name that only this library has; empty: it has none
  int first_number = -1;                   // libmpi.so.N is this library for N from this number up to another row's; -1: for no N
  const char* symbol = nullptr;            // only this library's libmpi.so defines it; null: its libmpi.so defines no row's symbol
};

inline constexpr MpiLibrary mpi_libraries[] = {
#define QUADRILLE_MPI_ROW(library, macros, ...) {.id = #library, .has_plug_in = true, __VA_ARGS__},
#define QUADRILLE_MPI_DROP_IN_ROW(library, ...) {.id = #library, __VA_ARGS__},
#include "quadrille/mpi_libraries.def"
};

// Returns the row with this id; null if there is none.
constexpr const MpiLibrary* find_mpi_library(std::string_view id) {
  for (const MpiLibrary& library : mpi_libraries)
    if (library.id == id) return &library;
  return nullptr;
}

// Returns the last library some of whose words occur in the text; `words_of` returns the words of a library. Null if there is none.
constexpr const MpiLibrary* library_named_in(std::string_view text, auto words_of) {
  const MpiLibrary* found = nullptr;
  for (const MpiLibrary& library : mpi_libraries)
    for (const std::string_view words : words_of(library))
      if (!words.empty() && text.find(words) != std::string_view::npos) found = &library;
  return found;
}

// The library of a version text of MPI_Get_library_version.
constexpr const MpiLibrary* library_of_version(std::string_view text) {
  return library_named_in(text, [](const MpiLibrary& library) { return std::span(library.version_words); });
}

// The library of what `mpirun --version` prints.
constexpr const MpiLibrary* library_of_launcher(std::string_view text) {
  return library_named_in(text, [](const MpiLibrary& library) { return std::span(library.launcher.words); });
}

// Returns the only library that gives its shared library this file name ("libmpich.so.12"); null if there is none.
constexpr const MpiLibrary* library_of_file(std::string_view name) {
  for (const MpiLibrary& library : mpi_libraries)
    if (!library.file.empty() && name.starts_with(library.file)) return &library;
  return nullptr;
}

// The name that several libraries give to their file.
inline constexpr std::string_view common_file = "libmpi.so";

// Returns the MPI library of a program that is linked with a shared library of this name, such as libmpi.so.12; null if the name
// is not that of an MPI library.
inline const MpiLibrary* library_of_needed(const std::string& name) {
  if (const MpiLibrary* const own = library_of_file(name)) return own;
  if (name.compare(0, common_file.size() + 1, std::string(common_file) + '.') != 0) return nullptr;
  const int number = std::atoi(name.c_str() + common_file.size() + 1);
  const MpiLibrary* best = nullptr;
  for (const MpiLibrary& library : mpi_libraries)
    if (library.first_number >= 0 && library.first_number <= number && (!best || library.first_number > best->first_number))
      best = &library;
  return best;
}

// Returns the library of a loaded file that is called libmpi.so; `defines` returns whether it defines a symbol.
template <class Defines>
const MpiLibrary* library_of_symbols(const Defines& defines) {
  const MpiLibrary* other = nullptr;
  for (const MpiLibrary& library : mpi_libraries) {
    if (library.symbol && defines(library.symbol)) return &library;
    if (!library.symbol && library.first_number >= 0 && !other) other = &library;
  }
  return other;
}

// May this process print messages about the whole run? Returns false if the variables of a launcher say that this process is not
// rank 0. Without a launcher, returns true.
inline bool is_first_launched() {
  if (const char* rank = std::getenv("QUADRILLE_RANK")) return std::atoi(rank) == 0;
  for (const MpiLibrary& library : mpi_libraries)
    for (const char* variable : {library.launcher.rank, library.launcher.other_rank})
      if (const char* rank = variable ? std::getenv(variable) : nullptr) return std::atoi(rank) == 0;
  return true;
}

// Functions about the environment variables of MPI's launchers in this process, and words about the libraries for sentences. They
// are not inline.
//
// Returns the libraries whose launchers may have started this process; of libraries with the same variables, only the first.
std::vector<const MpiLibrary*> launching_libraries(std::span<const MpiLibrary> libraries = mpi_libraries);

// Returns the value of the first variable of this kind that a launcher has set; empty if none has.
std::string launcher_value(const char* MpiLauncher::*variable);

// Returns the settings of all libraries in the environment, sorted: "NAME=VALUE".
std::vector<std::string> library_settings();

// Returns the ids of the libraries with a plug-in: "openmpi" and so on.
std::vector<std::string> ids_with_plug_in();

// Returns these ids and, last, the word for no library: "none".
std::vector<std::string> ids_or_none();

// Returns the ids of all libraries, which all have a drop-in.
std::vector<std::string> ids_with_drop_in();

// Returns the values of QUADRILLE_MPI that choose a library, as part of a sentence: "QUADRILLE_MPI=openmpi or QUADRILLE_MPI=mpich".
std::string settings_of_mpi();

}  // namespace quadrille
