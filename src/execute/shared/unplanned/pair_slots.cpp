// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/pair_slots.hpp"

#include "execute/shared/memory/shared_memory.hpp"
#include "foundation/assert.hpp"

namespace quadrille {
namespace {

// If there are few ranks, slots are larger than the least size: as large as possible so that the first slots of all pairs
// together take at most this many bytes. The slots should lie in few pages, because a rank that gets its core back has lost its
// TLB entries.
constexpr Bytes most_slots_bytes = 16384;

// Further pairs take slots in control memory of the sender.
constexpr Count most_pool_pairs_of_rank = 64;

}  // namespace

PairSlots::PairSlots(SharedSpace& space)
    : space_(space),
      first_bytes_(std::max(Slot::least_bytes, most_slots_bytes / (2 * space.size() * space.size()) / line * line)),
      pool_pairs_(space.size() * std::min(space.size() - 1, most_pool_pairs_of_rank)),
      outgoing_(space.size()),
      inlets_(space.size()) {}

Bytes PairSlots::control_bytes() const {
  const Count ranks = space_.size();
  return placed_bytes<Closing>(1) + placed_bytes<Pool>(1) + placed_bytes<Finished>(ranks) + placed_bytes<Flag>(ranks * ranks) +
         pool_pairs_ * 2 * first_bytes_;
}

Bytes PairSlots::memory_bytes() const {
  Bytes bytes = space_.rank() == 0 ? control_bytes() : 0;
  for (const Outgoing& outgoing : outgoing_)
    bytes += (outgoing.owns_first ? 2 * first_bytes_ : 0) + (outgoing.further.offset ? further_bytes : 0);
  return bytes;
}

void PairSlots::begin_at(Offset control) {
  control_ = control;
  std::byte* const memory = space_.at(control);
  std::byte* at = memory;
  closing_ = place<Closing>(at, 1);
  pool_ = place<Pool>(at, 1);
  finished_ = place<Finished>(at, space_.size());
  words_ = place<Flag>(at, space_.size() * space_.size());
  pool_slots_ = {control + static_cast<Offset>(at - memory), at};
  QUADRILLE_ASSERT(at - memory + pool_pairs_ * 2 * first_bytes_ == control_bytes());
  if (space_.rank() == 0) {
    new (closing_) Closing;
    new (pool_) Pool;
  }
  new (finished_ + space_.rank()) Finished;
  for (Rank from = 0; from < space_.size(); ++from) new (&word(from, space_.rank())) Flag;
}

void PairSlots::close(Offset own_area) {
  std::vector<Offset> own{own_area};
  for (const Outgoing& outgoing : outgoing_) {
    if (outgoing.further.offset) own.push_back(outgoing.further.offset);
    if (outgoing.owns_first) own.push_back(outgoing.first.offset);
  }
  close_areas(space_, *closing_, own, control_);
}

// ---- The sender's part

void PairSlots::clear(const Run& run, Bytes bytes, Bytes slot_bytes) {
  for (Bytes at = 0; at < bytes; at += slot_bytes) new (run.at(at)) Slot;
}

void PairSlots::take_first(Rank to) {
  Outgoing& outgoing = outgoing_[to];
  const Count pair = pool_->taken.fetch_add(1, std::memory_order_relaxed);
  if (pair < pool_pairs_) {
    const Bytes position = pair * 2 * first_bytes_;
    outgoing.first = {pool_slots_.offset + static_cast<Offset>(position), pool_slots_.memory + position};
  } else {
    outgoing.first = allocated(2 * first_bytes_);
    outgoing.owns_first = true;
  }
  clear(outgoing.first, 2 * first_bytes_, first_bytes_);
  outgoing.next = outgoing.first.at(0);
  word(space_.rank(), to).publish(outgoing.first.offset);
}

PairSlots::Run PairSlots::allocated(Bytes bytes) {
  try {
    const Offset offset = space_.allocate_control(bytes);
    return {offset, space_.at(offset)};
  } catch (const std::bad_alloc&) {  // the receiver would wait for ever
    space_.fail(Error(ErrorCode::too_large, "there is not enough shared memory for the messages of an exchange"));
  }
}

// Chooses a slot for a sender that is far ahead of its receiver. The slot must become free before the receiver has finished this
// exchange, because the receiver may need a message through this slot to finish the exchange.
Slot* PairSlots::further_after(const Slot* current, Outgoing& outgoing, std::uint64_t exchange) {
  if (!outgoing.further.offset) {
    outgoing.further = allocated(further_bytes);
    clear(outgoing.further, further_bytes, Slot::least_bytes);
  }
  while (true) {  // ends, because the slots of all messages of an exchange but the first are given back
    outgoing.cursor = (outgoing.cursor + 1) % most_ahead;
    Slot* const slot = outgoing.further.at(static_cast<Bytes>(outgoing.cursor) * Slot::least_bytes);
    if (slot != current && (exchange_in(*slot) < exchange || slot->is_given_back())) return slot;
  }
}

// A sender that has used all further slots waits until the receiver has freed half of them. Returns the exchange that the
// receiver must finish for that. If the sender went on as soon as one slot is free, the cache line of the word `finished` would
// move to the sender and back in each exchange. The sender must not wait for the end of its own exchange, which the receiver
// cannot finish without the sender's messages.
std::uint64_t PairSlots::end_of_lead(Rank to) const {
  const Outgoing& outgoing = outgoing_[to];
  const Slot& half = *outgoing.further.at(static_cast<Bytes>((outgoing.cursor + most_ahead / 2) % most_ahead) * Slot::least_bytes);
  const std::uint64_t next = exchange_in(*outgoing.next), later = exchange_in(half);
  return later < MessageNumber::exchange_of(outgoing.last) ? std::max(next, later) : next;
}

// ---- The receiver's part

bool PairSlots::find(Rank from) {
  Inlet& inlet = inlets_[from];
  const Offset offset = word(from, space_.rank()).published();
  if (offset == 0) return false;
  inlet.first = {offset, space_.at(offset)};
  inlet.next = inlet.first.at(0);
  return true;
}

}  // namespace quadrille
