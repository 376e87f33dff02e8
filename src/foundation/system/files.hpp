// SPDX-License-Identifier: BSD-3-Clause
// File descriptors, reading files, locks that show that a file is being written, and the folders of the library's files and the
// user's files.
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace quadrille {

// A file descriptor. It is closed when this object is destroyed.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// Reads a descriptor to its end and calls `visit` with each part of the text. Returns the system's error number; 0: all was read.
template <class Visit>
int read_parts(int descriptor, const Visit& visit) {
  std::array<char, 1 << 16> part;
  for (;;) {
    const ssize_t count = ::read(descriptor, part.data(), part.size());
    if (count == 0) return 0;
    if (count > 0)
      visit(std::string_view(part.data(), static_cast<std::size_t>(count)));
    else if (errno != EINTR)
      return errno;
  }
}

// For files whose names come from the environment, or that are found by a search of a folder. Such a name may lead to a pipe,
// which would block its reader, or to a device without an end.
//
// Opens a regular file to read, and never waits. If the file cannot be opened, the descriptor's number is negative and errno says
// why. Throws Error{malformed} if it is not a regular file; `label` names the file in the error, such as "the wisdom 'x'".
Descriptor open_regular_file(const std::string& file, const std::string& label);

struct FileText {
  std::string text;
  int error = 0;  // the system's error number; 0: the text is complete
};

// Reads a regular file. Throws Error{malformed} as open_regular_file does, and if the file is longer than `most_mebibytes`.
FileText read_regular_file(const std::string& file, std::size_t most_mebibytes, const std::string& label);

// Locks a file while this process lives, so that other processes find out whether this one still writes the file. The lock
// belongs to the process: a forked child does not inherit it, and it is released in any case when the process ends. If the file
// system has no locks, readers cannot tell that the file is being written; nothing else depends on it.
void lock_while_alive(int descriptor);

// True if some process is writing the file. False if that cannot be determined, as for files of other machines on some file
// systems.
bool is_being_written(int descriptor);

// Returns the folder lib/quadrille beside the library, wherever the library is installed: it holds the plug-ins and the machines'
// files. It is an absolute path, whether the folder exists or not. In a program that is linked statically it is the folder
// `quadrille` beside the program. If the system does not say where the library is, because /proc is not mounted, the path leads
// through /dev/null, which is no folder: nothing is then loaded.
std::filesystem::path library_folder();

// Returns the folder that an environment variable names, such as XDG_CACHE_HOME. If the variable is not set or its path is not
// absolute, returns the folder `standard` in the home folder, such as ".cache". Empty if there is no home folder, either. The
// folder need not exist. Source: the XDG Base Directory Specification.
std::filesystem::path user_folder(const char* variable, const char* standard);

}  // namespace quadrille
