// SPDX-License-Identifier: BSD-3-Clause
// The executions of a plan. A blocking execution records its start (starts.hpp) and then runs the executable. An execution in parts
// is in flight from `begin` until it is over; every wait of this rank in the same communicator advances it.
//
// All ranks begin the executions of a communicator, blocking ones too, in the same order. They may end in any order. `begin` waits
// for no other rank, but for executables that do not run in parts; those, blocking ones too, complete what is in flight first.
//
// When may an execution become complete without further calls of its rank? Only if its messages are MPI's and its program has one
// window: then `begin` posts all messages. Otherwise somebody has to call: with more windows to post the next one; in shared memory
// to copy a long message, or to begin when a reader is behind. `advance` or `end` of this or another execution do that, and
// anything else that waits in this communicator. A rank that blocks elsewhere, in an MPI_Recv, say, does not.
//
// The executable of a plan may have been destroyed for its memory (plan_memory.hpp). The next execution makes it again, with the
// other ranks, and waits for them.
//
// Over MPI an execution has to be ended before its plan is destroyed: MPI cannot take back a message that is on its way, and the
// other rank would receive what the memory then holds.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "execute/executable.hpp"
#include "execute/in_flight.hpp"
#include "execute/starts.hpp"

namespace quadrille {

class Execution {
 public:
  // `starts` is null if starts are not recorded. It is destroyed after the executable, so it may own what that uses.
  Execution(std::shared_ptr<Starts> starts, std::string call);
  ~Execution();  // cancels an execution in flight; over MPI it must have ended, see above
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Call one of these once, before the first execution. The constructor enlists the plan, so that the numbers of plans agree even
  // if a rank then fails to make its executable.
  void hold(std::unique_ptr<Executable> executable) { executable_ = std::move(executable); }
  // What `make` makes, now and whenever it has been evicted. It is collective in the group, and throws on all ranks or on none.
  using Make = std::function<std::unique_ptr<Executable>(Communicator& group)>;
  // `made` is what it has made already, if it has.
  void make_ready(std::shared_ptr<Communicator> group, Make make, std::unique_ptr<Executable> made = nullptr);

  // From now on it is not evicted, and does not count. Call it on all ranks, after one of those. It is for plans whose executions
  // are timed.
  void stay();

  void execute(const std::byte* input, std::byte* output, Phases* phases = nullptr) {
    record();
    if (!in_flight_->is_empty()) make_way();
    executable_->execute(input, output, phases);
  }

  // The buffers are the execution's until `end` has returned. Throws Error{misuse} if one is in flight, and as Starts::begin.
  void begin(const std::byte* input, std::byte* output);

  // Advances all that is in flight on this rank; is this one over? Any number of threads may call it at a time.
  bool advance() {
    if (!is_over_.load(std::memory_order_acquire)) in_flight_->advance();
    return is_over_.load(std::memory_order_acquire);
  }

  // After each `begin`, once, when no other thread is in `advance`: waits until it is over and throws what has gone wrong in it.
  void end();

  // For InFlight, with its slot locked.
  void advance_locked(InFlight::Slot& slot) noexcept;

  // For PlanMemory.
  bool is_over() const { return is_over_.load(std::memory_order_acquire); }
  bool is_evicted() const { return !executable_; }
  std::uint64_t last_call() const { return last_call_; }
  Bytes memory_bytes() const { return executable_ ? executable_->memory_bytes() : 0; }
  void evict(Bytes bytes);  // `bytes` is what it takes, as the ranks have agreed

 private:
  // Records a start, and makes the executable if it has been evicted.
  void record() {
    if (slot_) throw_in_flight();
    if (starts_) starts_->begin(plan_);
    last_call_ = in_flight_->plan_memory().next_call();
    if (!executable_) [[unlikely]]
      make_ready_again();
  }
  void make_ready_again();
  [[noreturn]] static void throw_in_flight();
  void make_way();
  void leave(InFlight::Slot& slot) noexcept;

  const std::shared_ptr<Starts> starts_;
  const std::shared_ptr<InFlight> in_flight_;
  const std::uint32_t plan_;
  std::unique_ptr<Executable> executable_;
  std::shared_ptr<Communicator> group_;
  Make make_;                    // of the executable, again
  std::uint64_t last_call_ = 0;  // the same on all ranks
  std::uint64_t counted_ = 0;    // as PlanMemory counts it; 0: it does not
  Bytes evicted_bytes_ = 0;
  InFlight::Slot* slot_ = nullptr;  // from `begin` to `end`
  std::exception_ptr error_;        // written before is_over_ is released
  // True is released by the thread that has seen the end, after its last access to this object.
  std::atomic<bool> is_over_{true};
};

// The execution of a plan. It does not check buffers; Plan::execute does.
const std::shared_ptr<Execution>& shared_execution_of(Plan& plan);
inline Execution& execution_of(Plan& plan) { return *shared_execution_of(plan); }

// An execution that a Request stands for.
struct Started {
  std::shared_ptr<Execution> execution;
};

}  // namespace quadrille
