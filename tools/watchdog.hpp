// SPDX-License-Identifier: BSD-3-Clause
// Ends a process in which nothing moves any more: a rank that died must not leave the others waiting for ever.
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
  // Calls `bark` on a thread of its own once `patience_seconds` have passed without `beat`, and exits with code 2 if it
  // returns or takes longer than a few seconds.
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
