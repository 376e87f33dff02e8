// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/message_calls.hpp"

#include <algorithm>
#include <exception>

#include "foundation/system/ticks.hpp"
#include "mpi_face/counting.hpp"
#include "mpi_face/datatype.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/made_objects.hpp"
#include "mpi_face/recording/recorder.hpp"

namespace quadrille::mpi_face {

constinit Record* CountedMessage::current_ = nullptr;
constinit bool CountedMessage::sees_all_ = false;

RingEntry* CountedMessage::note(const MpiMessage& message) const noexcept try {
  RingEntry call{.begin_ticks = ticks(),
                 .site = reinterpret_cast<std::uint64_t>(called_from),
                 .communicator = RingEntry::no_communicator,
                 .function = static_cast<std::uint16_t>(function_),
                 .root = RingEntry::none,
                 .operation = RingEntry::none,
                 .element = RingEntry::none};
  if (message.communicator != MPI_COMM_NULL) {
    if (CommunicatorState* const state = CommunicatorState::of(message.communicator))
      call.communicator = Counting::get()->identity_of(*state);
    if (message.peer != MPI_PROC_NULL) call.root = message.peer == MPI_ANY_SOURCE ? RingEntry::any : message.peer;
    call.operation = message.tag == MPI_ANY_TAG ? RingEntry::any : message.tag;
    if (message.type != MPI_DATATYPE_NULL) call.bytes = message.count * facts_of(message.type).size;
  }
  return &record_->ring().begin_message(call);
} catch (const std::exception&) {
  return nullptr;  // no memory
}

void CountedMessage::waits_for(const OpenCollective& collective) const noexcept {
  if (!noted_) return;
  std::atomic_ref(noted_->communicator).store(collective.identity, std::memory_order_relaxed);
  std::atomic_ref(noted_->number).store(collective.number, std::memory_order_relaxed);
}

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

void RequestCall::begin(int count) noexcept {
  Recorder* const recorder = Recorder::get();
  if (recorder) is_recorded_ = recorder->enter();
  const bool are_any = recorder ? is_recorded_ && recorder->has_requests() : !OpenRequests::are_none() && Counting::get();
  if (!are_any || !requests_) [[likely]]
    return;
  began_ = ticks();
  try {
    find(count);
  } catch (const std::exception&) {
    // No memory: only the requests that were found before are counted or recorded.
  }
  if (recorder || found_.empty()) return;
  const OpenCollective& first = found_.front().collective.mapped();
  message_.waits_for(first);
  Counting::get()->record().enter(static_cast<int>(first.function), first.communicator, began_);
}

// Runs before the call, because the call may free handles, and MPI may give these to new requests. Takes counted requests out of
// their table. The time of this function counts for the collective, too, because it lengthens the wait of a program that calls
// MPI_Test in a loop.
void RequestCall::find(int count) {
  for (int i = 0; i < count; ++i) {
    const MPI_Request request = read_(requests_, i);
    if (request == MPI_REQUEST_NULL) continue;
    ++all_;
    found_.push_back({i, request, {}});
    Found& found = found_.back();
    if (!is_recorded_) found.collective = OpenRequests::get().take(request);
    if (found.collective) found.counters = found.collective.mapped().counters;
    if (!found.counters && !(is_recorded_ && Recorder::get()->request(request))) found_.pop_back();
  }
}

// A request that is not persistent is complete if the call has changed its handle.
bool RequestCall::is_complete(const Found& found, bool is_persistent) const {
  if (!is_persistent) return read_(requests_, found.place) != found.request;
  int is_inactive = 0;
  return PMPI_Request_get_status(found.request, &is_inactive, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_inactive != 0;
}

void RequestCall::end_counted() noexcept {
  Counting& counting = *Counting::get();
  counting.record().leave();
  for (Found& found : found_) {
    if (kind_ == Kind::starts) counting.count_start(found.collective.mapped());
    if (kind_ != Kind::frees && !is_complete(found, false))
      OpenRequests::get().put_back(std::move(found.collective));
    else
      OpenRequests::get().drop(std::move(found.collective));
  }
  const std::uint64_t share = (ticks() - began_) / all_;
  for (const Found& found : found_) add_to(found.counters->passed_ticks, share);
  if (found_.size() == all_) return message_.leave_out_call();
  message_.leave_out(share * found_.size());
}

void RequestCall::keep_handles(int count) noexcept try {
  if (!requests_ || count <= 0 || kind_ == Kind::starts) return;
  handles_.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) handles_.push_back(read_(requests_, i));
} catch (const std::exception&) {
  return;  // no memory
}

// A request that the call has completed or freed has another handle now: MPI_REQUEST_NULL.
void RequestCall::see_ended() const noexcept {
  for (std::size_t i = 0; i < handles_.size(); ++i)
    if (read_(requests_, static_cast<int>(i)) != handles_[i]) MadeObjects::remove(handles_[i]);
}

void RequestCall::end_recorded() noexcept {
  Recorder& recorder = *Recorder::get();
  const std::uint64_t took = ticks() - recorder.began();
  const std::uint64_t share = took / std::max<std::uint64_t>(all_, 1);
  std::uint64_t left = took;
  for (const Found& found : found_) {
    Recorder::OpenRequest& open = *recorder.request(found.request);
    left -= share;
    if (kind_ == Kind::frees) {
      recorder.forget_request(found.request);
    } else if (kind_ == Kind::starts) {
      open.is_active = true;
      recorder.write_start(open, share);
    } else if (open.is_active) {
      open.took += share;
      if (!is_complete(found, open.is_persistent)) continue;
      recorder.write_completion(open);
      if (!open.is_persistent) recorder.forget_request(found.request);
    }
  }
  if (!found_.empty() && found_.size() == all_)
    recorder.leave_requests(function_);
  else
    recorder.leave_message(function_, left);
}

}  // namespace quadrille::mpi_face
