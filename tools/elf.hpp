// SPDX-License-Identifier: BSD-3-Clause
// What a program is linked with, read from its ELF file and those of its libraries. Nothing of the program is run: the loader's own
// --list runs resolver functions of the program. libelf would be a dependency for a few structures of <elf.h>.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace quadrille::command {

struct ElfFile {
  bool is_elf = false, is_64_bit = false, is_dynamic = false;
  std::vector<std::string> needed;    // names of libraries
  std::vector<std::string> searched;  // folders of DT_RPATH or DT_RUNPATH, with $ORIGIN replaced
};

// A file that cannot be read, or that is damaged, is no ELF file.
ElfFile read_elf(const std::filesystem::path& file);

// The names of all libraries that the loader would load for `program`, those that it would not find included.
std::set<std::string> libraries_of(const std::filesystem::path& program);

}  // namespace quadrille::command
