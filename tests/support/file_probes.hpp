// SPDX-License-Identifier: BSD-3-Clause
// What tests of shared files ask the system.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "execute/shared/memory/shared_file.hpp"

namespace quadrille::file_probes {

constexpr std::uint64_t id = 0x1234567890abcdef;
constexpr Bytes mebibyte = Bytes{1} << 20;

inline struct stat status_of(int file) {
  struct stat status {};
  EXPECT_EQ(::fstat(file, &status), 0);
  return status;
}

// Returns the flags of the mapping that contains this address, from /proc/self/smaps.
inline std::string flags_of(const void* memory) {
  std::ifstream in("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(in, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      is_here = reinterpret_cast<std::uintptr_t>(memory) >= begin && reinterpret_cast<std::uintptr_t>(memory) < end;
    else if (is_here && line.starts_with("VmFlags:"))
      return line + " ";
  }
  return "";
}

inline bool has_flag(const void* memory, const std::string& flag) {
  return flags_of(memory).find(" " + flag + " ") != std::string::npos;
}

// Runs the function in a forked child. Returns the status from waitpid.
template <class Function>
int in_child(Function&& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL);
    ::_exit(function() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

inline Bytes resident_bytes(const SharedFile& file) { return static_cast<Bytes>(status_of(file.descriptor()).st_blocks) * 512; }

}  // namespace quadrille::file_probes
