// SPDX-License-Identifier: BSD-3-Clause
// Records calls that complete, start or free requests. Their time belongs to the collectives whose requests they are given, in
// equal parts to all requests; the rest is point-to-point time. A collective's completion is recorded in the call after which it is
// complete, with the time of all calls that tested or waited for it.
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

#include "mpi_face/recording/message_function.hpp"

namespace quadrille::mpi_face {

enum class RequestCallKind { completes, starts, frees };
using ReadRequest = MPI_Request (*)(const void* requests, int i);

// Lasts from the construction of this object to its destruction. Does nothing unless the program is recorded.
class RecordedRequests {
 public:
  RecordedRequests(RequestCallKind kind, MessageFunction function, const void* requests, int count, ReadRequest read) noexcept;
  ~RecordedRequests();
  RecordedRequests(const RecordedRequests&) = delete;
  RecordedRequests& operator=(const RecordedRequests&) = delete;

 private:
  void find(int count);
  bool is_complete(int place, MPI_Request request, bool is_persistent) const;

  const RequestCallKind kind_;
  const MessageFunction function_;
  const void* const requests_;
  const ReadRequest read_;
  bool is_recorded_ = false;
  int all_ = 0;                                     // requests of the call that are not null
  std::vector<std::pair<int, MPI_Request>> found_;  // those of collectives, with their places
};

}  // namespace quadrille::mpi_face
