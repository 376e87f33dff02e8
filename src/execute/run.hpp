// SPDX-License-Identifier: BSD-3-Clause
// Runs a script over messages of any kind. This is the hot path: nothing here allocates, locks or calls virtually.
//
// Messages (a transport's type) has
//   void begin(Bases&)                    once an execution, before anything else
//   void post(std::uint32_t message)      starts it
//   void wait(Range messages)             all of them, posted before
//   std::uint32_t wait_any(..)            dataflow: some posted message that is complete; each is returned once
//
// A watch is told at the end of each phase which one it was; NoWatch, which is not told the time, costs nothing.
#pragma once

#include <chrono>
#include <cstring>
#include <vector>

#include "execute/script.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

inline void run_copies(const Script& script, Range range, const Bases& bases) {
  for (std::uint32_t i = range.first; i < range.last; ++i)
    if (script.copies[i].effect == Effect::overwrite)
      run_copy(script.copies[i], bases, bases);
    else
      run_reduction(script.copies[i], *script.operation, bases, bases);
}

struct NoWatch {
  void ends(double Phases::*) {}
};

class Watch {
 public:
  void ends(double Phases::*phase) {
    const auto now = Clock::now();
    phases_.*phase += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  const Phases& phases() const { return phases_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  Phases phases_;
};

template <class Messages, class AnyWatch>
void run_windows(const Script& script, const Bases& bases, Messages& messages, AnyWatch& watch) {
  for (const Window& window : script.windows) {
    run_copies(script, window.copies_before, bases);
    watch.ends(&Phases::distribute_s);
    for (std::uint32_t i = window.messages.first; i < window.messages.last; ++i) messages.post(i);
    messages.wait(window.messages);
    watch.ends(&Phases::communicate_s);
    run_copies(script, window.copies_after, bases);
    watch.ends(&Phases::collect_s);
  }
}

// The state of a dataflow execution, allocated once.
struct DataflowState {
  explicit DataflowState(const Script& script)
      : missing(script.tasks.size()), ready(script.tasks.size()), task_of_message(script.messages.size()) {
    for (std::uint32_t t = 0; t < script.tasks.size(); ++t)
      if (script.tasks[t].message != Task::no_message) task_of_message[script.tasks[t].message] = t;
  }
  std::vector<std::uint32_t> missing;  // predecessors of each task that are not through
  std::vector<std::uint32_t> ready;    // a queue; every task enters it once
  std::vector<std::uint32_t> task_of_message;
};

template <class Messages, class AnyWatch>
void run_dataflow(const Script& script, const Bases& bases, DataflowState& state, Messages& messages, AnyWatch& watch) {
  const auto task_count = static_cast<std::uint32_t>(script.tasks.size());
  std::uint32_t queued = 0, started = 0, completed = 0;
  std::copy(script.predecessors.begin(), script.predecessors.end(), state.missing.begin());
  for (std::uint32_t t = 0; t < task_count; ++t)
    if (state.missing[t] == 0) state.ready[queued++] = t;
  const auto release = [&](Range successors) {
    for (std::uint32_t i = successors.first; i < successors.last; ++i)
      if (const std::uint32_t t = script.successors[i]; --state.missing[t] == 0) state.ready[queued++] = t;
  };
  while (completed < task_count) {
    while (started < queued) {
      const Task& task = script.tasks[state.ready[started++]];
      if (task.message == Task::no_message) {
        run_copies(script, task.copies, bases);
        watch.ends(task.collects ? &Phases::collect_s : &Phases::distribute_s);
        ++completed;
        release(task.after_completion);
      } else {
        messages.post(task.message);
        release(task.after_start);
      }
    }
    if (completed == task_count) break;
    const std::uint32_t message = messages.wait_any();
    watch.ends(&Phases::communicate_s);
    ++completed;
    release(script.tasks[state.task_of_message[message]].after_completion);
  }
}

template <class Messages, class AnyWatch>
void run_script(const Script& script, const Bases& bases, DataflowState& state, Messages& messages, AnyWatch& watch) {
  if (script.policy == Policy::dataflow)
    run_dataflow(script, bases, state, messages, watch);
  else
    run_windows(script, bases, messages, watch);
}

}  // namespace quadrille
