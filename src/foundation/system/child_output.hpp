// SPDX-License-Identifier: BSD-3-Clause
// Runs another program and reads what it prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace quadrille {

struct OutputLimits {
  std::size_t mebibytes = 0;
  double seconds = 0;     // until the program must have ended
  std::string raised_by;  // what raises the limits, for errors: "--limits"
};

// Runs the program `words[0]`, found as the shell finds it, with the other words as its arguments; no shell reads them. Its stdin
// is empty, its stderr that of this process. Returns what it prints on stdout until it has ended. It leads a process group of its
// own, which is killed when it has ended, when a limit is exceeded, and when SIGINT, SIGTERM or SIGHUP ends this process meanwhile:
// so what it has started ends, too. `label` names the program in errors. Throws Error{environment} if it cannot be started, does
// not end in time or does not end with exit code 0, and Error{too_large} if it prints too much. Threads take turns.
std::string output_of(const std::vector<std::string>& words, const OutputLimits& limits, const std::string& label);

}  // namespace quadrille
