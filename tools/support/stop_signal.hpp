// SPDX-License-Identifier: BSD-3-Clause
// Handles Ctrl-C in work that should end cleanly: the first signal asks it to stop, the second ends the process at once.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

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

// While an object of this class exists, a thread of its own calls `act` soon after the first of these signals: for work that cannot
// ask at once whether to stop, because its ranks wait for each other.
class ActionOnSignal {
 public:
  explicit ActionOnSignal(std::function<void(int signal)> act);
  ~ActionOnSignal();

 private:
  void watch();

  const StopSignal stop_;
  const std::function<void(int)> act_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace quadrille::command
