// SPDX-License-Identifier: BSD-3-Clause
#include "execute/process_events.hpp"

#include <pthread.h>

#include <mutex>
#include <utility>
#include <vector>

namespace quadrille {
namespace {

struct Shared {
  std::atomic<bool> is_promised{false}, is_over{false};
  std::mutex mutex;
  std::vector<std::pair<EndOfMpi::Action, void*>> actions;
};

// Never destroyed, because MPI may be finalised in destructors of static objects.
Shared& shared() {
  static Shared& only = *new Shared;
  return only;
}

}  // namespace

std::atomic<unsigned> ForkMark::forks_{0};

ForkMark::ForkMark() : made_(forks_.load(std::memory_order_relaxed)) {
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { forks_.fetch_add(1, std::memory_order_relaxed); });
}

void EndOfMpi::promise() { shared().is_promised.store(true); }

bool EndOfMpi::is_promised() { return shared().is_promised.load(); }

void EndOfMpi::add(Action action, void* memory) {
  const std::lock_guard lock(shared().mutex);
  shared().actions.emplace_back(action, memory);
}

void EndOfMpi::run() {
  std::vector<std::pair<Action, void*>> actions;
  {
    const std::lock_guard lock(shared().mutex);
    actions.swap(shared().actions);
  }
  for (const auto& [action, memory] : actions) action(memory);
}

const std::atomic<bool>& EndOfMpi::over() { return shared().is_over; }

void EndOfMpi::set_over() { shared().is_over.store(true, std::memory_order_relaxed); }

}  // namespace quadrille
