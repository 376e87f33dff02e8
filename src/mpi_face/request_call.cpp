// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/request_call.hpp"

#include "mpi_face/counting.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/ticks.hpp"

namespace quadrille::mpi_face {

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
