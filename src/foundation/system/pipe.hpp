// SPDX-License-Identifier: BSD-3-Clause
// A pipe between a process and its children.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "foundation/system/descriptor.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

struct Pipe {
  Descriptor read_end, write_end;
};

// Returns a pipe that programs started by exec do not inherit. Throws Error{environment} if the process has too many descriptors.
inline Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorCode::environment, std::string("a pipe cannot be made: ") + std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace quadrille
