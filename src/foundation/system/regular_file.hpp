// SPDX-License-Identifier: BSD-3-Clause
// Reading files whose names come from the environment, or that lie in a folder that is searched. Such a name may lead to a pipe,
// which would block its reader, or to a device that never ends.
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include "foundation/system/descriptor.hpp"

namespace quadrille {

// Reads a descriptor to its end and calls `visit` with each part of the text. Returns the system's error number; 0: that was all.
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

// Opens a regular file to read, and never waits. If the file cannot be opened, the descriptor's number is negative and errno says
// why. Throws Error{malformed} if it is not a regular file; `label` names it in that sentence, such as "the wisdom 'x'".
Descriptor open_regular_file(const std::string& file, const std::string& label);

struct FileText {
  std::string text;
  int error = 0;  // the system's error number; 0: the text is complete
};

// Reads a regular file. Throws Error{malformed} as open_regular_file does, and if the file is longer than `most_mebibytes`.
FileText read_regular_file(const std::string& file, std::size_t most_mebibytes, const std::string& label);

}  // namespace quadrille
