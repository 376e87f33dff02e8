// SPDX-License-Identifier: BSD-3-Clause
// Finds the source line of an address in another process, by the debug information of its program and libraries. Only files on this
// machine are used, and nothing in the process is changed. Without libdw (QUADRILLE_LIBDW is not defined), places have no symbols.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

struct Dwfl;

namespace quadrille::command {

// An executable part of a file that a process has mapped.
struct Module {
  std::uint64_t begin = 0, end = 0, offset = 0;  // addresses in the process; where the part begins in the file
  std::string path;                              // as the system shows it, or "[vdso]" and the like

  bool operator==(const Module&) const = default;
};

std::string base_name(std::string_view path);  // without the folder, and without the note that the file has been deleted

// True if the module belongs to an MPI library, to its network libraries, or to what lies between them and the program: bindings of
// languages, and the drop-in.
bool is_mpi_binding(const Module& module);

// The places in one process. They are remembered. Not for several threads at once.
class SourcePlaces {
 public:
  SourcePlaces();
  ~SourcePlaces();
  SourcePlaces(const SourcePlaces&) = delete;
  SourcePlaces& operator=(const SourcePlaces&) = delete;

  // Reads which files the process has mapped. When it is gone, those of before are kept; without any, they come from a copy of its
  // /proc/PID/maps.
  void read(pid_t process, const std::string& copy = {});

  const std::vector<Module>& modules() const { return modules_; }
  const Module* module_at(std::uint64_t address) const;  // null: none
  Dwfl* files() const { return files_; }                 // the modules as libdwfl has them

  // Returns the address in the process of a symbol of the module; 0 if it has none of this name.
  std::uint64_t address_of(const char* symbol, const Module& module) const;

  // Returns where the call is that returns to `return_address`: "solver.c:88 (residual)" with debug information,
  // "residual+0x1c (app)" with a symbol, else "app+0x1234". The offsets are those of the last byte of the call. Code that was
  // inlined has the name of the inlined function, except code of system headers, which stands for the line that uses it. Empty if
  // the address is 0; "0x1234" if it is in no module. A file that is replaced while the process runs is not used.
  std::string of(std::uint64_t return_address);

 private:
  std::string find(std::uint64_t address, const Module& module) const;

  std::vector<Module> modules_;
  std::map<std::uint64_t, std::string> places_;  // by address
  Dwfl* files_ = nullptr;
};

}  // namespace quadrille::command
