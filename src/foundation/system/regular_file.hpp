// SPDX-License-Identifier: BSD-3-Clause
// Reading files whose names come from the environment, or that lie in a folder that is searched. Such a name may lead to a pipe,
// which would block its reader, or to a device that never ends.
#pragma once

#include <cstddef>
#include <string>

#include "foundation/system/descriptor.hpp"

namespace quadrille {

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
