// SPDX-License-Identifier: BSD-3-Clause
// Calls that complete, start or free requests: MPI_Wait, MPI_Testall, MPI_Start and so on. Their time belongs to the collectives
// whose requests they are given, in equal parts to all requests; the rest is that of point-to-point calls.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi_face/counted_message.hpp"
#include "mpi_face/recording/recorded_requests.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "mpi_face/symbols/function.hpp"

namespace quadrille::mpi_face {

// A collective whose request exists, and where its calls are counted.
struct OpenCollective {
  Function function;
  int communicator;  // its number in the record
  Counters* counters;
  PassedCalls* reason;
  Bytes bytes = 0;  // of a call, as in Counters
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

// Counts a call from the construction of this object to its destruction.
class RequestCall {
 public:
  using Kind = RequestCallKind;

  RequestCall(Kind kind, MessageFunction function, const void* requests, int count, ReadRequest read) noexcept
      : kind_(kind), requests_(requests), read_(read), message_(function), recorded_(kind, function, requests, count, read) {
    if (!OpenRequests::are_none()) [[unlikely]]
      begin(count);
  }
  ~RequestCall() {
    if (!found_.empty()) [[unlikely]]
      end();
  }
  RequestCall(const RequestCall&) = delete;
  RequestCall& operator=(const RequestCall&) = delete;

 private:
  struct Found {
    int place;
    MPI_Request request;
    Counters* counters;
    OpenRequests::Taken collective;
  };
  void begin(int count) noexcept;
  void end() noexcept;

  const Kind kind_;
  const void* const requests_;
  const ReadRequest read_;
  std::uint64_t began_ = 0;
  CountedMessage message_;
  std::uint64_t requests_of_call_ = 0;  // those that are not null
  std::vector<Found> found_;            // those of counted collectives
  const RecordedRequests recorded_;
};

}  // namespace quadrille::mpi_face
