// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/message_calls.hpp"

#include <algorithm>
#include <new>

#include "foundation/system/ticks.hpp"
#include "mpi_face/counting.hpp"
#include "mpi_face/handle_map.hpp"
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

constinit Record* CountedMessage::current_ = nullptr;
constinit bool CountedMessage::sees_all_ = false;

constinit std::atomic<std::size_t> OpenRequests::size_{0};

OpenRequests& OpenRequests::get() {
  static auto* const requests = new OpenRequests;  // never destroyed, because MPI may be called late
  return *requests;
}

void OpenRequests::add(MPI_Request request, OpenCollective collective) {
  const std::lock_guard lock(mutex_);
  // An older request with this handle was completed by a call that was not seen.
  if (open_.insert_or_assign(bits_of(request), std::move(collective)).second) size_.fetch_add(1, std::memory_order_relaxed);
}

OpenRequests::Taken OpenRequests::take(MPI_Request request) {
  const std::lock_guard lock(mutex_);
  return open_.extract(bits_of(request));
}

void OpenRequests::put_back(Taken taken) {
  const std::lock_guard lock(mutex_);
  if (!open_.insert(std::move(taken)).inserted) size_.fetch_sub(1, std::memory_order_relaxed);
}

void OpenRequests::drop(Taken) { size_.fetch_sub(1, std::memory_order_relaxed); }

// Requests are taken out of the table before the call, because after it their handles may be those of other requests. What this
// costs counts for the collective, too: a program that calls MPI_Test until a request is complete waits that long.
void RequestCall::begin(int count) noexcept {
  Counting* const counting = Counting::get();
  if (!counting || !requests_) return;
  began_ = ticks();
  try {
    for (int i = 0; i < count; ++i) {
      const MPI_Request request = read_(requests_, i);
      if (request == MPI_REQUEST_NULL) continue;
      ++requests_of_call_;
      found_.push_back({i, request, nullptr, {}});
      Found& found = found_.back();
      found.collective = OpenRequests::get().take(request);
      if (found.collective)
        found.counters = found.collective.mapped().counters;
      else
        found_.pop_back();
    }
  } catch (const std::exception&) {
    // No memory to count with: the requests that were found are counted.
  }
  if (found_.empty()) return;
  const OpenCollective& first = found_.front().collective.mapped();
  counting->record().enter(static_cast<int>(first.function), first.communicator, began_);
}

// A request is complete if the call has changed its handle.
void RequestCall::end() noexcept {
  Counting& counting = *Counting::get();
  counting.record().leave();
  for (Found& found : found_) {
    if (kind_ == Kind::starts) counting.count_start(found.collective.mapped());
    if (kind_ != Kind::frees && read_(requests_, found.place) == found.request)
      OpenRequests::get().put_back(std::move(found.collective));
    else
      OpenRequests::get().drop(std::move(found.collective));
  }
  const std::uint64_t share = (ticks() - began_) / requests_of_call_;
  for (const Found& found : found_) add_to(found.counters->passed_ticks, share);
  if (found_.size() == requests_of_call_) return message_.leave_out_call();
  message_.leave_out(share * found_.size());
}

}  // namespace quadrille::mpi_face
