// SPDX-License-Identifier: BSD-3-Clause
// Threads that are to each other what processes are: each has memory that the others cannot load from, and a heap that they can.
// The thread sanitizer follows no process and no second mapping of a segment; here it sees every path of the engine, each forced by
// a setting.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <numeric>

#include "execute/shared/communicator.hpp"

namespace quadrille::testing {

struct Apart {
  bool reads_private_memory = true;  // as by process_vm_readv; else long messages go through blocks
  bool core_for_every_rank = true;   // else a rank that waits sleeps until it is rung for
  bool yields_hand_over = true;      // else it sleeps at once
  CopyCosts costs{};                 // what is long
  Rank poor = -1;                    // this rank is granted no more than so many allocations
  Count allocations = 0;
  std::function<bool(Rank)> is_there = {};  // empty: all are
  std::function<void(Rank)> reads = {};     // called by a rank that reads another one's private memory, before it does; may throw
};

class ApartSpace : public SharedSpace {
 public:
  static constexpr Bytes heap_bytes = Bytes{1} << 25;

  ApartSpace(std::byte* memory, SpaceHead* head, Rank rank, Count ranks, const Apart& apart)
      : SharedSpace(head, rank, ranks),
        memory_(memory),
        apart_(apart),
        allocations_(apart.allocations),
        unused_(static_cast<Offset>(rank * heap_bytes + 64)) {
    set_core_count(apart.core_for_every_rank ? ranks : 1);
    set_yields_hand_over(apart.yields_hand_over);
  }

  std::byte* at(Offset offset) const override { return memory_ + offset; }
  Offset offset_of(const void* memory) const override {
    const auto* place = static_cast<const std::byte*>(memory);
    return place >= memory_ && place < memory_ + size() * heap_bytes ? static_cast<Offset>(place - memory_) : 0;
  }

  // Each rank's heap is its own, without a lock: that would order what ranks do, and hide from the sanitizer what does not.
  Offset allocate(Bytes bytes) override {
    release_retired();
    if (rank() == apart_.poor && allocations_-- <= 0) throw std::bad_alloc();
    const Bytes length = ceil_divide(std::max<Bytes>(bytes, 1), Bytes{64}) * 64;
    Offset place = unused_;
    if (const auto again = free_.find(length); again != free_.end()) {
      place = again->second;
      free_.erase(again);
    } else {
      unused_ += static_cast<Offset>(length);
      if (unused_ > static_cast<Offset>((rank() + 1) * heap_bytes)) throw std::bad_alloc();
    }
    taken_[place] = length;
    return place;
  }

  Offset allocate_control(Bytes bytes) override { return allocate(bytes); }

  void release(Offset place) override {
    const auto entry = taken_.find(place);
    if (entry == taken_.end()) return;
    free_.emplace(entry->second, place);
    taken_.erase(entry);
  }

  // Now, to the poor rank.
  void grant(Count allocations) { allocations_ = allocations; }

  Bytes taken_bytes() const {
    return std::accumulate(taken_.begin(), taken_.end(), Bytes{0}, [](Bytes sum, const auto& each) { return sum + each.second; });
  }

  bool reads_private_memory() const override { return apart_.reads_private_memory; }

  void read_private(Rank, const void* source, std::span<const TargetPiece> targets) override {
    if (apart_.reads) apart_.reads(rank());
    for (const TargetPiece& piece : targets) {
      std::memcpy(piece.place, source, piece.length);
      source = static_cast<const std::byte*>(source) + piece.length;
    }
  }

  bool is_there(Rank rank) const override { return !apart_.is_there || apart_.is_there(rank); }

 private:
  std::byte* const memory_;
  const Apart& apart_;
  Count allocations_;
  Offset unused_;
  std::map<Offset, Bytes> taken_;
  std::multimap<Bytes, Offset> free_;  // by length
};

// As run_threads.
inline void run_apart(Count ranks, const Apart& apart, const std::function<void(SharedCommunicator&)>& body) {
  const auto bytes = static_cast<std::size_t>(ranks * ApartSpace::heap_bytes);
  struct Line {
    alignas(64) std::byte bytes[64];
  };
  const std::unique_ptr<Line[]> memory(new Line[bytes / sizeof(Line)]);  // not initialised: most of it is never touched
  std::vector<SpaceHead> heads(static_cast<std::size_t>(ceil_divide(SpaceHead::bytes(ranks), Bytes{sizeof(SpaceHead)})));
  SpaceHead* head = SharedSpace::make_head(heads.data(), ranks);
  run_threads(ranks, [&](Communicator& threads) {
    const auto space = std::make_shared<ApartSpace>(memory[0].bytes, head, threads.rank(), ranks, apart);
    SharedCommunicator communicator(space, "threads apart", apart.costs);
    try {
      body(communicator);
      space->leave();
    } catch (...) {
      space->fail();
      throw;
    }
  });
}

// Every message of 1 KiB and more is copied once, or none of up to 64 KiB is.
inline CopyCosts costs_of_copying_once(double seconds) {
  CopyCosts costs;
  costs.once.fill(seconds);
  costs.wait = 0;
  return costs;
}

}  // namespace quadrille::testing
