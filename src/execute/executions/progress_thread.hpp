// SPDX-License-Identifier: BSD-3-Clause
// A thread that advances open executions while the program computes. Programs enable it by QUADRILLE_PROGRESS=thread; it is off by
// default because it takes time on a core from the program.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "execute/executions/in_flight.hpp"

namespace quadrille {

class ProgressThread {
 public:
  static constexpr const char* variable = "QUADRILLE_PROGRESS";

  // Does the environment enable the thread? Throws Error{environment} if the value of the variable is unknown.
  static bool is_asked();

  // Called after a start. If the thread is enabled, it advances this list until the list is empty.
  static void wake(const std::shared_ptr<FlightList>& list) {
    if (is_asked()) [[unlikely]]
      of_process().serve(list);
  }

 private:
  ProgressThread();
  static ProgressThread& of_process();
  void serve(const std::shared_ptr<FlightList>& list);
  void run();

  std::mutex mutex_;
  std::condition_variable work_;
  std::vector<std::shared_ptr<FlightList>> lists_;  // those with open executions
};

}  // namespace quadrille
