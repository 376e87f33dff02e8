// SPDX-License-Identifier: BSD-3-Clause
// Runs a script over the messages of any transport, blocking or step by step. This is the hot path: nothing here allocates memory,
// takes a lock or makes a virtual call.
#pragma once

#include <chrono>
#include <concepts>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "execute/script/execution_record.hpp"
#include "execute/script/script.hpp"
#include "execute/transport.hpp"
#include "foundation/assert.hpp"

namespace quadrille {

// What a transport must offer to run a script. An execution calls `begin`, then for each window `post` for its messages and
// `advance` or `wait` until they are complete (dataflow: `advance_any` or `wait_any`, message by message), and finally `end`. After
// an error it calls `withdraw`.
template <class M>
concept Messages = requires(M messages, const std::byte* input, std::byte* output, std::uint32_t message, bool (*done)(),
                            const Error& why) {
  { messages.script() } -> std::convertible_to<const Script&>;
  // Null unless PlanOptions::keep_step is set; otherwise tells when the rank may enter a window (NodeSteps, or NoSteps below).
  { messages.steps()->may_enter(std::size_t{}) } -> std::convertible_to<bool>;
  // Can an execution begin now? It cannot while readers still use the block that it will write. `wait_to_begin` waits for these
  // readers.
  { messages.can_begin() } -> std::convertible_to<bool>;
  messages.wait_to_begin();
  messages.scale(Bytes{});  // of an elastic script: the next executions are for blocks of this size
  { messages.begin(input, output) } -> std::convertible_to<const Bases&>;
  messages.post(message);  // optional: post_window(window) posts all messages of a window
  // Policies blocking and nonblocking: are all posted messages complete? `wait` waits until they are.
  { messages.advance() } -> std::convertible_to<bool>;
  messages.wait();
  // Policy dataflow: returns a posted message that is complete. Each message is returned once.
  { messages.advance_any() } -> std::convertible_to<std::optional<std::uint32_t>>;
  { messages.wait_any() } -> std::convertible_to<std::uint32_t>;
  // Returns done(), or throws if done() is false and a rank has failed.
  { messages.poll(done) } -> std::convertible_to<bool>;
  messages.end();
  messages.withdraw();  // afterwards no rank accesses this rank's memory; also allowed between executions
  messages.fail(why);   // ranks of the same node that wait for this rank throw `why`
  { messages.memory_bytes() } -> std::convertible_to<Bytes>;
};

// Message classes without PlanOptions::keep_step return a null pointer to this type from steps().
struct NoSteps {
  static constexpr bool may_enter(std::size_t) { return true; }
  static constexpr void wait_to_enter(std::size_t) {}
  static constexpr void leave(std::size_t) {}
  static constexpr void end() {}
};

inline void run_copies(const Script& script, IndexRange range, const Bases& bases) {
  QUADRILLE_HOT_ASSERT(range.last <= script.copies.size());
  for (std::uint32_t i = range.first; i < range.last; ++i)
    if (script.copies[i].effect == Effect::overwrite)
      run_copy(script.copies[i], bases, bases);
    else
      run_reduction(script.copies[i], *script.operation, bases, bases);
}

// Adds the time since the previous call to the phase that has just ended. Without phases it reads no clock.
class Watch {
 public:
  Watch() = default;
  explicit Watch(Phases* phases) : phases_(phases) {
    if (phases_) {
      *phases_ = {};
      last_ = Clock::now();
    }
  }

  void ends(double Phases::*phase) {
    if (phases_) [[unlikely]]
      add(phase);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void add(double Phases::*phase) {
    const auto now = Clock::now();
    phases_->*phase += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

  Phases* phases_ = nullptr;
  Clock::time_point last_{};
};

// The progress of a dataflow execution. Its lists are allocated once, when the plan is made.
struct DataflowState {
  explicit DataflowState(const Script& script)
      : missing(script.tasks.size()), ready(script.tasks.size()), task_of_message(script.messages.size()) {
    for (std::uint32_t t = 0; t < script.tasks.size(); ++t)
      if (script.tasks[t].message != Task::no_message) task_of_message[script.tasks[t].message] = t;
  }

  void begin(const Script& script) {
    queued = started = completed = 0;
    std::copy(script.predecessors.begin(), script.predecessors.end(), missing.begin());
    for (std::uint32_t t = 0; t < missing.size(); ++t)
      if (missing[t] == 0) ready[queued++] = t;
  }
  void release(const Script& script, IndexRange successors) {
    for (std::uint32_t i = successors.first; i < successors.last; ++i) {
      const std::uint32_t t = script.successors[i];
      QUADRILLE_HOT_ASSERT(missing[t] > 0);
      if (--missing[t] == 0) ready[queued++] = t;
    }
  }

  std::vector<std::uint32_t> missing;  // the number of predecessors of each task that are not complete
  std::vector<std::uint32_t> ready;    // a queue of tasks that can start; every task enters it once
  std::vector<std::uint32_t> task_of_message;
  std::uint32_t queued = 0, started = 0, completed = 0;
};

// What an observed execution needs in addition to `Messages`: `advance` and `wait` that call `completions` for each message that
// becomes complete, except for sends that are complete when they are posted.
template <class M>
concept ObservedMessages = Messages<M> && requires(M messages, const CompletionStamps& completions) {
  { messages.advance(completions) } -> std::convertible_to<bool>;
  messages.wait(completions);
};

// A script with its messages. `go_on` does all work that is possible without waiting. Between two calls of `go_on` a blocking
// execution waits. A nonblocking execution returns to its caller instead, and goes on when `is_ready` tells that the wait is
// over.
template <Messages M, class O = NoObserver>
class ScriptExecutable final : public Executable {
 public:
  template <class... Arguments>
  explicit ScriptExecutable(Arguments&&... arguments)
      : messages_(std::forward<Arguments>(arguments)...), script_(messages_.script()), dataflow_(script_), observer_(script_) {}
  ~ScriptExecutable() override { messages_.withdraw(); }

  M& messages() { return messages_; }

  bool runs_in_parts() const override { return true; }

  Bytes memory_bytes() const override {
    return messages_.memory_bytes() + memory_bytes_of(dataflow_.missing, dataflow_.ready, dataflow_.task_of_message);
  }

  [[gnu::hot]] void execute(const Arguments& arguments, Phases* phases = nullptr) override {
    begin(arguments);
    watch_ = Watch(phases);
    finish();
  }

  void abandon(const Error& why) noexcept override {
    messages_.fail(why);  // before `withdraw`, because peers that find a message withdrawn look for the reason
    withdraw();
  }

  [[gnu::hot]] void begin(const Arguments& arguments) override {
    QUADRILLE_HOT_ASSERT(stage_ == Stage::to_begin);  // no execution is under way
    QUADRILLE_HOT_ASSERT((arguments.block_bytes > 0) == (script_.capacity > 0) && arguments.block_bytes <= script_.capacity);
    if (arguments.block_bytes != block_bytes_) [[unlikely]]
      messages_.scale(block_bytes_ = arguments.block_bytes);
    input_ = arguments.input;
    output_ = arguments.output;
    watch_ = Watch();
  }

  bool advance() override {
    try {
      while (messages_.poll([&] { return is_ready(); }))
        if ((stage_ = go_on(stage_)) == Stage::to_begin) return true;
      return false;
    } catch (...) {
      give_up();
      throw;
    }
  }

  [[gnu::hot]] void finish() override {
    try {
      Stage stage = stage_;
      do {
        wait(stage);
        stage = go_on(stage);
      } while (stage != Stage::to_begin);
    } catch (...) {
      give_up();
      throw;
    }
    stage_ = Stage::to_begin;
  }

 private:
  enum class Stage : std::uint8_t { to_begin, for_step, for_messages };  // the next wait; to_begin: no execution is under way

  bool is_ready() {
    switch (stage_) {
      case Stage::to_begin: return messages_.can_begin();
      case Stage::for_step: return messages_.steps()->may_enter(window_);
      case Stage::for_messages: break;
    }
    if (script_.policy != Policy::dataflow) {
      if constexpr (O::observes) return messages_.advance(observer_.completions());
      return messages_.advance();
    }
    const std::optional<std::uint32_t> complete = messages_.advance_any();
    if (complete) completed_ = *complete;
    return complete.has_value();
  }

  void wait(Stage stage) {
    switch (stage) {
      case Stage::to_begin: return messages_.wait_to_begin();
      case Stage::for_step: return messages_.steps()->wait_to_enter(window_);
      case Stage::for_messages: break;
    }
    if (script_.policy == Policy::dataflow)
      completed_ = messages_.wait_any();
    else if constexpr (O::observes)
      messages_.wait(observer_.completions());
    else
      messages_.wait();
  }

  // Does all work that is possible now that the wait `before` is over, and returns the next wait. Inlined, so that a blocking
  // execution keeps the stage in a register.
  [[gnu::always_inline]] Stage go_on(Stage before) {
    if (before == Stage::to_begin) {
      if constexpr (O::observes) observer_.begins();
      bases_ = &messages_.begin(input_, output_);
    }
    const Stage next = script_.policy == Policy::dataflow ? run_tasks(before) : run_window(before);
    if (next == Stage::to_begin) {
      messages_.end();
      if constexpr (O::observes) observer_.ends();
    }
    return next;
  }

  [[gnu::always_inline]] Stage run_window(Stage before) {
    auto* const steps = messages_.steps();
    if (before == Stage::to_begin) window_ = 0;
    if (before == Stage::for_messages) {
      if (steps) steps->leave(window_);
      watch_.ends(&Phases::communicate_s);
      if constexpr (O::observes) observer_.window_is_complete();
      run_copies(script_, script_.windows[window_].copies_after, *bases_);
      if constexpr (O::observes) observer_.copied_after(window_, script_.windows[window_].copies_after);
      ++window_;
      watch_.ends(&Phases::collect_s);
    }
    if (window_ == script_.windows.size()) {
      if (steps) steps->end();
      return Stage::to_begin;
    }
    QUADRILLE_HOT_ASSERT(window_ < script_.windows.size());
    const Window& window = script_.windows[window_];
    if (before != Stage::for_step) {
      run_copies(script_, window.copies_before, *bases_);
      if constexpr (O::observes) observer_.copied_before(window_, window.copies_before);
      watch_.ends(&Phases::distribute_s);
      if (steps && !steps->may_enter(window_)) return Stage::for_step;
    } else if constexpr (O::observes) {
      observer_.enters_window();
    }
    QUADRILLE_HOT_ASSERT(window.messages.last <= script_.messages.size());
    if constexpr (requires { messages_.post_window(window_); })
      messages_.post_window(window_);
    else
      for (std::uint32_t i = window.messages.first; i < window.messages.last; ++i) messages_.post(i);
    if constexpr (O::observes) observer_.posted(window.first_round);
    return Stage::for_messages;
  }

  [[gnu::always_inline]] Stage run_tasks(Stage before) {
    DataflowState& state = dataflow_;
    if (before == Stage::to_begin) {
      state.begin(script_);
    } else {
      watch_.ends(&Phases::communicate_s);
      QUADRILLE_HOT_ASSERT(completed_ < script_.messages.size() && state.completed < state.started);
      if constexpr (O::observes) observer_.completed(completed_);
      ++state.completed;
      state.release(script_, script_.tasks[state.task_of_message[completed_]].after_completion);
    }
    while (state.started < state.queued) {
      const std::uint32_t number = state.ready[state.started++];
      const Task& task = script_.tasks[number];
      if (task.message == Task::no_message) {
        run_copies(script_, task.copies, *bases_);
        if constexpr (O::observes) observer_.ran(number);
        watch_.ends(task.collects ? &Phases::collect_s : &Phases::distribute_s);
        ++state.completed;
        state.release(script_, task.after_completion);
      } else {
        messages_.post(task.message);
        if constexpr (O::observes) observer_.posted_alone(task.message);
        state.release(script_, task.after_start);
      }
    }
    if (state.completed == script_.tasks.size()) return Stage::to_begin;
    if constexpr (O::observes) observer_.begins_to_wait(0);
    return Stage::for_messages;
  }

  // Call it in an exception handler. Reports the error to the other ranks, because they wait for this rank's messages. If the
  // error came from another rank, all ranks have it already, and the report changes nothing. The reduction operator may throw
  // anything.
  void give_up() noexcept { abandon_because_of_exception(ErrorCode::peer_lost); }

  void withdraw() {
    messages_.withdraw();
    stage_ = Stage::to_begin;
  }

  M messages_;
  const Script& script_;
  DataflowState dataflow_;
  const Bases* bases_ = nullptr;
  Bytes block_bytes_ = script_.capacity;  // for which the messages are scaled
  const std::byte* input_ = nullptr;
  std::byte* output_ = nullptr;
  Watch watch_;
  Stage stage_ = Stage::to_begin;
  std::size_t window_ = 0;
  std::uint32_t completed_ = 0;  // dataflow: the message that has become complete last
  [[no_unique_address]] O observer_;
};

// Makes an executable of M: an observed one if the script has a record.
template <ObservedMessages M, class... Arguments>
std::unique_ptr<Executable> script_executable(const Script& script, Arguments&&... arguments) {
  if (script.record) return std::make_unique<ScriptExecutable<M, Observer>>(std::forward<Arguments>(arguments)...);
  return std::make_unique<ScriptExecutable<M>>(std::forward<Arguments>(arguments)...);
}

}  // namespace quadrille
