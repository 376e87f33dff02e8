// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/recording/recorded_requests.hpp"

#include <algorithm>
#include <new>

#include "mpi_face/recording/recorder.hpp"

namespace quadrille::mpi_face {

RecordedRequests::RecordedRequests(RequestCallKind kind, MessageFunction function, const void* requests, int count,
                                   ReadRequest read) noexcept
    : kind_(kind), function_(function), requests_(requests), read_(read) {
  Recorder* const recorder = Recorder::get();
  if (!recorder) return;
  is_recorded_ = recorder->enter();
  if (!is_recorded_ || !recorder->has_requests() || !requests) return;
  try {
    find(count);
  } catch (const std::bad_alloc&) {  // those that were found are recorded
  }
}

// Before the call, because after it their handles may be those of other requests.
void RecordedRequests::find(int count) {
  for (int i = 0; i < count; ++i) {
    const MPI_Request request = read_(requests_, i);
    if (request == MPI_REQUEST_NULL) continue;
    ++all_;
    if (Recorder::get()->request(request)) found_.push_back({i, request});
  }
}

bool RecordedRequests::is_complete(int place, MPI_Request request, bool is_persistent) const {
  if (!is_persistent) return read_(requests_, place) != request;
  int is_inactive = 0;
  return PMPI_Request_get_status(request, &is_inactive, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_inactive != 0;
}

RecordedRequests::~RecordedRequests() {
  if (!is_recorded_) return;
  Recorder& recorder = *Recorder::get();
  const std::uint64_t took = ticks() - recorder.began();
  const std::uint64_t share = took / static_cast<std::uint64_t>(std::max(all_, 1));
  std::uint64_t left = took;
  for (const auto& [place, request] : found_) {
    Recorder::OpenRequest& open = *recorder.request(request);
    left -= share;
    if (kind_ == RequestCallKind::frees) {
      recorder.forget_request(request);
    } else if (kind_ == RequestCallKind::starts) {
      open.is_active = true;
      recorder.write_start(open, share);
    } else if (open.is_active) {
      open.took += share;
      if (!is_complete(place, request, open.is_persistent)) continue;
      recorder.write_completion(open);
      if (!open.is_persistent) recorder.forget_request(request);
    }
  }
  if (!found_.empty() && static_cast<int>(found_.size()) == all_)
    recorder.leave_requests(function_);
  else
    recorder.leave_message(function_, left);
}

}  // namespace quadrille::mpi_face
