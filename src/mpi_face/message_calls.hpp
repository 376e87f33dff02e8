// SPDX-License-Identifier: BSD-3-Clause
// Counts point-to-point and one-sided calls, and counts or records calls that complete, start or free requests: MPI_Wait,
// MPI_Testall, MPI_Start and so on. The time of a call on requests is divided equally among its requests. The shares of
// collectives' requests count for these collectives, and the rest counts as point-to-point. An object of CountedMessage or
// RequestCall stands for one call, from its construction to its destruction.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/system/ticks.hpp"
#include "mpi_face/made_objects.hpp"
#include "mpi_face/report/record.hpp"
#include "mpi_face/symbols/function.hpp"

namespace quadrille::mpi_face {

// Counts a call, if a report is asked for. That costs two readings of the tick counter and a few stores. Calls inside a counted
// call, and calls of another thread during it, are left out: the counted call's time contains theirs.
//
struct OpenCollective;

// A message, as the arguments of its function state it.
struct MpiMessage {
  Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int peer = MPI_PROC_NULL, tag = MPI_ANY_TAG;
  MPI_Comm communicator = MPI_COMM_NULL;
};

// Can the function wait for other ranks, or start a message? Such calls are shown to a watcher.
constexpr bool is_watched(MessageFunction function) {
  using enum MessageFunction;
  switch (function) {
    case Test:
    case Testall:
    case Testany:
    case Testsome:
    case Request_get_status:
    case Request_free:
    case Start:
    case Startall:
    case Iprobe:
    case Improbe:
    case Put:
    case Get:
    case Accumulate:
    case Get_accumulate:
    case Fetch_and_op:
    case Compare_and_swap:
    case Rput:
    case Rget:
    case Raccumulate:
    case Rget_accumulate:
    case Win_post:
    case Win_test: return false;
    default: return true;
  }
}

class CountedMessage {
 public:
  explicit CountedMessage(MessageFunction function) noexcept : CountedMessage(function, [] { return MpiMessage(); }) {}

  // `message`: returns the MpiMessage.
  CountedMessage(MessageFunction function, const auto& message) noexcept
      : record_(current_), function_(static_cast<int>(Function::count) + static_cast<int>(function)) {
    if (!record_) return;
    if (record_->ring() && is_watched(function)) noted_ = note(message());
    if (record_->is_inside()) {
      leave_out_call();
      return;
    }
    began_ = ticks();
    record_->enter(function_, -1, began_);
  }
  ~CountedMessage() {
    if (noted_) current_->ring().leave(*noted_, ticks());
    if (!record_) return;
    const std::uint64_t took = ticks() - began_;
    record_->leave();
    Counters& counters = record_->others(function_);
    add_to(counters.passed_calls, 1);
    add_to(counters.passed_ticks, took - std::min(took, left_out_));
  }
  CountedMessage(const CountedMessage&) = delete;
  CountedMessage& operator=(const CountedMessage&) = delete;

  // These ticks of the call, or the whole call, are counted elsewhere.
  void leave_out(std::uint64_t ticks) noexcept { left_out_ = ticks; }
  void leave_out_call() noexcept { record_ = nullptr; }

  // The call waits for this collective.
  void waits_for(const OpenCollective& collective) const noexcept;

  // Later calls are counted in this record.
  static void count_in(Record& record) noexcept { current_ = &record; }

  // The library that wraps point-to-point and one-sided functions calls this when it is loaded.
  static bool see_all() noexcept { return sees_all_ = true; }
  static bool sees_all() noexcept { return sees_all_; }

 private:
  RingEntry* note(const MpiMessage& message) const noexcept;

  static Record* current_;
  static bool sees_all_;

  Record* record_;
  const int function_;  // its number in the record: those of the collectives come first
  std::uint64_t began_ = 0, left_out_ = 0;
  RingEntry* noted_ = nullptr;
};

// A collective whose request exists, and where its calls are counted.
struct OpenCollective {
  Function function;
  int communicator;  // its number in the record
  Counters* counters;
  PassedCalls* reason;
  std::uint32_t identity = RingEntry::no_communicator;  // RingEntry::communicator
  std::uint64_t number = 0;                             // of the call on it, if the rank is watched
  Bytes bytes = 0;                                      // of a call, as in Counters
  bool is_root = false;
  std::vector<std::uint64_t> traffic;  // persistent irregular ones: bytes of a call to each rank of the world
};

// The requests of counted collectives. Functions may be called by several threads at the same time.
class OpenRequests {
 public:
  static OpenRequests& get();

  static bool are_none() { return size_.load(std::memory_order_relaxed) == 0; }
  void add(MPI_Request request, OpenCollective collective);

  // Takes the request out of the table; the result is empty if it is not there. It counts as open until it is put back or dropped.
  using Taken = std::unordered_map<std::uint64_t, OpenCollective>::node_type;
  Taken take(MPI_Request request);
  void put_back(Taken taken);
  void drop(Taken taken);

 private:
  static constinit std::atomic<std::size_t> size_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, OpenCollective> open_;
};

// A call on requests. If the program is recorded, a collective's completion is recorded in the call that completes its request,
// with the time of all calls that tested or waited for it. Otherwise the call is counted, if a report is asked for.
class RequestCall {
 public:
  enum class Kind { completes, starts, frees };
  using ReadRequest = MPI_Request (*)(const void* requests, int i);

  RequestCall(Kind kind, MessageFunction function, const void* requests, int count, ReadRequest read) noexcept
      : kind_(kind), function_(function), requests_(requests), read_(read), message_(function) {
    if (MadeObjects::are_counted()) keep_handles(count);
    begin(count);
  }
  ~RequestCall() {
    if (!handles_.empty()) see_ended();
    if (is_recorded_ || !found_.empty()) [[unlikely]]
      is_recorded_ ? end_recorded() : end_counted();
  }
  RequestCall(const RequestCall&) = delete;
  RequestCall& operator=(const RequestCall&) = delete;

 private:
  struct Found {
    int place;
    MPI_Request request;
    OpenRequests::Taken collective;  // if it is counted
    Counters* counters = nullptr;    // of this collective
  };
  void begin(int count) noexcept;
  void find(int count);
  void end_counted() noexcept;
  void keep_handles(int count) noexcept;
  void see_ended() const noexcept;
  void end_recorded() noexcept;
  bool is_complete(const Found& found, bool is_persistent) const;

  const Kind kind_;
  const MessageFunction function_;
  const void* const requests_;
  const ReadRequest read_;
  bool is_recorded_ = false;
  std::uint64_t began_ = 0;
  std::uint64_t all_ = 0;             // requests of the call that are not null
  std::vector<Found> found_;          // those of collectives that are counted or recorded
  std::vector<MPI_Request> handles_;  // as they were before the call; empty unless the rank is watched
  CountedMessage message_;
};

}  // namespace quadrille::mpi_face
