// SPDX-License-Identifier: BSD-3-Clause
// Handles Ctrl-C in work that should end cleanly: the first signal asks it to stop, the second ends the process at once.
#pragma once

namespace quadrille::command {

// While an object of this class exists, the first SIGINT, SIGTERM or SIGHUP is recorded instead of ending the process. Signals that
// the process ignores stay ignored. A process may have only one such object at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static int caught();  // number of the recorded signal; 0: none
};

}  // namespace quadrille::command
