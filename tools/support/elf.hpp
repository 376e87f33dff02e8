// SPDX-License-Identifier: BSD-3-Clause
// Finds the libraries that a program is linked with, by reading its ELF file and those of its libraries. The loader's own --list
// is not used, because it would run resolver functions of the program. libelf is not used, because only a few structures of
// <elf.h> are needed.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace quadrille::command {

struct ElfFile {
  bool is_elf = false, is_64_bit = false, is_dynamic = false;
  std::vector<std::string> needed;    // names of libraries
  std::vector<std::string> searched;  // folders of DT_RPATH or DT_RUNPATH, with $ORIGIN replaced
};

// Reads an ELF file. If it cannot be read or is damaged, the result says that it is no ELF file.
ElfFile read_elf(const std::filesystem::path& file);

// Returns the names of the libraries that the loader would load for `program`, including those that it would not find. The
// libraries of a library are included only if `enters` accepts that library's name.
std::set<std::string> libraries_of(const std::filesystem::path& program, const std::function<bool(const std::string&)>& enters);

}  // namespace quadrille::command
