// SPDX-License-Identifier: BSD-3-Clause
// A thread of the process that advances what has been started, so that it goes on while the program computes. It is for programs
// that ask for it by QUADRILLE_PROGRESS=thread, since it takes a core's time from them.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "execute/in_flight.hpp"

namespace quadrille {

class ProgressThread {
 public:
  static constexpr const char* variable = "QUADRILLE_PROGRESS";

  // Does the environment ask for it? Throws Error{environment} if the variable holds something else.
  static bool is_asked();

  // After a start: if the environment asks for it, the thread advances this list until nothing is in flight there.
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
  std::vector<std::shared_ptr<FlightList>> lists_;  // in which something is in flight
};

}  // namespace quadrille
