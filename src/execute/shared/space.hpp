// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a group share, as one of them sees it: by offsets, which mean the same to all. What threads share is
// all of their process; what processes share is a segment (segment.hpp). A rank allocates from a heap of its own, in which
// every other may read and write.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "execute/waiting.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

using Offset = std::uint64_t;  // in the space; 0 is nowhere

// Where a rank lays something open to all others, and tells that it has arrived at a barrier.
struct alignas(64) Tray {
  static constexpr Bytes size = 960;
  std::atomic<Offset> elsewhere{0};  // what does not fit here
  std::atomic<bool> left{false};     // this rank is through, as it should be
  alignas(64) std::byte bytes[size];
};

// Of this process's memory.
struct TargetPiece {
  std::byte* place;
  std::size_t length;  // bytes
};

// At the beginning of a group's shared memory; `ranks` trays follow.
struct alignas(64) SpaceHead {
  alignas(64) std::atomic<Count> arrived{0};
  alignas(64) std::atomic<std::uint64_t> generation{0};
  alignas(64) std::atomic<std::uint32_t> failed{0};

  static Bytes bytes(Count ranks) { return static_cast<Bytes>(sizeof(SpaceHead)) + ranks * static_cast<Bytes>(sizeof(Tray)); }
};

class SharedSpace {
 public:
  // `head` is what make_head made; offset 0 is at `base`.
  SharedSpace(std::uintptr_t base, SpaceHead* head, Rank rank, Count ranks)
      : base_(base), head_(head), rank_(rank), ranks_(ranks) {}
  virtual ~SharedSpace() = default;
  SharedSpace(const SharedSpace&) = delete;
  SharedSpace& operator=(const SharedSpace&) = delete;

  static SpaceHead* make_head(void* memory, Count ranks);  // memory: SpaceHead::bytes, aligned to 64

  Rank rank() const { return rank_; }
  Count size() const { return ranks_; }

  std::byte* at(Offset offset) const { return reinterpret_cast<std::byte*>(base_ + offset); }
  Offset offset_of(const void* place) const { return reinterpret_cast<std::uintptr_t>(place) - base_; }

  // Is this memory in the space, so that others can read it?
  virtual bool holds(const void* memory) const = 0;
  bool holds_everything() const { return holds(this); }

  // From this rank's heap, aligned to 64. Throws std::bad_alloc.
  virtual Offset allocate(Bytes bytes) = 0;
  virtual void release(Offset offset) = 0;

  // An allocation that others may still look at: it is released some time after all of `closed` have become true.
  void retire(Offset offset, std::vector<const std::atomic<bool>*> closed);
  void release_retired();

  // Another rank's memory, which need not be in the space, into at most `most_pieces` pieces, one after the other. Throws
  // Error{transport, peer_lost}.
  static constexpr std::size_t most_pieces = 64;
  virtual bool reads_private_memory() const = 0;
  virtual void read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) = 0;

  // This rank will not be waited for any more.
  void leave() { tray(rank_).left.store(true, std::memory_order_release); }

  // The group has one rank less, so it cannot go on: whoever waits throws Error{peer_lost}.
  void fail() { head_->failed.store(1, std::memory_order_release); }
  bool has_failed() const { return head_->failed.load(std::memory_order_acquire) != 0; }

  // Cores on which the ranks may run.
  void set_core_count(Count cores) { core_count_ = cores; }
  Count core_count() const { return core_count_; }
  bool core_for_every_rank() const { return ranks_ <= core_count_; }

  // Pauses until done(); throws if another rank has failed, or is no longer there, meanwhile.
  template <class Done>
  void wait_until(Done&& done) {
    for (Backoff backoff(core_for_every_rank()); !done();) {
      if (backoff.pause()) fail_if_somebody_is_gone();
      if (has_failed() && !done()) throw_lost();  // what came before the failure still counts
    }
  }

  void barrier();
  void all_gather(const void* mine, void* all, Bytes count);

 protected:
  virtual bool is_there(Rank) const { return true; }

 private:
  struct Retired {
    Offset offset;
    std::vector<const std::atomic<bool>*> closed;
  };

  Tray& tray(Rank rank) const { return reinterpret_cast<Tray*>(head_ + 1)[rank]; }
  void fail_if_somebody_is_gone();
  [[noreturn]] static void throw_lost();

  const std::uintptr_t base_;
  SpaceHead* const head_;
  const Rank rank_;
  const Count ranks_;
  Count core_count_ = 1;
  std::vector<Retired> retired_;
};

}  // namespace quadrille
