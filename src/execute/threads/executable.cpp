// SPDX-License-Identifier: BSD-3-Clause
#include "execute/threads/executable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille {

ThreadExecutable::ThreadExecutable(ThreadGroup& group, std::shared_ptr<const Script> script)
    : group_(group),
      script_(std::move(script)),
      scratch_(static_cast<std::size_t>(script_->scratch_bytes)),
      staging_(static_cast<std::size_t>(script_->staging_bytes)),
      ends_(script_->messages.size()),
      open_(script_->messages.size()),
      dataflow_(*script_) {
  bases_[static_cast<std::size_t>(Buffer::scratch)] = scratch_.data();
  bases_[static_cast<std::size_t>(Buffer::staging)] = staging_.data();
  const auto slots = std::make_shared<std::vector<Slot>>(script_->messages.size());
  Offer offer{script_.get(), &bases_, slots, {}};
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const ScriptMessage& message = script_->messages[i];
    offer.messages[{message.peer, message.is_send, message.ordinal}] = i;
  }
  group_.offers[static_cast<std::size_t>(script_->rank)] = std::move(offer);
  kept_.push_back(slots);
  group_.barrier();
  for (std::size_t i = 0; i < ends_.size(); ++i) connect(i);
  group_.barrier();
  // The bases of all senders are known before anybody executes.
}

void ThreadExecutable::connect(std::size_t message) {
  const ScriptMessage& mine = script_->messages[message];
  const Offer& offer = group_.offers[static_cast<std::size_t>(mine.peer)];
  const auto found = offer.messages.find({script_->rank, !mine.is_send, mine.ordinal});
  if (found == offer.messages.end() || offer.script->messages[found->second].bytes != mine.bytes)
    throw Error(ErrorCode::misuse,
                fmt::format("rank {} and rank {} disagree about their messages; verify the schedule", script_->rank, mine.peer));
  if (mine.is_send) {
    ends_[message].slot = &(*offer.slots)[found->second];
    if (std::find(kept_.begin(), kept_.end(), offer.slots) == kept_.end()) kept_.push_back(offer.slots);
    return;
  }
  Slot& slot = (*kept_.front())[message];
  slot.source = offer.bases;
  ends_[message].slot = &slot;
  ends_[message].copies.first = static_cast<std::uint32_t>(copies_.size());
  append_copies(copies_, offer.script->messages[found->second].regions, mine.regions);
  ends_[message].copies.last = static_cast<std::uint32_t>(copies_.size());
}

void ThreadExecutable::execute(const std::byte* input, std::byte* output) {
  NoWatch watch;
  run(input, output, watch);
}

Phases ThreadExecutable::execute_timed(const std::byte* input, std::byte* output) {
  Watch watch;
  run(input, output, watch);
  return watch.phases();
}

template <class AnyWatch>
void ThreadExecutable::run(const std::byte* input, std::byte* output, AnyWatch& watch) {
  bases_[static_cast<std::size_t>(Buffer::input)] = const_cast<std::byte*>(input);  // only ever read
  bases_[static_cast<std::size_t>(Buffer::output)] = output;
  ++execution_;
  open_count_ = 0;
  try {
    run_script(*script_, bases_, dataflow_, *this, watch);
  } catch (...) {
    withdraw();
    throw;
  }
}

void ThreadExecutable::withdraw() {
  for (std::size_t i = 0; i < open_count_; ++i) {
    if (!script_->messages[open_[i]].is_send) continue;
    Slot& slot = *ends_[open_[i]].slot;
    std::uint64_t expected = execution_;
    if (slot.posted.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) continue;
    while (slot.taken.load(std::memory_order_acquire) != execution_) sched_yield();  // the copy under way ends by itself
  }
}

void ThreadExecutable::post(std::uint32_t message) {
  if (script_->messages[message].is_send) ends_[message].slot->posted.store(execution_, std::memory_order_release);
  open_[open_count_++] = message;
}

bool ThreadExecutable::try_to_complete(std::uint32_t message) {
  Slot& slot = *ends_[message].slot;
  if (script_->messages[message].is_send) return slot.taken.load(std::memory_order_acquire) == execution_;
  std::uint64_t expected = execution_;
  if (slot.posted.load(std::memory_order_relaxed) != execution_ ||
      !slot.posted.compare_exchange_strong(expected, execution_ | Slot::claimed, std::memory_order_acquire))
    return false;
  const Range copies = ends_[message].copies;
  for (std::uint32_t i = copies.first; i < copies.last; ++i) run_copy(copies_[i], *slot.source, bases_);
  slot.taken.store(execution_, std::memory_order_release);
  return true;
}

std::uint32_t ThreadExecutable::wait_any() {
  std::uint32_t completed = 0;
  group_.wait_until([&] {
    for (std::size_t i = 0; i < open_count_; ++i)
      if (try_to_complete(open_[i])) {
        completed = open_[i];
        open_[i] = open_[--open_count_];
        return true;
      }
    return false;
  });
  return completed;
}

void ThreadExecutable::wait(Range) {
  while (open_count_ > 0) wait_any();
}

}  // namespace quadrille
