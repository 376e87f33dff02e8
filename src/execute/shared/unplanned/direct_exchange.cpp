// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/direct_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "execute/agreement.hpp"
#include "execute/executors.hpp"
#include "execute/script/copies.hpp"
#include "execute/shared/wait/sharing_transport.hpp"
#include "foundation/assert.hpp"
#include "foundation/rounding.hpp"

namespace quadrille {
namespace {

constexpr Bytes line = 64;

// Longer blocks are copied once if possible. The time of copying twice depends on the distance between the cores of sender and
// receiver, which changes in a virtual machine: 2.6 to 9 us for 16 KiB between two ranks. Copying once takes 3.4 to 5 us, so it
// never loses much.
constexpr Bytes most_twice = 16383;

// Upper limit of an area: a share of the L2 cache. An area is larger only among so many ranks that it would have less than
// `least_once` bytes for each.
constexpr Bytes most_area_bytes = 262144;

// Limit for all slots together. Among few ranks, slots are larger than their least size, up to this limit. The limit keeps the
// slots in few pages, because a rank that gets its core back has lost its TLB entries.
constexpr Bytes most_slots_bytes = 16384;

// Returns the first position >= `position` that is aligned for a block of so many bytes.
constexpr Bytes aligned(Bytes position, Bytes bytes) { return rounded_up(position, bytes < line ? 8 : line); }

std::size_t width(Bytes bytes) { return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes))); }

SharingTransport& sharing(Communicator& ranks) {
  const auto shared = transport_for(ranks.transport(), Executor::shared);
  if (!shared) throw Error(ErrorCode::misuse, "ranks exchange directly only in memory that all of them share: " + shared.error());
  return static_cast<SharingTransport&>(**shared);
}

}  // namespace

DirectExchange::DirectExchange(Communicator& ranks) {
  SharingTransport& node = sharing(ranks);
  starts_ = ranks.transport().starts(Executor::shared);
  space_ = node.space();
  number_ = starts_->enlist("direct exchange");
  costs_ = node.costs();
  longest_twice_ = std::min(costs_.longest_twice(), most_twice);
  find_savings(costs_);
  reads_private_ = space_->reads_private_memory();
  me_ = space_->rank();
  ranks_ = space_->size();
  for (Rank step = 1; step < ranks_; ++step) order_.push_back((me_ + step) % ranks_);
  area_bytes_ = aligned(std::max(ranks_ * least_once, std::min((ranks_ - 1) * longest_twice_, most_area_bytes)), line);
  slot_bytes_ = std::max(static_cast<Bytes>(sizeof(Slot)), most_slots_bytes / (2 * ranks_ * ranks_) / line * line);
  Claim control(*space_), area(*space_);
  try {
    if (ranks_ > 1) allocate(control, area);
  } catch (...) {
    starts_->strike(number_);
    if (space_->has_failed()) {  // a rank that has not noticed the failure may still write there
      control.keep();
      area.keep();
    }
    throw;
  }
  control_ = control.keep();
  own_area_ = area.keep();
}

void DirectExchange::allocate(Claim& control, Claim& area) {
  const Bytes slots = 2 * ranks_ * ranks_ * slot_bytes_;
  const auto all = gathered_or_thrown(*space_, [&] {
    candidates_.reserve(order_.size());
    lent_.reserve(order_.size());
    open_.resize(order_.size());
    once_in_.resize(index(ranks_));
    if (me_ == 0) control.allocate_control(slots + static_cast<Bytes>(sizeof(Closing)));
    return Places{control.place(), area.allocate(2 * area_bytes_)};
  });
  // Each rank initialises the slots from which it will read. The gather is also a barrier: no rank fills a
  // slot before it is initialised.
  gathered_or_thrown(*space_, [&] {
    std::byte* const memory = space_->at(all[0].control);
    slots_ = memory;
    for (const std::uint64_t call : {0u, 1u})
      for (Rank from = 0; from < ranks_; ++from) new (&slot(from, me_, call)) Slot;
    closing_ = me_ == 0 ? new (memory + slots) Closing : reinterpret_cast<Closing*>(memory + slots);
    QUADRILLE_ASSERT(quadrille::size(all) == ranks_ && all[me_].area == area.place());
    for (const Places& each : all) areas_.push_back(space_->at(each.area));
    return '\0';
  });
}

DirectExchange::~DirectExchange() {
  if (starts_) starts_->strike(number_);
  if (!closing_ || !space_->is_usable()) return;
  closing_->closed.fetch_add(1, std::memory_order_acq_rel);
  space_->retire(own_area_, [closing = closing_, ranks = ranks_] {
    if (closing->closed.load(std::memory_order_acquire) < ranks) return false;
    closing->through.fetch_add(1, std::memory_order_release);
    return true;
  });
  if (me_ == 0)
    space_->retire(control_,
                   [closing = closing_, ranks = ranks_] { return closing->through.load(std::memory_order_acquire) == ranks; });
}

// Fills a table of savings, because computing a cost takes a logarithm, which is too slow for each call. A block in shared memory
// is loaded directly: this saves the copy in, and the copy out takes the same time as from the area.
void DirectExchange::find_savings(const CopyCosts& costs) {
  for (std::size_t bits = width(least_once); bits < 63; ++bits) {
    const Bytes bytes = Bytes{1} << (bits - 1);
    savings_[0][bits] = costs.saved(bytes, true);
    savings_[1][bits] = costs.saved(bytes, true) - costs.saved(bytes, false);
  }
}

DirectExchange::Slot& DirectExchange::slot(Rank from, Rank to, std::uint64_t call) const {
  return *reinterpret_cast<Slot*>(slots_ + ((static_cast<Rank>(call & 1) * ranks_ + to) * ranks_ + from) * slot_bytes_);
}

void DirectExchange::exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) {
  QUADRILLE_ASSERT(sends.size() == index(ranks_) && receives.size() == index(ranks_));
  starts_->begin(number_);
  if (is_broken_) space_->throw_lost();
  sends_ = sends;
  receives_ = receives;
  difference_.reset();
  if (ranks_ == 1) {
    copy_own();
  } else {
    ++call_;
    try {
      publish();
      copy_own();
      space_->wait_until([&] { return advance(); }, [&] { return awaited(); });
    } catch (...) {
      is_broken_ = true;
      withdraw();
      throw;
    }
  }
  if (difference_) [[unlikely]]
    throw_difference();
}

void DirectExchange::copy_own() {
  const Outgoing& from = sends_[index(me_)];
  const Incoming& to = receives_[index(me_)];
  if (from.bytes != to.bytes) note_difference(me_, from.bytes);
  if (from.bytes <= to.bytes && from.memory != to.memory) copy_bytes(to.memory, from.memory, index(from.bytes));
}

void DirectExchange::note_difference(Rank from, Bytes bytes) {
  if (!difference_) difference_ = {from, bytes};
}

void DirectExchange::throw_difference() const {
  throw Error(ErrorCode::misuse, fmt::format("rank {} sends {} bytes to rank {}, which expects {}; let both name the same number",
                                             space_->shown(difference_->from), difference_->bytes, space_->shown(me_),
                                             receives_[index(difference_->from)].bytes));
}

// ---- The sender's part

void DirectExchange::publish() {
  used_ = 0;
  lent_.clear();
  Bytes most = 0;
  for (const Rank to : order_) most = std::max(most, sends_[index(to)].bytes);
  if (may_save(most)) send_all_once();  // first, so that receivers read them while this rank copies the others
  Count left = ranks_ - 1;
  for (const Rank to : order_) {
    --left;
    if (once_in_[to] == call_) continue;
    if (sends_[index(to)].bytes <= room_in_slot())
      send_in_slot(to);
    else
      send_elsewhere(to, left);
  }
  space_->ring_all();
  std::copy(order_.begin(), order_.end(), open_.begin());
  open_count_ = order_.size();
}

// Could copying once save time, if the longest block has `most` bytes? This test is cheap, and most calls stop here.
bool DirectExchange::may_save(Bytes most) const {
  if (!may_be_copied_once(most)) return false;
  const double each = std::max(savings_[0][width(most)], savings_[1][width(most)]);
  return most > longest_twice_ || each * static_cast<double>(ranks_ - 1) > costs_.wait;
}

// Lends blocks for copying once, if that saves more than the wait costs, or if some block must be copied once anyway: then the
// other blocks add nothing to the wait.
void DirectExchange::send_all_once() {
  candidates_.clear();
  double saved = 0;
  for (const Rank to : order_) {
    const auto [memory, bytes] = sends_[index(to)];
    if (!may_be_copied_once(bytes)) continue;
    const Offset offset = space_->offset_of(memory, 0, bytes);
    if (!offset && !reads_private_) continue;
    const double gain = savings_[offset ? 1 : 0][width(bytes)];
    if (bytes > longest_twice_)
      saved += costs_.wait + gain;
    else if (gain > 0)
      saved += gain;
    else
      continue;
    candidates_.push_back({to, offset});
  }
  if (saved <= costs_.wait) return;
  for (const auto& [to, offset] : candidates_) send_once(to, offset);
}

void DirectExchange::send_in_slot(Rank to) {
  const auto [memory, bytes] = sends_[index(to)];
  Slot& own = slot(me_, to, call_);
  QUADRILLE_HOT_ASSERT(own.call.load(std::memory_order_relaxed) < call_);  // the slot's last call is over
  // Write the first cache line last. The receiver polls this line. If this rank wrote it twice with some time in between, the line
  // would move to the receiver's cache and back meanwhile.
  const Bytes first = std::min(bytes, Slot::in_first_line);
  if (bytes > first) {
    copy_bytes(own.block() + first, memory + first, index(bytes - first));
    std::atomic_signal_fence(std::memory_order_release);
  }
  own.bytes = bytes;
  copy_bytes(own.block(), memory, index(first));
  own.call.store(call_, std::memory_order_release);
}

// Copies the block to the area if it fits. One p-th of the area is kept free for each receiver that follows. A block that does not
// fit is copied once by the receiver or, if the receiver cannot read it, goes through the area in pieces.
void DirectExchange::send_elsewhere(Rank to, Count others_left) {
  const auto [memory, bytes] = sends_[index(to)];
  const Bytes share = area_bytes_ / ranks_ / line * line;
  const Bytes position = aligned(used_, bytes), room = area_bytes_ - others_left * share - position;
  if (bytes > room) {
    const Offset offset = space_->offset_of(memory, 0, bytes);
    if (offset || reads_private_) return send_once(to, offset);
  }
  const Bytes put = std::min(bytes, room);
  QUADRILLE_HOT_ASSERT(put >= 0 && position + put <= area_bytes_);
  // Fill the area before the slot, for the reason given in send_in_slot.
  std::memcpy(area_of(me_) + position, memory, index(put));
  Slot& own = slot(me_, to, call_);
  own.bytes = bytes;
  new (&own.elsewhere) Elsewhere{put < bytes ? Way::pieces : Way::area, position, 0, 0, put, 0};
  own.call.store(call_, std::memory_order_release);
  if (put < bytes) lent_.push_back({to, Way::pieces, put, room});
  used_ = position + put;
}

void DirectExchange::send_once(Rank to, Offset offset) {
  const auto [memory, bytes] = sends_[index(to)];
  Slot& own = slot(me_, to, call_);
  own.bytes = bytes;
  new (&own.elsewhere) Elsewhere{Way::once, 0, offset, reinterpret_cast<std::uintptr_t>(memory), 0, 0};
  own.call.store(call_, std::memory_order_release);
  once_in_[to] = call_;
  lent_.push_back({to, Way::once, 0, 0});
}

// Returns true once the receiver has taken the whole block.
bool DirectExchange::try_to_finish(Lent& block) {
  Elsewhere& own = slot(me_, block.to, call_).elsewhere;
  const std::uint64_t taken = own.taken.load(std::memory_order_acquire);
  if (block.way == Way::once) return taken == call_;
  if (taken != static_cast<std::uint64_t>(block.put)) return false;
  const auto [memory, bytes] = sends_[index(block.to)];
  if (block.put == bytes) return true;
  const Bytes piece = std::min(block.room, bytes - block.put);
  QUADRILLE_HOT_ASSERT(piece > 0 && own.position + piece <= area_bytes_);
  std::memcpy(area_of(me_) + own.position, memory + block.put, index(piece));
  block.put += piece;
  own.put.store(block.put, std::memory_order_release);
  space_->ring(block.to);
  return false;
}

// Called after an error: withdraws blocks that were published, so that no rank reads this rank's memory after it is freed.
void DirectExchange::withdraw() {
  if (!space_->is_usable()) return;
  for (const Lent& block : lent_) {
    if (block.way != Way::once) continue;
    std::atomic<std::uint64_t>& taken = slot(me_, block.to, call_).elsewhere.taken;
    std::uint64_t before = taken.load(std::memory_order_acquire);  // acquires a finished copy: the memory may be reused
    LongSince long_since(std::chrono::milliseconds(100));
    while (before != call_) {
      if (before == (call_ | reading)) {  // the receiver is copying: wait for it, unless its process is gone
        if (long_since.is_over() && !space_->is_there(block.to)) break;
        sched_yield();
        before = taken.load(std::memory_order_acquire);
      } else if (taken.compare_exchange_weak(before, call_ | withdrawn, std::memory_order_acq_rel)) {
        break;  // acquires an earlier copy, as above; releases the reason for the failure to receive_once
      }
    }
  }
  lent_.clear();
}

// ---- The receiver's part

bool DirectExchange::advance() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < open_count_; ++i)
    if (!try_to_receive(open_[i])) open_[kept++] = open_[i];
  open_count_ = kept;
  if (!lent_.empty()) std::erase_if(lent_, [&](Lent& block) { return try_to_finish(block); });
  return open_count_ == 0 && lent_.empty();
}

bool DirectExchange::try_to_receive(Rank from) {
  Slot& theirs = slot(from, me_, call_);
  if (theirs.call.load(std::memory_order_acquire) != call_) return false;
  const auto [target, expected] = receives_[index(from)];
  const Bytes bytes = theirs.bytes;
  if (bytes != expected) [[unlikely]]
    note_difference(from, bytes);
  const bool fits = bytes <= expected;
  if (bytes <= room_in_slot()) {
    if (fits) copy_bytes(target, theirs.block(), index(bytes));
    return true;
  }
  Elsewhere& block = theirs.elsewhere;
  switch (block.way) {
    case Way::area:
      QUADRILLE_HOT_ASSERT(block.position >= 0 && block.position + bytes <= area_bytes_);
      if (fits) std::memcpy(target, area_of(from) + block.position, index(bytes));
      return true;
    case Way::once: receive_once(from, block, fits ? target : nullptr, bytes); return true;
    case Way::pieces: break;
  }
  return receive_piece(from, block, fits ? target : nullptr, bytes);
}

// Receives a block by one copy. `target` is null if the block is longer than expected: then this rank does not copy the block, but
// only marks it as taken.
void DirectExchange::receive_once(Rank from, Elsewhere& block, std::byte* target, Bytes bytes) {
  // A sender withdraws a block after a failure. The acquire makes the reason for the failure visible to throw_lost. Setting the
  // mark `reading` needs no release, because a sender that sees the mark only waits. The block itself is visible already, because
  // this rank has acquired the slot.
  std::uint64_t before = 0;
  if (!block.taken.compare_exchange_strong(before, call_ | reading, std::memory_order_acquire)) space_->throw_lost();
  try {
    if (target) read(from, block, target, bytes);
  } catch (...) {
    block.taken.store(0, std::memory_order_release);  // the sender may now withdraw the block and reuse its memory
    throw;
  }
  block.taken.store(call_, std::memory_order_release);
  space_->ring(from);
}

void DirectExchange::read(Rank from, const Elsewhere& block, std::byte* target, Bytes bytes) {
  const std::byte* source = nullptr;
  try {
    if (block.offset) source = space_->at(block.offset);
  } catch (const Error& error) {               // mapping fails if no address space is left (ulimit -v)
    if (!reads_private_) space_->fail(error);  // the sender waits for this copy
  }
  if (source) {
    std::memcpy(target, source, index(bytes));
  } else {
    const TargetPiece whole{target, index(bytes)};
    space_->read_private(from, reinterpret_cast<const void*>(block.address), {&whole, 1});
  }
}

// Receives the next piece if it has arrived. Returns true if it was the last one.
bool DirectExchange::receive_piece(Rank from, Elsewhere& block, std::byte* target, Bytes bytes) {
  const Bytes put = block.put.load(std::memory_order_acquire);
  const auto taken = static_cast<Bytes>(block.taken.load(std::memory_order_relaxed));  // relaxed, because only this rank stores it
  if (put == taken) return false;
  QUADRILLE_HOT_ASSERT(put > taken && put <= bytes && block.position + put - taken <= area_bytes_);
  if (target) std::memcpy(target + taken, area_of(from) + block.position, index(put - taken));
  block.taken.store(static_cast<std::uint64_t>(put), std::memory_order_release);
  space_->ring(from);
  return put == bytes;
}

}  // namespace quadrille
