// SPDX-License-Identifier: BSD-3-Clause
// The times of an observed execution at one rank. All memory is allocated when the plan is made. A time stamp takes some tens of
// nanoseconds. There are few stamps: one for the begin, one for each list of copies that is not empty, and one when messages
// become complete. An interval whose begin has no stamp begins at the stamp before.
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

// Notes when messages are complete. The classes of messages (run.hpp) call it once for each message that becomes complete, except
// for sends that are complete when they are posted. Each look at the open messages uses its own copy of this object, so that
// short messages that one look finds complete share a stamp.
struct CompletionStamps {
  static constexpr Bytes least_long = 4096;

  std::uint64_t* completed = nullptr;       // when each message was completed; by message of the whole script
  std::uint64_t* last = nullptr;            // the last time stamp
  const std::uint8_t* is_long = nullptr;    // which messages have stamps of their own; by message of the whole script
  const std::uint32_t* of_whole = nullptr;  // the messages' indices in the whole script, if the class has only a part of it
  bool is_fresh = true;

  void operator()(std::uint32_t message) {
    const std::uint32_t whole = of_whole ? of_whole[message] : message;
    if (is_fresh || is_long[whole] != 0) *last = ordered_ticks();
    is_fresh = false;
    completed[whole] = *last;
  }
};

class ExecutionRecord {
 public:
  struct Wait {
    Count round = 0;
    TickSpan time;
  };

  explicit ExecutionRecord(const Script& script)
      : posted_(script.messages.size()),
        completed_(script.messages.size()),
        copies_before_(script.windows.size() + script.tasks.size()),
        copies_after_(script.windows.size()),
        waits_(script.windows.size() + script.messages.size() + 1) {
    for (const ScriptMessage& message : script.messages) is_long_.push_back(message.bytes >= CompletionStamps::least_long ? 1 : 0);
  }

  // By message of the script. Under other policies than dataflow, messages are posted when the wait of their window begins. If a
  // send was complete when it was posted, `completed` is from an earlier execution, or 0.
  const std::vector<std::uint64_t>& posted() const { return posted_; }
  const std::vector<std::uint64_t>& completed() const { return completed_; }
  // By window: the times of the copies before and after its messages. Under dataflow, by task: copies_before only.
  const std::vector<TickSpan>& copies_before() const { return copies_before_; }
  const std::vector<TickSpan>& copies_after() const { return copies_after_; }
  const Wait* waits_begin() const { return waits_.data(); }
  const Wait* waits_end() const { return waits_.data() + wait_count_; }
  const TickSpan& whole() const { return whole_; }

 private:
  friend class Observer;

  std::vector<std::uint64_t> posted_, completed_;
  std::vector<std::uint8_t> is_long_;
  std::vector<TickSpan> copies_before_, copies_after_;
  std::vector<Wait> waits_;
  std::size_t wait_count_ = 0;
  TickSpan whole_;
};

// The events that a script's execution reports while it runs. ScriptExecutable (run.hpp) takes an observer as a template
// argument; NoObserver ignores all events and compiles to nothing.
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

  void enters_window() { last_ = ticks(); }  // called after a wait for the step (PlanOptions::keep_step)

  // The copies before or after the messages of a window have ended. If there are none, their interval is empty.
  void copied_before(std::size_t window, IndexRange copies) { copied(record_.copies_before_[window], copies); }
  void copied_after(std::size_t window, IndexRange copies) { copied(record_.copies_after_[window], copies); }

  // Posting the messages of a window begins the wait for them.
  void posted(Count round) { begins_to_wait(round); }
  void window_is_complete() {
    TickSpan& wait = record_.waits_[record_.wait_count_++].time;
    if (last_ == wait.begin) last_ = ticks();  // no message has been stamped
    wait.end = last_;
  }

  // Dataflow.
  void ran(std::uint32_t task) {
    record_.copies_before_[task] = {last_, ticks()};
    last_ = record_.copies_before_[task].end;
  }
  void posted_alone(std::uint32_t message) { record_.posted_[message] = last_; }
  void begins_to_wait(Count round) { record_.waits_[record_.wait_count_] = {round, {last_, 0}}; }
  void completed(std::uint32_t message) {
    record_.completed_[message] = last_ = ordered_ticks();
    record_.waits_[record_.wait_count_].round = script_.messages[message].round;
    record_.waits_[record_.wait_count_++].time.end = last_;
  }

  CompletionStamps completions() { return {record_.completed_.data(), &last_, record_.is_long_.data()}; }

 private:
  void copied(TickSpan& span, IndexRange copies) {
    if (copies.size() == 0) return;
    span = {last_, ticks()};
    last_ = span.end;
  }

  const Script& script_;
  ExecutionRecord& record_;
  std::uint64_t last_ = 0;  // the last time stamp
};

}  // namespace quadrille
