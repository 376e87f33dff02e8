// SPDX-License-Identifier: BSD-3-Clause
// Counts a call of a point-to-point or one-sided function, or of one that completes requests, from the construction of this object
// to its destruction, if a report is asked for. That costs two readings of the tick counter and a few stores. Calls inside another
// call that is counted, and those of a second thread meanwhile, are left out: their time is already in the other call's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mpi_face/recording/message_function.hpp"
#include "mpi_face/report/record.hpp"
#include "mpi_face/symbols/function.hpp"
#include "mpi_face/ticks.hpp"

namespace quadrille::mpi_face {

// The number of the function in a Record: those of the collectives come first.
constexpr int number_in_record(MessageFunction function) { return static_cast<int>(Function::count) + static_cast<int>(function); }

class CountedMessage {
 public:
  explicit CountedMessage(MessageFunction function) noexcept : record_(current_), function_(number_in_record(function)) {
    if (!record_) return;
    if (record_->is_inside()) {
      leave_out_call();
      return;
    }
    began_ = ticks();
    record_->enter(function_, -1, began_);
  }
  ~CountedMessage() {
    if (!record_) return;
    const std::uint64_t took = ticks() - began_;
    record_->leave();
    Counters& counters = record_->others(function_);
    add_to(counters.passed_calls, 1);
    add_to(counters.passed_ticks, took - std::min(took, left_out_));
  }
  CountedMessage(const CountedMessage&) = delete;
  CountedMessage& operator=(const CountedMessage&) = delete;

  // So much of the call's time, or all of it, is counted elsewhere.
  void leave_out(std::uint64_t ticks) noexcept { left_out_ = ticks; }
  void leave_out_call() noexcept { record_ = nullptr; }

  // All calls from now on are counted in this record.
  static void count_in(Record& record) noexcept { current_ = &record; }

  // The library that wraps point-to-point and one-sided functions calls this when it is loaded.
  static bool see_all() noexcept { return sees_all_ = true; }
  static bool sees_all() noexcept { return sees_all_; }

 private:
  static Record* current_;
  static bool sees_all_;

  Record* record_;
  const int function_;
  std::uint64_t began_ = 0, left_out_ = 0;
};

}  // namespace quadrille::mpi_face
