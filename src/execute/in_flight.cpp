// SPDX-License-Identifier: BSD-3-Clause
#include "execute/in_flight.hpp"

#include <cassert>
#include <utility>

#include "execute/execution.hpp"

namespace quadrille {

InFlight::~InFlight() {
  assert(is_empty());
  for (Slot* slot = first_; slot;) delete std::exchange(slot, slot->next);
}

void InFlight::add_plan() {
  if (plans_.fetch_add(1, std::memory_order_relaxed) < slots_.load(std::memory_order_relaxed)) return;
  auto* slot = new Slot;
  slot->next = first_.load(std::memory_order_relaxed);
  while (!first_.compare_exchange_weak(slot->next, slot, std::memory_order_release, std::memory_order_relaxed)) {}
  slots_.fetch_add(1, std::memory_order_relaxed);
}

InFlight::Slot& InFlight::enter(Execution& execution) {
  while (true)  // a slot is free, or soon will be: there are as many slots as plans
    for (Slot* slot = first_.load(std::memory_order_acquire); slot; slot = slot->next) {
      if (slot->execution.load(std::memory_order_relaxed) || !slot->try_lock()) continue;
      if (!slot->execution.load(std::memory_order_relaxed)) {
        slot->execution.store(&execution, std::memory_order_relaxed);
        count_.fetch_add(1, std::memory_order_relaxed);
        return *slot;
      }
      slot->unlock();
    }
}

void InFlight::leave(Slot& slot) {
  slot.execution.store(nullptr, std::memory_order_relaxed);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

void InFlight::advance_all() {
  std::size_t missing = count_.load(std::memory_order_relaxed);
  for (Slot* slot = first_.load(std::memory_order_acquire); slot && missing > 0; slot = slot->next) {
    if (!slot->execution.load(std::memory_order_relaxed)) continue;
    --missing;
    if (!slot->try_lock()) continue;
    if (Execution* execution = slot->execution.load(std::memory_order_relaxed)) execution->advance_locked(*slot);
    slot->unlock();
  }
}

}  // namespace quadrille
