// SPDX-License-Identifier: BSD-3-Clause
// Counts the resources that this process uses and that a leak would exhaust.
#pragma once

#include <dirent.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "quadrille/types.hpp"

namespace quadrille::testing {

struct Resources {
  Count descriptors = 0, mappings = 0;
  Bytes resident = 0;      // VmRSS
  Bytes allocated = 0;     // allocated by malloc and not freed
  Bytes shared_files = 0;  // memory behind this process's files without a name (memfd)
};

inline Resources resources() {
  Resources found;
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (const dirent* entry = ::readdir(folder)) {
      const std::string path = std::string("/proc/self/fd/") + entry->d_name;
      struct stat about;
      if (::stat(path.c_str(), &about) != 0 || S_ISDIR(about.st_mode)) continue;
      ++found.descriptors;
      char target[64] = "";
      if (::readlink(path.c_str(), target, sizeof target - 1) > 0 && std::string(target).starts_with("/memfd:"))
        found.shared_files += 512 * static_cast<Bytes>(about.st_blocks);
    }
    ::closedir(folder);
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++found.mappings;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) found.resident = 1024 * std::stoll(line.substr(6));
  const auto heap = ::mallinfo2();
  found.allocated = static_cast<Bytes>(heap.uordblks + heap.hblkhd);
  return found;
}

}  // namespace quadrille::testing
