// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/executable.hpp"

#include <algorithm>
#include <climits>
#include <functional>
#include <utility>

#include "foundation/assert.hpp"

namespace quadrille {

MpiMessages::MpiMessages(Lease lease, Waiter waiter, std::shared_ptr<const Script> script)
    : lease_(std::move(lease)),
      waiter_(waiter),
      script_(std::move(script)),
      scratch_(static_cast<std::size_t>(script_->scratch_bytes)),
      staging_(static_cast<std::size_t>(script_->staging_bytes)) {
  bases_[Buffer::scratch] = scratch_.data();
  bases_[Buffer::staging] = staging_.data();
  QUADRILLE_ASSERT(script_->longest_message > 0 && script_->longest_message <= INT_MAX);
  for (const ScriptMessage& message : script_->messages) {
    const auto first = static_cast<std::uint32_t>(parts_.size());
    QUADRILLE_ASSERT(is_contiguous(message.regions));  // make_script stages other messages
    QUADRILLE_ASSERT(message.peer >= 0 && message.peer < script_->ranks && script_->ranks <= INT_MAX);
    const Region region = message.regions.empty() ? Region{} : message.regions.front();
    Bytes done = 0;
    do {  // at least one part: a control message of 0 bytes must arrive, too
      parts_.push_back({region.buffer, message.is_send, static_cast<int>(message.peer),
                        static_cast<int>(std::min(message.bytes - done, script_->longest_message)), region.offset + done});
      done += script_->longest_message;
    } while (done < message.bytes);
    QUADRILLE_ASSERT(parts_.back().offset + parts_.back().bytes == region.offset + message.bytes);
    parts_of_.push_back({first, static_cast<std::uint32_t>(parts_.size())});
  }
  if (script_->capacity > 0)
    for (const Part& part : parts_)
      of_byte_.emplace_back(of_byte(part.offset, script_->capacity), of_byte(part.bytes, script_->capacity));
  requests_.assign(parts_.size(), MPI_REQUEST_NULL);
  message_of_.resize(parts_.size());
  parts_missing_.resize(parts_of_.size());
  completed_.resize(parts_.size());
  finished_.resize(parts_of_.size());
}

// Cancels open requests, so that MPI does not write into freed memory, and so that no message of the next execution matches them.
// Does nothing in a forked child, which does not own the requests.
void MpiMessages::withdraw() {
  for (; open_ > 0; --open_) {
    MPI_Request& request = requests_[static_cast<std::size_t>(open_ - 1)];
    if (EndOfMpi::is_over() || mark_.is_in_child() || request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  finished_count_ = 0;
}

void MpiMessages::scale(Bytes block_bytes) {
  script_.scale(block_bytes);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].offset = of_byte_[i].first * block_bytes;
    parts_[i].bytes = static_cast<int>(of_byte_[i].second * block_bytes);
  }
}

const Bases& MpiMessages::begin(const std::byte* input, std::byte* output) {
  bases_[Buffer::input] = const_cast<std::byte*>(input);  // never written
  bases_[Buffer::output] = output;
  return bases_;
}

void MpiMessages::post(std::uint32_t message) {
  check_not_finalised();
  const IndexRange range = parts_of_[message];
  parts_missing_[message] = range.size();
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    QUADRILLE_HOT_ASSERT(static_cast<std::size_t>(open_) < requests_.size());
    const Part& part = parts_[i];
    std::byte* where = bases_[part.buffer] + part.offset;
    MPI_Request* request = &requests_[static_cast<std::size_t>(open_)];
    message_of_[static_cast<std::size_t>(open_)] = message;
    if (part.is_send)
      check_mpi(MPI_Isend(where, part.bytes, MPI_BYTE, part.peer, lease_.tag, lease_.communicator, request), "MPI_Isend");
    else
      check_mpi(MPI_Irecv(where, part.bytes, MPI_BYTE, part.peer, lease_.tag, lease_.communicator, request), "MPI_Irecv");
    ++open_;
  }
}

void MpiMessages::wait() {
  if (open_ == 0) return;
  check_not_finalised();
  waiter_.wait_all(open_, requests_.data());
  open_ = 0;
}

bool MpiMessages::advance() {
  if (open_ == 0) return true;
  check_not_finalised();
  int done = 0;
  check_mpi(MPI_Testall(open_, requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  if (done) open_ = 0;
  return done != 0;
}

// Removes the requests at the first `count` positions of completed_ from the open ones, and notes the messages that are complete.
void MpiMessages::finish(int count) {
  QUADRILLE_ASSERT(count >= 0 && count <= open_);  // MPI_UNDEFINED, which is negative, would mean that no request is open
  // The last open request fills each gap. That request is not complete, because the positions go from the highest down.
  std::sort(completed_.begin(), completed_.begin() + count, std::greater<>());
  for (int i = 0; i < count; ++i) {
    const auto gap = static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]);
    QUADRILLE_HOT_ASSERT(gap < static_cast<std::size_t>(open_));
    const std::uint32_t message = message_of_[gap];
    QUADRILLE_HOT_ASSERT(parts_missing_[message] > 0);
    const auto last = static_cast<std::size_t>(--open_);
    requests_[gap] = requests_[last];
    message_of_[gap] = message_of_[last];
    requests_[last] = MPI_REQUEST_NULL;
    if (--parts_missing_[message] == 0) finished_[finished_count_++] = message;
  }
}

std::uint32_t MpiMessages::wait_any() {
  check_not_finalised();
  while (finished_count_ == 0) finish(waiter_.wait_some(open_, requests_.data(), completed_.data()));
  return finished_[--finished_count_];
}

std::optional<std::uint32_t> MpiMessages::advance_any() {
  if (finished_count_ == 0 && open_ > 0) {
    check_not_finalised();
    int count = 0;
    check_mpi(MPI_Testsome(open_, requests_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE), "MPI_Testsome");
    finish(count);
  }
  if (finished_count_ == 0) return std::nullopt;
  return finished_[--finished_count_];
}

bool MpiMessages::advance(CompletionStamps completions) {
  while (const auto message = advance_any()) completions(*message);
  return !has_open();
}

void MpiMessages::wait(const CompletionStamps& completions) {
  while (has_open()) {
    CompletionStamps stamps = completions;
    stamps(wait_any());
  }
}

template class ScriptExecutable<MpiMessages>;
template class ScriptExecutable<MpiMessages, Observer>;

}  // namespace quadrille
