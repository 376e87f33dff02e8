// SPDX-License-Identifier: BSD-3-Clause
// The memory that the ranks of a group share, as one rank sees it. Places are offsets, which mean the same on all ranks. Threads
// share all memory of their process. Each process shares two files (process.hpp): its heap, which other processes read, and its
// control file, which they also write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "foundation/arithmetic.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

using Offset = std::uint64_t;  // a place in shared memory; 0 is none

// A run of bytes in this process's memory, the target of a copy.
struct TargetPiece {
  std::byte* place;
  std::size_t length;  // bytes
};

class SharedMemory {
 public:
  SharedMemory() = default;
  virtual ~SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Returns the address of an offset in this process. An allocation is contiguous, so pointer arithmetic within it is valid. Throws
  // Error{environment} or Error{peer_lost} if another rank's memory cannot be mapped.
  virtual std::byte* at(Offset offset) const = 0;

  // Returns the offset of memory in this rank's heap, which other ranks can read; 0 for other memory.
  virtual Offset offset_of(const void* memory) const = 0;

  // Returns the offset for the range from `memory + first` to `memory + last`: 0 unless other ranks can read all of it.
  virtual Offset offset_of(const std::byte* memory, Bytes /*first*/, Bytes /*last*/) const { return offset_of(memory); }
  virtual bool holds_everything() const { return false; }  // can all ranks load all memory of every rank?
  // Does this rank's program have its large buffers where other ranks can read them (src/heap)? Usually all of them, not surely.
  virtual bool holds_large_buffers() const { return false; }

  // Allocate memory aligned to 64. `allocate`: this rank writes it and other ranks read it. `allocate_control`: other ranks write
  // it, too. Both throw std::bad_alloc.
  virtual Offset allocate(Bytes bytes) = 0;
  virtual Offset allocate_control(Bytes bytes) = 0;
  virtual void release(Offset offset) = 0;

  // Releases an allocation that other ranks may still access. The allocation is released some time after `is_over` returns true.
  // `is_over` may read rank 0's control memory and must not call this object.
  virtual void retire(Offset offset, std::function<bool()> is_over) {
    retired_.push_back({offset, std::move(is_over)});
    release_retired();
  }
  void release_retired() {
    std::erase_if(retired_, [&](const Retired& entry) {
      const bool over = entry.is_over();
      if (over) release(entry.offset);
      return over;
    });
  }

  // Copies another rank's private memory, from `source` on, into the pieces `targets` (at most `most_pieces`), one after the
  // other. Throws Error{transport, peer_lost}.
  static constexpr std::size_t most_pieces = 64;
  virtual bool reads_private_memory() const = 0;
  virtual void read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) = 0;

  // False in a forked child, which must neither read nor write the memory, because it belongs to the parent.
  virtual bool is_usable() const { return true; }
  // Has the group failed? Ranks that have not noticed the failure may still access memory that the ranks use together.
  virtual bool has_failed() const { return false; }

 private:
  struct Retired {
    Offset offset;
    std::function<bool()> is_over;
  };

  std::vector<Retired> retired_;
};

// Memory of this rank that ranks share. The destructor releases it unless `keep` was called: ranks that make something together,
// such as a plan, call `keep` only after all of them have succeeded. After a failure of the group the memory is leaked.
class Claim {
 public:
  explicit Claim(SharedMemory& memory) : memory_(memory) {}
  ~Claim() { release(); }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // Call one of the two functions, once. Throws std::bad_alloc.
  Offset allocate(Bytes bytes) { return place_ = memory_.allocate(bytes); }
  Offset allocate_control(Bytes bytes) { return place_ = memory_.allocate_control(bytes); }
  Offset place() const { return place_; }  // 0: nothing is allocated
  Offset keep() { return std::exchange(place_, 0); }
  void release() {
    if (place_ && memory_.is_usable() && !memory_.has_failed()) memory_.release(place_);
    place_ = 0;
  }

 private:
  SharedMemory& memory_;
  Offset place_ = 0;
};

// Two functions lay out arrays of objects in shared memory, one after the other. Each array begins on a new cache line.
template <class Object>
Bytes placed_bytes(Count count) {
  return rounded_up(count * static_cast<Bytes>(sizeof(Object)), Bytes{64});
}

// Returns where the objects lie, and moves `at` behind them. It does not initialise the objects.
template <class Object>
Object* place(std::byte*& at, Count count) {
  auto* const first = reinterpret_cast<Object*>(at);
  at += placed_bytes<Object>(count);
  return first;
}

}  // namespace quadrille
