// SPDX-License-Identifier: BSD-3-Clause
#include "support/stop_signal.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <utility>

namespace quadrille::command {
namespace {

volatile std::sig_atomic_t noted = 0;
constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, signals.size()> before;

}  // namespace

StopSignal::StopSignal() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = [](int signal) { noted = signal; };
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // the next signal has its usual effect
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before[i], nullptr);
}

int StopSignal::caught() { return noted; }

ActionOnSignal::ActionOnSignal(std::function<void(int)> act) : act_(std::move(act)), thread_([this] { watch(); }) {}

ActionOnSignal::~ActionOnSignal() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

// A handler of signals may not notify a condition variable, so the thread looks from time to time.
void ActionOnSignal::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::milliseconds(50), [this] { return over_; }))
    if (const int signal = StopSignal::caught(); signal != 0) return act_(signal);
}

}  // namespace quadrille::command
