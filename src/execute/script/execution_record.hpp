// SPDX-License-Identifier: BSD-3-Clause
// The times of an observed execution at one rank. All memory is allocated when the plan is made. A time stamp takes a few
// nanoseconds, and there are few: all messages of a window are posted together, and a window without copies begins when the one
// before has ended.
#pragma once

#include <cstdint>
#include <vector>

#include "execute/script/script.hpp"
#include "foundation/system/ticks.hpp"

namespace quadrille {

// A piece of work or a wait of this rank, in ticks.
struct TickSpan {
  std::uint64_t begin = 0, end = 0;
};

// Notes when messages are complete. Messages classes call it once for each message that is complete, except for sends that are
// complete when they are posted. `of_whole` gives the message's index in the whole script if the messages class has a part of it.
struct CompletionStamps {
  std::uint64_t* completed = nullptr;  // by message of the whole script
  const std::uint32_t* of_whole = nullptr;

  void operator()(std::uint32_t message) const { completed[of_whole ? of_whole[message] : message] = ticks(); }
};

class ExecutionRecord {
 public:
  struct Wait {
    Count round = 0;
    TickSpan time;
  };

  explicit ExecutionRecord(const Script& script);

  // By message of the script. A send that is complete when it is posted has completed 0.
  const std::vector<std::uint64_t>& posted() const { return posted_; }
  const std::vector<std::uint64_t>& completed() const { return completed_; }
  // By window: the copies before, and the copies after its messages. Under dataflow, by task: copies_before only.
  const std::vector<TickSpan>& copies_before() const { return copies_before_; }
  const std::vector<TickSpan>& copies_after() const { return copies_after_; }
  const Wait* waits_begin() const { return waits_.data(); }
  const Wait* waits_end() const { return waits_.data() + wait_count_; }
  const TickSpan& whole() const { return whole_; }

 private:
  friend class Observer;

  std::vector<std::uint64_t> posted_, completed_;
  std::vector<TickSpan> copies_before_, copies_after_;
  std::vector<Wait> waits_;
  std::size_t wait_count_ = 0;
  TickSpan whole_;
};

// What a script's execution tells while it runs. ScriptExecutable (run.hpp) takes an observer as a template argument; this one
// observes nothing, and compiles to nothing.
struct NoObserver {
  static constexpr bool observes = false;
  explicit NoObserver(const Script&) {}
};

// Writes a record.
class Observer {
 public:
  static constexpr bool observes = true;
  explicit Observer(const Script& script) : script_(script), record_(*script.record) {}

  void begins() {
    record_.wait_count_ = 0;
    record_.whole_.begin = last_ = ticks();
  }
  void ends() { record_.whole_.end = last_; }

  void enters_window() { last_ = ticks(); }  // after a wait for its step (PlanOptions::keep_step)

  // The copies before or after the messages of a window. Without copies no time passes.
  void copied_before(std::size_t window, IndexRange copies) { copied(record_.copies_before_[window], copies); }
  void copied_after(std::size_t window, IndexRange copies) { copied(record_.copies_after_[window], copies); }

  // All messages of the window have been posted, from the last time stamp on.
  void posted(IndexRange messages, Count round) {
    for (std::uint32_t i = messages.first; i < messages.last; ++i) {
      record_.posted_[i] = last_;
      record_.completed_[i] = 0;
    }
    begins_to_wait(round);
  }
  void window_is_complete() { end_wait(); }

  // Dataflow.
  void ran(std::uint32_t task) {
    record_.copies_before_[task] = {last_, ticks()};
    last_ = record_.copies_before_[task].end;
  }
  void posted(std::uint32_t message) {
    record_.posted_[message] = last_;
    record_.completed_[message] = 0;
  }
  void begins_to_wait(Count round) { record_.waits_[record_.wait_count_] = {round, {last_ = ticks(), 0}}; }
  void completed(std::uint32_t message) {
    record_.waits_[record_.wait_count_].round = script_.messages[message].round;
    end_wait();
    record_.completed_[message] = last_;
  }

  CompletionStamps completions() { return {record_.completed_.data()}; }

 private:
  void copied(TickSpan& span, IndexRange copies) {
    if (copies.size() == 0) return;
    span = {last_, ticks()};
    last_ = span.end;
  }
  void end_wait() { record_.waits_[record_.wait_count_++].time.end = last_ = ticks(); }

  const Script& script_;
  ExecutionRecord& record_;
  std::uint64_t last_ = 0;  // the last time stamp
};

}  // namespace quadrille
