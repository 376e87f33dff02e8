// SPDX-License-Identifier: BSD-3-Clause
// Pipes between processes: running another program and reading its output, and waiting until this process's output has been read.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "foundation/system/files.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

// A pipe between a process and its children.
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

struct OutputLimits {
  std::size_t mebibytes = 0;
  double seconds = 0;     // time limit of the program
  std::string raised_by;  // the option that raises the limits, as errors name it: "--limits"
};

// Runs the program `words[0]`, found as the shell finds it, with the other words as its arguments; no shell reads them. Its stdin
// is empty, and its stderr is that of this process. Returns what it prints on stdout until it has ended. The program runs in its
// own process group. The group is killed when the program has ended, when a limit is exceeded, and when SIGINT, SIGTERM or SIGHUP
// ends this process. So the processes that the program has started end, too. `label` names the program in errors. Throws
// Error{environment} if the program cannot be started, does not end in time or does not end with exit code 0, and
// Error{too_large} if it prints too much. Concurrent calls wait for each other.
std::string output_of(const std::vector<std::string>& words, const OutputLimits& limits, const std::string& label);

// Returns when the reader of `descriptor`, if it is a pipe, has read all that was written, or when `limit` has passed. A
// launcher forwards what its processes print; what is still in the pipe when a process aborts may be lost, such as an error's text.
void wait_until_read(int descriptor, std::chrono::milliseconds limit);

}  // namespace quadrille
