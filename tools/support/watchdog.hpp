// SPDX-License-Identifier: BSD-3-Clause
// Ends a process that makes no progress any more, because a rank that died would leave the others waiting for ever.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace quadrille::command {

class Watchdog {
 public:
  // Starts a thread that calls `bark` if `beat` is not called for `patience_seconds`. The process then exits with code 2, either
  // when `bark` returns or after a few seconds.
  Watchdog(double patience_seconds, std::function<void()> bark);
  ~Watchdog();
  void beat();

 private:
  void watch();

  std::chrono::duration<double> patience_;
  std::function<void()> bark_;
  std::atomic<std::chrono::steady_clock::time_point> last_beat_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace quadrille::command
