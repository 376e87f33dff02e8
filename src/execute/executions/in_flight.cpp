// SPDX-License-Identifier: BSD-3-Clause
#include "execute/executions/in_flight.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "execute/executions/execution.hpp"
#include "foundation/assert.hpp"
#include "foundation/environment.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// The pause between two polls. A shorter pause would gain little, because copying a part of a long message takes longer than this
// pause. Without a pause the thread would take a core from the program.
constexpr std::chrono::microseconds pause{20};

}  // namespace

FlightList::~FlightList() {
  QUADRILLE_ASSERT(is_empty());
  for (Slot* slot = first_; slot;) delete std::exchange(slot, slot->next);
}

// Never destroyed: executions may still be in flight when the process ends.
const std::shared_ptr<FlightList>& FlightList::of_process() {
  static const auto& list = *new std::shared_ptr<FlightList>(std::make_shared<FlightList>());
  return list;
}

void FlightList::add_plan() {
  if (plans_.fetch_add(1, std::memory_order_relaxed) < slots_.load(std::memory_order_relaxed)) return;
  auto* slot = new Slot;
  slot->next = first_.load(std::memory_order_relaxed);
  while (!first_.compare_exchange_weak(slot->next, slot, std::memory_order_release, std::memory_order_relaxed)) {}
  slots_.fetch_add(1, std::memory_order_relaxed);
}

FlightList::Slot& FlightList::enter(Execution& execution) {
  while (true)  // ends, because there are as many slots as plans: one is free, or about to be released
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

void FlightList::leave(Slot& slot) {
  slot.execution.store(nullptr, std::memory_order_relaxed);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

void FlightList::advance_all(bool in_background) {
  std::size_t missing = count_.load(std::memory_order_relaxed);
  for (Slot* slot = first_.load(std::memory_order_acquire); slot && missing > 0; slot = slot->next) {
    if (!slot->execution.load(std::memory_order_relaxed)) continue;
    --missing;
    if (!slot->try_lock()) continue;
    if (Execution* execution = slot->execution.load(std::memory_order_relaxed);
        execution && (!in_background || execution->advances_in_background()))
      execution->advance_locked(*slot);
    slot->unlock();
  }
}

std::shared_ptr<InFlight> InFlight::of_process() {
  return std::make_shared<InFlight>(FlightList::of_process(), PlanMemory::account_of_process());
}

// ---- The progress thread

bool ProgressThread::is_asked() {
  static const bool asked = checked_environment_value(variable) == "thread";
  return asked;
}

// Never destroyed, and its thread is never joined, because the thread may be asleep when the process ends.
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

std::uint32_t Starts::enlist(std::string call) {
  calls_.emplace(++last_, std::move(call));
  return last_;
}

std::string Starts::call_of(std::uint32_t plan) const {
  if (plan == barrier) return "a barrier, or the making of a plan";
  const auto entry = calls_.find(plan);
  return fmt::format("plan {} ({})", plan, entry == calls_.end() ? "destroyed by now" : entry->second);
}

void Starts::throw_forked() {
  throw Error(ErrorCode::misuse, "this process was forked from a rank of the group; only that rank can execute its plans");
}

void Starts::throw_ended() {
  throw Error(ErrorCode::misuse, "MPI has been finalised; make plans and execute them before MPI_Finalize");
}

}  // namespace quadrille
