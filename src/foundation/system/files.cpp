// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>

#include "foundation/environment.hpp"
#include "foundation/system/build_version.hpp"
#include "quadrille/error.hpp"
#include "quadrille/version.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

// Returns the file that holds this code, from the list of the mapped files; empty if the system has no such list. The loader is
// no substitute: for the main program it returns the name that the caller of exec has chosen, and for a library a name that may
// be relative to an earlier working folder.
fs::path library_file() {
  static const char here = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&here);
  std::ifstream maps("/proc/self/maps");
  // such as "7f8de4e14000-7f8de4ebc000 r--p 00000000 fe:01 1835022                    /usr/lib/libquadrille.so.0.2.0"
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    const char* const last = line.data() + line.size();
    const auto dash = std::from_chars(line.data(), last, begin, 16).ptr;
    if (dash == last || std::from_chars(dash + 1, last, end, 16).ec != std::errc{}) continue;
    if (begin <= address && address < end) return line.substr(std::min(line.find('/'), line.size()));
  }
  return {};
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Descriptor open_regular_file(const std::string& file, const std::string& label) {
  // O_NONBLOCK: opening a pipe must not wait for a writer. O_NOCTTY: opening a terminal must not make it this process's own.
  Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (opened.number() < 0 || ::fstat(opened.number(), &status) != 0) return Descriptor();
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::malformed, fmt::format("{} is not a regular file", label));
  return opened;
}

FileText read_regular_file(const std::string& file, std::size_t most_mebibytes, const std::string& label) {
  const Descriptor opened = open_regular_file(file, label);
  if (opened.number() < 0) return {{}, errno};
  FileText read;
  read.error = read_parts(opened.number(), [&](std::string_view part) {
    read.text += part;
    if (read.text.size() > most_mebibytes << 20)
      throw Error(ErrorCode::malformed, fmt::format("{} is longer than {} MiB", label, most_mebibytes));
  });
  return read;
}

void lock_while_alive(int descriptor) {
  struct flock lock = whole_file(F_WRLCK);
  ::fcntl(descriptor, F_SETLK, &lock);
}

bool is_being_written(int descriptor) {
  struct flock lock = whole_file(F_RDLCK);
  return ::fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

std::string_view version() { return build_version(); }

fs::path library_folder() {
  static const fs::path file = library_file();
  return file.is_absolute() ? file.parent_path() / "quadrille" : "/dev/null/quadrille";
}

std::filesystem::path user_folder(const char* variable, const char* standard) {
  const std::filesystem::path named = environment_value(variable), home = environment_value("HOME");
  if (named.is_absolute()) return named;
  return home.is_absolute() ? home / standard : std::filesystem::path();
}

}  // namespace quadrille
