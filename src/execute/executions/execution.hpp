// SPDX-License-Identifier: BSD-3-Clause
// The executions of a plan. A blocking execution records its start (Starts) and runs the executable. A nonblocking execution is
// open from `start` until it is complete; every call of this process that waits advances it.
//
// All ranks start the executions of a communicator in the same order, including blocking ones. Executions may complete in any
// order. `start` does not wait for other ranks. An executable that does not run in parts is an exception: its `start` first
// completes all executions in flight, then runs the whole execution. Before a blocking execution of such an executable, all
// executions in flight are completed, too. Executions of one plan run one after the other: while one is open, later ones wait in
// a queue. So all ranks run these executions in the same order.
//
// Progress. With MPI messages and a program of one window, the start posts all messages, and the execution may complete without
// further calls. Otherwise a later call must make progress: it posts the messages of the next window, copies a long message in
// shared memory, begins an execution whose area block other ranks were still reading, or begins a queued execution. Every call
// that waits makes such progress, and so does the progress thread (in_flight.hpp). A rank that blocks in MPI_Recv does not make
// progress.
//
// The executable of a plan may have been destroyed to free its memory (plan_memory.hpp). The next execution makes the executable
// again, together with the other ranks.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "execute/executions/in_flight.hpp"
#include "execute/transport.hpp"
#include "quadrille/operator.hpp"

namespace quadrille {

// Operators whose function changes from one execution of a plan to the next. Typed calls need such operators: the library keeps
// the plan of a call, but the user's lambda may capture other data in the next call.
struct OperatorSlot {
  const Operator* now = nullptr;  // the operator of the running execution
};

// Returns an operator with the properties of `like` that calls the function of the operator in the slot. The MPI library's
// collectives cannot use it.
inline std::shared_ptr<const Operator> forwarding(const Operator& like, const std::shared_ptr<OperatorSlot>& slot) {
  Operator made = like;
  made.combine = [slot](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
    slot->now->combine(source, target, elements, order);
  };
  made.mpi.reset();
  return std::make_shared<const Operator>(std::move(made));
}

// One execution that has been started; a Request owns it.
struct Started {
  std::shared_ptr<Execution> execution;
  Arguments arguments;
  std::shared_ptr<const void> kept;  // keeps alive what the arguments refer to
  std::function<void()> last_step;   // runs when the execution is complete, unless the execution failed; must not throw
  std::uint64_t call = 0;            // its number (PlanMemory::next_call)
  Started* next = nullptr;           // the next execution in the queue of the same plan
  std::exception_ptr error;          // written before is_over is set
  // Set with release by the thread that completes the execution, after its last access to this object.
  std::atomic<bool> is_over{false};

  void end() noexcept {
    if (last_step && !error) last_step();
    is_over.store(true, std::memory_order_release);
  }
};

class Execution {
 public:
  // `starts` is null if starts are not recorded. `starts` is destroyed after the executable, so it may own what the executable
  // uses.
  Execution(std::shared_ptr<Starts> starts, std::string call);
  ~Execution();  // no execution is open: each open one keeps this object alive
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Call `hold` or `make_ready` once, before the first execution. The plan has got its number in the constructor. So the numbers
  // of plans agree on all ranks even if a rank fails to make its executable.
  void hold(std::unique_ptr<Executable> executable) { executable_ = std::move(executable); }
  // Makes the executable. Collective in the group; throws on all ranks or on none.
  using Make = std::function<std::unique_ptr<Executable>()>;
  // Calls `make` now, unless `made` is given, and again after each eviction.
  void make_ready(std::shared_ptr<Communicator> group, Make make, std::unique_ptr<Executable> made = nullptr);

  // Makes the plan's operator forward to Arguments::operation of each execution.
  void forward_by(std::shared_ptr<OperatorSlot> slot) { operator_slot_ = std::move(slot); }

  // Excludes the plan from eviction and from the memory count, because its executions are timed. Call it on all ranks, after `hold`
  // or `make_ready`.
  void stay();

  void execute(const Arguments& arguments, Phases* phases = nullptr) {
    record();
    if (!in_flight_->is_empty() || is_open()) [[unlikely]]
      return execute_among_others(arguments, phases);
    forward(arguments);
    executable_->execute(arguments, phases);
  }

  // Starts an execution. `started` must stay valid until it is complete. Throws as Starts::begin does; other errors are kept for
  // `wait`.
  void start(Started& started);

  // Advances everything in flight and returns whether `started` is complete. If `started` is not complete and there are more
  // ranks than cores, this rank yields its core to another rank, because it may need the other rank's work. Several threads may
  // call it at the same time.
  bool test(const Started& started) {
    if (!started.is_over.load(std::memory_order_acquire)) in_flight_->advance();
    const bool is_over = started.is_over.load(std::memory_order_acquire);
    if (!is_over && starts_ && starts_->shares_cores()) starts_->give_core_away();
    return is_over;
  }

  // Waits until `started` is complete, and throws its error if it has one.
  void wait(Started& started);

  // Ends all open executions of this plan without waiting for other ranks. Afterwards no rank reads or writes their buffers. The
  // plan cannot be executed again, because other ranks may have completed these executions. A group that shares memory fails as a
  // whole.
  void withdraw(Started& started) noexcept;

  // Called by FlightList with the slot locked.
  void advance_locked(FlightList::Slot& slot) noexcept;
  bool advances_in_background() const { return advances_in_background_; }

  // Called by PlanMemory.
  bool is_evicted() const { return !executable_; }
  std::uint64_t last_call() const { return last_call_; }
  // Returns the number of the oldest open execution; MemoryReport::none if none is open.
  std::uint64_t first_open_call() const { return first_open_call_.load(std::memory_order_acquire); }
  Bytes memory_bytes() const { return is_evicted() ? 0 : executable_->memory_bytes(); }
  void evict(Bytes bytes);  // `bytes`: the size of the executable that the ranks have agreed upon

 private:
  // Records a start, and makes the executable if it has been evicted.
  void record() {
    if (is_broken_) [[unlikely]]
      throw_broken();
    if (starts_) starts_->begin(plan_);
    last_call_ = in_flight_->plan_memory().next_call();
    if (is_evicted()) [[unlikely]]
      make_ready_again();
  }
  void make_ready_again();
  [[noreturn]] void throw_broken() const;
  void execute_among_others(const Arguments& arguments, Phases* phases);
  void complete_all_in_flight();
  void forward(const Arguments& arguments) {
    if (operator_slot_) operator_slot_->now = arguments.operation;
  }

  // A load with acquire: if it returns false, this thread sees what other threads (such as the progress thread) have done in
  // earlier executions.
  bool is_open() const { return first_open_call_.load(std::memory_order_acquire) != MemoryReport::none; }

  bool lock_if_open();  // locks the slot; returns false if no execution is open
  // Call the following functions only with the slot locked.
  void enlist(Started& started);
  void begin(Started& started) noexcept;
  // Ends the first execution of the queue. Returns false if this was the last execution in the queue; in that case this object
  // may have been destroyed.
  bool end_first(FlightList::Slot& slot) noexcept;

  const std::shared_ptr<Starts> starts_;
  const std::shared_ptr<InFlight> in_flight_;
  const std::uint32_t plan_;
  const bool advances_in_background_;
  std::unique_ptr<Executable> executable_;
  std::shared_ptr<Communicator> group_;
  Make make_;  // makes the executable again after an eviction
  std::shared_ptr<OperatorSlot> operator_slot_;
  std::uint64_t last_call_ = 0;  // the number of the last call; the same on all ranks
  std::uint64_t counted_ = 0;    // the plan's number in PlanMemory; 0: not counted
  Bytes evicted_bytes_ = 0;
  bool is_broken_ = false;  // an execution was withdrawn

  // The queue of open executions in the order of starts; the first one is running. Accessed with the slot locked only.
  Started *first_ = nullptr, *last_ = nullptr;
  // The call number of `first_`; `none` if no execution is open. The thread that ends the last open execution stores `none` with
  // release, after its last access to this object.
  std::atomic<std::uint64_t> first_open_call_{MemoryReport::none};
  FlightList::Slot* slot_ = nullptr;  // valid while an execution is open; afterwards another plan may have the slot
};

// Returns the Execution of a plan. Unlike Plan::execute, the Execution does not check buffers.
const std::shared_ptr<Execution>& shared_execution_of(Plan& plan);
inline Execution& execution_of(Plan& plan) { return *shared_execution_of(plan); }

// Starts an execution. The request keeps `kept` alive until the execution is complete. `last_step` is Started::last_step.
Request start(const std::shared_ptr<Execution>& execution, const Arguments& arguments, std::shared_ptr<const void> kept = nullptr,
              std::function<void()> last_step = nullptr);

}  // namespace quadrille
