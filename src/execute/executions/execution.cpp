// SPDX-License-Identifier: BSD-3-Clause
#include "execute/executions/execution.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <utility>

#include "execute/agreement.hpp"
#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/request.hpp"

namespace quadrille {

Execution::Execution(std::shared_ptr<Starts> starts, std::string call)
    : starts_(std::move(starts)),
      in_flight_(starts_ ? starts_->in_flight() : std::make_shared<InFlight>()),
      plan_(starts_ ? starts_->enlist(std::move(call)) : 0),
      advances_in_background_(!starts_ || starts_->may_advance_in_background()) {
  in_flight_->list()->add_plan();
}

Execution::~Execution() {
  QUADRILLE_ASSERT(!first_);
  in_flight_->list()->remove_plan();
  in_flight_->plan_memory().destroyed(counted_);
  executable_.reset();
  if (starts_) starts_->strike(plan_);
}

void Execution::make_ready(std::shared_ptr<Communicator> group, Make make, std::unique_ptr<Executable> made) {
  executable_ = made ? std::move(made) : make();
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
  executable_ = make_();
  last_call_ = counted_ = memory.add(*this, evicted_bytes_);
}

void Execution::evict(Bytes bytes) {
  executable_.reset();
  evicted_bytes_ = bytes;
  counted_ = 0;
}

void Execution::stay() { in_flight_->plan_memory().remove(std::exchange(counted_, 0)); }

void Execution::throw_broken() const {
  throw Error(ErrorCode::misuse,
              "an execution of this plan was withdrawn, so the ranks are not in step any more; go on with another communicator");
}

// ---- Starting

void Execution::start(Started& started) {
  record();
  started.call = last_call_;
  if (executable_->runs_in_parts()) {
    enlist(started);
    in_flight_->advance();
    ProgressThread::wake(in_flight_->list());
    return;
  }
  complete_all_in_flight();
  try {
    forward(started.arguments);
    executable_->execute(started.arguments);
  } catch (...) {
    started.error = std::current_exception();
  }
  started.end();
}

void Execution::enlist(Started& started) {
  if (lock_if_open()) {
    last_ = last_->next = &started;
    if (executable_->is_vendors()) begin(started);
  } else {
    slot_ = &in_flight_->list()->enter(*this);
    first_ = last_ = &started;
    first_open_call_.store(started.call, std::memory_order_release);
    begin(started);
  }
  slot_->unlock();
}

void Execution::begin(Started& started) noexcept {
  try {
    forward(started.arguments);
    executable_->begin(started.arguments);
  } catch (...) {
    started.error = std::current_exception();
  }
}

// Locks the slot and checks again: another thread may have completed the execution meanwhile, and the slot may
// belong to another plan now.
bool Execution::lock_if_open() {
  while (is_open()) {
    if (!slot_->try_lock()) {
      sched_yield();
      continue;
    }
    if (slot_->execution.load(std::memory_order_relaxed) == this) return true;
    slot_->unlock();
  }
  return false;
}

// ---- Progress

bool Execution::end_first(FlightList::Slot& slot) noexcept {
  Started& ended = *first_;
  first_ = ended.next;
  const bool was_last = !first_;
  if (was_last) {
    last_ = nullptr;
    in_flight_->list()->leave(slot);
    first_open_call_.store(MemoryReport::none, std::memory_order_release);
  } else {
    first_open_call_.store(first_->call, std::memory_order_relaxed);
    if (!executable_->is_vendors() && !first_->error) begin(*first_);
  }
  ended.end();
  return !was_last;
}

void Execution::advance_locked(FlightList::Slot& slot) noexcept {
  do {
    try {
      if (!first_->error && !executable_->advance()) return;
    } catch (...) {
      first_->error = std::current_exception();
    }
  } while (end_first(slot));
}

void Execution::wait(Started& started) {
  while (!started.is_over.load(std::memory_order_acquire)) {
    if (!lock_if_open()) continue;
    FlightList::Slot& slot = *slot_;
    if (!started.is_over.load(std::memory_order_acquire)) {
      try {
        if (!first_->error) executable_->finish();
      } catch (...) {
        first_->error = std::current_exception();
      }
      end_first(slot);
    }
    slot.unlock();
  }
  if (started.error) std::rethrow_exception(std::exchange(started.error, nullptr));
}

void Execution::withdraw(Started& started) noexcept {
  while (!started.is_over.load(std::memory_order_acquire)) {
    if (!lock_if_open()) continue;
    FlightList::Slot& slot = *slot_;
    if (!started.is_over.load(std::memory_order_acquire)) {
      is_broken_ = true;
      const Error why(ErrorCode::peer_lost, starts_ ? starts_->withdrawal_of(plan_) : "an execution was withdrawn");
      executable_->abandon(why);
      for (Started* each = first_; each; each = each->next)
        if (!each->error) each->error = std::make_exception_ptr(why);
      while (end_first(slot)) {}
    }
    slot.unlock();
  }
}

// ---- Blocking executions while others are in flight

void Execution::execute_among_others(const Arguments& arguments, Phases* phases) {
  if (executable_->runs_in_parts() && !executable_->is_vendors() && !phases) {
    Started started;
    started.arguments = arguments;
    started.call = last_call_;
    enlist(started);
    in_flight_->advance();
    return wait(started);
  }
  complete_all_in_flight();
  forward(arguments);
  executable_->execute(arguments, phases);
}

// An executable that does not run in parts waits without advancing other executions. The rank for which it waits may itself wait
// for one of the other executions: a deadlock. So all executions in flight are completed first.
void Execution::complete_all_in_flight() {
  while (!in_flight_->is_empty() || is_open()) {
    in_flight_->advance();
    if (in_flight_->is_empty()) continue;
    if (starts_)
      starts_->give_core_away();
    else
      sched_yield();
  }
}

// ---- Requests

Request start(const std::shared_ptr<Execution>& execution, const Arguments& arguments, std::shared_ptr<const void> kept,
              std::function<void()> last_step) {
  auto started = std::make_unique<Started>();
  started->execution = execution;
  started->arguments = arguments;
  started->kept = std::move(kept);
  started->last_step = std::move(last_step);
  execution->start(*started);
  return Request(std::move(started));
}

Request::Request() noexcept = default;

Request::Request(std::unique_ptr<Started> started) noexcept
    : started_(std::move(started)), exceptions_(std::uncaught_exceptions()) {}

Request::Request(Request&& other) noexcept = default;

Request& Request::operator=(Request&& other) noexcept {
  if (this == &other) return *this;
  finish();
  started_ = std::move(other.started_);
  exceptions_ = other.exceptions_;
  return *this;
}

Request::~Request() { finish(); }

void Request::finish() noexcept {
  if (!started_) return;
  if (std::uncaught_exceptions() > exceptions_) started_->execution->withdraw(*started_);
  try {
    wait();
  } catch (...) {  // ignored: a caller who needs the error calls wait()
  }
}

bool Request::test() {
  if (!started_) return true;
  if (!started_->execution->test(*started_)) return false;
  wait();
  return true;
}

void Request::wait() {
  if (const auto started = std::exchange(started_, nullptr)) started->execution->wait(*started);
}

bool Request::is_over() const noexcept { return !started_ || started_->is_over.load(std::memory_order_acquire); }

void wait_all(std::span<Request> requests) {
  std::exception_ptr first;
  for (Request& request : requests) try {
      request.wait();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

}  // namespace quadrille
