// SPDX-License-Identifier: BSD-3-Clause
#include "support/watchdog.hpp"

#include <cstdlib>

#include "support/exit_codes.hpp"

namespace quadrille::command {

using Clock = std::chrono::steady_clock;

Watchdog::Watchdog(double patience_seconds, std::function<void()> bark)
    : patience_(patience_seconds), bark_(std::move(bark)), last_beat_(Clock::now()), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::beat() { last_beat_.store(Clock::now()); }

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto end = last_beat_.load() + std::chrono::duration_cast<Clock::duration>(patience_);
    if (changed_.wait_until(lock, end, [this] { return over_; })) return;
    if (Clock::now() - last_beat_.load() < patience_) continue;
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::seconds(5));
      std::_Exit(misused);
    }).detach();
    bark_();
    std::_Exit(misused);
  }
}

}  // namespace quadrille::command
