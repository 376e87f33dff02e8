// SPDX-License-Identifier: BSD-3-Clause
#include "execute/executions/progress_thread.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "foundation/environment.hpp"

namespace quadrille {
namespace {

// The pause between two polls. A shorter pause would gain little, because copying a part of a long message takes longer than this.
// Without a pause the thread would take a core from the program.
constexpr std::chrono::microseconds pause{20};

}  // namespace

bool ProgressThread::is_asked() {
  static const bool asked = checked_environment_value(variable) == "thread";
  return asked;
}

// Never destroyed, and its thread is never joined: it sleeps while nothing is in flight, also when the process ends.
ProgressThread& ProgressThread::of_process() {
  static ProgressThread& only = *new ProgressThread;
  return only;
}

ProgressThread::ProgressThread() {
  std::thread([this] { run(); }).detach();
}

void ProgressThread::serve(const std::shared_ptr<FlightList>& list) {
  {
    const std::lock_guard lock(mutex_);
    if (list->is_empty() || std::find(lists_.begin(), lists_.end(), list) != lists_.end()) return;
    lists_.push_back(list);
  }
  work_.notify_one();
}

void ProgressThread::run() {
  prctl(PR_SET_TIMERSLACK, 1);  // ns; the default slack of 50 us would more than double the pause
  std::unique_lock lock(mutex_);
  std::vector<std::shared_ptr<FlightList>> served;
  while (true) {
    work_.wait(lock, [this] { return !lists_.empty(); });
    served = lists_;
    lock.unlock();
    for (const auto& list : served) list->advance_in_background();
    std::this_thread::sleep_for(pause);
    lock.lock();
    // An execution enters its list before `serve` is called for the list. So removing an empty list here loses nothing.
    std::erase_if(lists_, [](const auto& list) { return list->is_empty(); });
  }
}

}  // namespace quadrille
