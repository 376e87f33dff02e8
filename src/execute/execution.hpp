// SPDX-License-Identifier: BSD-3-Clause
// The executions of a plan. A blocking execution records its start (starts.hpp) and runs the executable. An execution that is
// started is open from `start` until it is over; every call of this process that waits advances it.
//
// All ranks start the executions of a communicator, blocking ones too, in the same order. They may end in any order. `start` waits
// for no other rank, but for executables that do not run in parts; those, blocking ones too, complete what is in flight first.
// Executions of one plan follow each other: while one is open, later ones wait in a queue. So all ranks run them in the same order,
// and none waits for a call of this rank's program.
//
// Progress. If the messages are MPI's and the program has one window, the start posts all messages, and the execution may complete
// without further calls of its rank. Otherwise a later call must make progress: it posts the messages of the next window, copies a
// long message in shared memory, begins once all readers of the previous execution are through, or begins what is queued. Any call
// that waits does that, and so does the progress thread (progress_thread.hpp). A rank that blocks in MPI_Recv does not.
//
// The executable of a plan may have been destroyed for its memory (plan_memory.hpp). The next execution makes it again, with the
// other ranks, and waits for them.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "execute/executable.hpp"
#include "execute/in_flight.hpp"
#include "execute/operator_slot.hpp"
#include "execute/starts.hpp"

namespace quadrille {

// What an execution works on. The buffers, and the operator, are the execution's until it is over.
struct Arguments {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  const Operator* operation = nullptr;  // where the plan's operator has a slot: the one to forward to
};

// One execution that has been started; a Request owns it.
struct Started {
  std::shared_ptr<Execution> execution;
  Arguments arguments;
  std::shared_ptr<const void> kept;  // what the arguments need
  std::uint64_t call = 0;            // as PlanMemory numbers them
  Started* next = nullptr;           // that of the same plan which was started after this one
  std::exception_ptr error;          // written before is_over is released
  // True is released by the thread that has seen the end, after its last access to this object.
  std::atomic<bool> is_over{false};
};

class Execution {
 public:
  // `starts` is null if starts are not recorded. It is destroyed after the executable, so it may own what that uses.
  Execution(std::shared_ptr<Starts> starts, std::string call);
  ~Execution();  // nothing is open: whoever has started an execution keeps this
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Call one of these once, before the first execution. The constructor enlists the plan, so that the numbers of plans agree even
  // if a rank then fails to make its executable.
  void hold(std::unique_ptr<Executable> executable) { executable_ = std::move(executable); }
  // What `make` makes, now and whenever it has been evicted. It is collective in the group, and throws on all ranks or on none.
  using Make = std::function<std::unique_ptr<Executable>(Communicator& group)>;
  // `made` is what it has made already, if it has.
  void make_ready(std::shared_ptr<Communicator> group, Make make, std::unique_ptr<Executable> made = nullptr);

  // The plan's operator forwards to what the arguments of each execution name.
  void forward_by(std::shared_ptr<OperatorSlot> slot) { operator_slot_ = std::move(slot); }

  // From now on it is not evicted, and does not count. Call it on all ranks, after one of those. It is for plans whose executions
  // are timed.
  void stay();

  void execute(const Arguments& arguments, Phases* phases = nullptr) {
    record();
    if (!in_flight_->is_empty() || is_open()) [[unlikely]]
      return execute_among_others(arguments, phases);
    forward(arguments);
    executable_->execute(arguments.input, arguments.output, phases);
  }

  // Lists what it is given until that is over. Throws as Starts::begin; another error is the execution's, for `wait`.
  void start(Started& started);

  // Advances all that is in flight; is `started` over? Any number of threads may call it at a time.
  bool test(const Started& started) {
    if (!started.is_over.load(std::memory_order_acquire)) in_flight_->advance();
    return started.is_over.load(std::memory_order_acquire);
  }

  // Waits until it is over and throws what has gone wrong in it.
  void wait(Started& started);

  // Ends it without waiting for other ranks: afterwards nobody reads or writes its buffers, and none of this plan's executions. The
  // ranks are not in step any more, so the plan cannot be executed again, and where they share memory the group fails.
  void withdraw(Started& started) noexcept;

  // For FlightList, with the slot locked.
  void advance_locked(FlightList::Slot& slot) noexcept;
  bool advances_in_background() const { return advances_in_background_; }

  // For PlanMemory.
  bool is_evicted() const { return !executable_; }
  std::uint64_t last_call() const { return last_call_; }
  // MemoryReport::none: nothing is open.
  std::uint64_t first_open_call() const { return first_open_call_.load(std::memory_order_acquire); }
  Bytes memory_bytes() const { return executable_ ? executable_->memory_bytes() : 0; }
  void evict(Bytes bytes);  // `bytes` is what it takes, as the ranks have agreed

 private:
  // Records a start, and makes the executable if it has been evicted.
  void record() {
    if (is_broken_) [[unlikely]]
      throw_broken();
    if (starts_) starts_->begin(plan_);
    last_call_ = in_flight_->plan_memory().next_call();
    if (!executable_) [[unlikely]]
      make_ready_again();
  }
  void make_ready_again();
  [[noreturn]] void throw_broken() const;
  void execute_among_others(const Arguments& arguments, Phases* phases);
  void complete_all_in_flight();
  void forward(const Arguments& arguments) {
    if (operator_slot_) operator_slot_->now = arguments.operation;
  }

  // False acquires what another thread, such as the progress thread, has done in the executions before.
  bool is_open() const { return first_open_call_.load(std::memory_order_acquire) != MemoryReport::none; }

  // The following are called with the slot locked, but for the first.
  bool lock_if_open();  // false: nothing is open
  void enlist(Started& started);
  void begin(Started& started) noexcept;
  bool end_first(FlightList::Slot& slot) noexcept;  // of the queue; false: it was the last, and this object may be gone

  const std::shared_ptr<Starts> starts_;
  const std::shared_ptr<InFlight> in_flight_;
  const std::uint32_t plan_;
  const bool advances_in_background_;
  std::unique_ptr<Executable> executable_;
  std::shared_ptr<Communicator> group_;
  Make make_;  // of the executable, again
  std::shared_ptr<OperatorSlot> operator_slot_;
  std::uint64_t last_call_ = 0;  // the same on all ranks
  std::uint64_t counted_ = 0;    // as PlanMemory counts it; 0: it does not
  Bytes evicted_bytes_ = 0;
  bool is_broken_ = false;  // an execution was withdrawn

  // What is open, in the order of starts: the first is under way. With the slot locked only.
  Started *first_ = nullptr, *last_ = nullptr;
  // Of the first. `none` is released by the thread that has seen the last end, after its last access to this object but for
  // `slot_`.
  std::atomic<std::uint64_t> first_open_call_{MemoryReport::none};
  FlightList::Slot* slot_ = nullptr;  // while something is open; after that it may be another's
};

// The execution of a plan. It does not check buffers; Plan::execute does.
const std::shared_ptr<Execution>& shared_execution_of(Plan& plan);
inline Execution& execution_of(Plan& plan) { return *shared_execution_of(plan); }

// Starts an execution; the request keeps `kept` until it is over.
Request start(const std::shared_ptr<Execution>& execution, const Arguments& arguments, std::shared_ptr<const void> kept = nullptr);

}  // namespace quadrille
