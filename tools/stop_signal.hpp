// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C for work that ends in good order: the first signal asks it to stop, the second ends the process at once.
#pragma once

namespace quadrille::command {

// While there is one, the first SIGINT, SIGTERM or SIGHUP is noted instead of ending the process, unless it is ignored. One at a
// time in a process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static int caught();  // its number; 0: none
};

}  // namespace quadrille::command
