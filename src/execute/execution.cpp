// SPDX-License-Identifier: BSD-3-Clause
#include "execute/execution.hpp"

#include <sched.h>

#include <utility>

#include "execute/agreement.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

Execution::Execution(std::shared_ptr<Starts> starts, std::string call)
    : starts_(std::move(starts)),
      in_flight_(starts_ ? starts_->in_flight() : std::make_shared<InFlight>()),
      plan_(starts_ ? starts_->enlist(std::move(call)) : 0) {
  in_flight_->add_plan();
}

Execution::~Execution() {
  if (slot_) {
    while (!is_over_.load(std::memory_order_acquire)) {
      if (!slot_->try_lock()) {
        sched_yield();
        continue;
      }
      if (!is_over_.load(std::memory_order_acquire)) leave(*slot_);
      slot_->unlock();
    }
  }
  in_flight_->remove_plan();
  in_flight_->plan_memory().destroyed(counted_);
  executable_.reset();
  if (starts_) starts_->strike(plan_);
}

void Execution::make_ready(std::shared_ptr<Communicator> group, Make make, std::unique_ptr<Executable> made) {
  executable_ = made ? std::move(made) : make(*group);
  group_ = std::move(group);
  make_ = std::move(make);
  last_call_ = counted_ = in_flight_->plan_memory().add(*this, std::nullopt);
}

void Execution::make_ready_again() {
  PlanMemory& memory = in_flight_->plan_memory();
  const auto reports = gathered_or_thrown(*group_, [&] { return memory.report(); });
  MemoryReport of_all = reports[0];
  for (const MemoryReport& each : reports) of_all.add(each);
  memory.settle(of_all, evicted_bytes_);
  executable_ = make_(*group_);
  last_call_ = counted_ = memory.add(*this, evicted_bytes_);
}

void Execution::evict(Bytes bytes) {
  executable_.reset();
  evicted_bytes_ = bytes;
  counted_ = 0;
}

void Execution::stay() { in_flight_->plan_memory().remove(std::exchange(counted_, 0)); }

void Execution::begin(const std::byte* input, std::byte* output) {
  record();
  make_way();
  is_over_.store(false, std::memory_order_relaxed);
  slot_ = &in_flight_->enter(*this);
  try {
    executable_->begin(input, output);
  } catch (...) {
    error_ = std::current_exception();
    leave(*slot_);
  }
  slot_->unlock();
  in_flight_->advance();
}

void Execution::advance_locked(InFlight::Slot& slot) noexcept {
  try {
    if (!executable_->advance()) return;
  } catch (...) {
    error_ = std::current_exception();
  }
  leave(slot);
}

void Execution::end() {
  while (!is_over_.load(std::memory_order_acquire)) {
    if (!slot_->try_lock()) {  // another thread advances it
      sched_yield();
      continue;
    }
    if (!is_over_.load(std::memory_order_acquire)) {
      try {
        executable_->finish();
      } catch (...) {
        error_ = std::current_exception();
      }
      leave(*slot_);
    }
    slot_->unlock();
  }
  slot_ = nullptr;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

// The slot stays locked: whoever begins next finds it when it has been unlocked.
void Execution::leave(InFlight::Slot& slot) noexcept {
  in_flight_->leave(slot);
  is_over_.store(true, std::memory_order_release);
}

// An executable that does not run in parts may wait without advancing what is in flight (a vendor's collective does), and a rank
// that it waits for may wait for that. So everything in flight is completed first.
void Execution::make_way() {
  if (executable_->runs_in_parts()) return;
  while (!in_flight_->is_empty()) {
    in_flight_->advance();
    if (starts_)
      starts_->give_core_away();
    else
      sched_yield();
  }
}

void Execution::throw_in_flight() {
  throw Error(ErrorCode::misuse, "an execution of this plan is in flight; a plan has one at a time");
}

}  // namespace quadrille
