// SPDX-License-Identifier: BSD-3-Clause
// Runs threads as a group that shares memory in the way separate processes do: each thread has private memory, from which the
// others do not load, and a heap, from which they do. The thread sanitizer cannot follow processes or a second mapping of the same
// memory. With these threads it sees every path of the shared-memory executor. The settings in Apart select the path.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <numeric>

#include "execute/shared/communicator.hpp"
#include "groups/chooser.hpp"
#include "quadrille/groups.hpp"

namespace quadrille::testing {

struct Apart {
  bool reads_private_memory = true;  // as with process_vm_readv; otherwise long messages go through blocks
  bool core_for_every_rank = true;   // otherwise a rank that waits sleeps until its doorbell is rung
  bool yields_hand_over = true;      // otherwise a waiting rank sleeps at once
  CopyCosts costs{};                 // decides which messages are long
  Rank poor = -1;                    // the rank that may make only `allocations` allocations; -1: no rank is limited
  Count allocations = 0;
  std::function<bool(Rank)> is_there = {};  // returns whether the rank still runs; empty: all ranks run
  std::function<void(Rank)> reads = {};     // called by a rank before it reads another rank's private memory; may throw
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

  // Each rank has a heap of its own, without a lock. A lock would order the ranks' accesses, and so hide missing synchronisation
  // from the sanitizer.
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

  // Sets how many allocations the poor rank may still make.
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
  std::multimap<Bytes, Offset> free_;  // free memory by length
};

// Like run_threads, but the ranks share memory as separate processes do, with these settings.
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
    let_choose(communicator);
    try {
      body(communicator);
      space->leave();
    } catch (...) {
      space->fail();
      throw;
    }
  });
}

// Returns costs that make every message of 1 KiB and more a long one, or costs that make no message of up to 64 KiB a long one.
inline CopyCosts costs_of_copying_once(double seconds) {
  CopyCosts costs;
  costs.once.fill(std::max(seconds, 1e-12));  // costs are interpolated in logarithms
  costs.wait = 0;
  return costs;
}

}  // namespace quadrille::testing
