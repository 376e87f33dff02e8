// SPDX-License-Identifier: BSD-3-Clause
// Finds the source line of an address in another process, by the debug information of its program and libraries. Only files on this
// machine are used, and nothing in the process is changed. Without libdw (QUADRILLE_LIBDW is not defined), places have no symbols.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quadrille::command {

// An executable part of a file that a process has mapped.
struct Module {
  std::uint64_t begin = 0, end = 0, offset = 0;  // addresses in the process; where the part begins in the file
  std::string path;                              // as the system shows it, or "[vdso]" and the like
  std::string build_id;                          // in hexadecimal; empty: unknown. Then the file is not used
};

// Returns the modules of a process, by increasing address; nothing if the process is gone or /proc does not show it.
std::vector<Module> modules_of(pid_t process);
std::vector<Module> modules_in(const std::string& file);  // in a copy of /proc/PID/maps

const Module* module_at(std::uint64_t address, std::span<const Module> modules);  // null: none

std::string base_name(std::string_view path);  // without the folder, and without the note that the file has been deleted

// True if the module belongs to an MPI library, to its network libraries, or to what lies between them and the program: bindings of
// languages, and the drop-in.
bool is_mpi_binding(const Module& module);

// Returns the address in the process of a symbol that the module exports; nothing if it has none of this name.
std::optional<std::uint64_t> address_of(const char* symbol, const Module& module);

// Finds places, and remembers them. Reads each file once. Not for several threads at once.
class SourcePlaces {
 public:
  SourcePlaces();
  ~SourcePlaces();
  SourcePlaces(const SourcePlaces&) = delete;
  SourcePlaces& operator=(const SourcePlaces&) = delete;

  // Returns where the call is that returns to `return_address`: "solver.c:88 (residual)" with debug information,
  // "residual+0x1c (app)" with a symbol, else "app+0x1234". The offsets are those of the last byte of the call. Code that was
  // inlined has the name of the inlined function, except code of system headers, which stands for the line that uses it. Empty if
  // the address is 0; "0x1234" if it is in no module. A file whose build-id has changed is not used.
  std::string of(std::uint64_t return_address, std::span<const Module> modules);

 private:
  class File;

  const File& file_of(const Module& module);

  std::map<std::string, std::unique_ptr<File>> files_;                   // by build-id and path
  std::map<std::pair<std::string, std::uint64_t>, std::string> places_;  // by build-id and path, and offset in the file
};

}  // namespace quadrille::command
