// SPDX-License-Identifier: BSD-3-Clause
// The program that shall run with the drop-in: whether libraries can be preloaded into it, its MPI library, and these libraries.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "foundation/mpi_libraries.hpp"

namespace quadrille::command {

// Finds a program in the same way as execvp. Throws Error{misuse} if there is none.
std::filesystem::path find_program(const std::string& word);

struct PreloadedProgram {
  std::filesystem::path path, file;  // as the user names it, and the file that the system loads: of a script, its interpreter
  bool is_script = false;
};

// Throws Error{misuse} with the reason if nothing can be preloaded into the program.
PreloadedProgram checked_program(const std::string& word);

// The MPI libraries with which a program is linked, directly or through other libraries.
struct LinkedMpi {
  std::set<const MpiLibrary*> libraries;  // in the order of the table
  std::set<std::string> files;            // such as libmpi.so.40

  // Returns the id of the library whose drop-in fits. If the program `file` is linked with none or several, the launcher or
  // QUADRILLE_MPI decides. Throws Error{misuse} if they do not.
  std::string chosen(const std::filesystem::path& file) const;
};
LinkedMpi linked_mpi(const std::filesystem::path& file);

// Returns the path of the library for the MPI library `mpi`. Throws Error{misuse} if it is not installed or cannot be preloaded.
std::string preload_library(std::string_view mpi);

// Returns the path of a library to preload before it into a program that is linked with the MPI libraries `files`; empty if none is
// needed. It has the name of the MPI library for which the other was built. Without it, the loader would load that library, too,
// if the program is linked with this MPI under another name.
std::string alias_library(std::string_view mpi, const std::set<std::string>& files);

// As above, for the library that is preloaded in addition if a program is recorded.
std::string record_library(std::string_view mpi);

// Preloads libquadrille-heap into the programs that this process starts, before other preloaded libraries. `wish` is "on" or
// "always". Says once for all ranks if it will be off.
void preload_heap(const std::string& wish);

}  // namespace quadrille::command
