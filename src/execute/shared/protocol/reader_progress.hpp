// SPDX-License-Identifier: BSD-3-Clause
// A reader reports its progress to the owners of the memory that it reads: a number that grows, such as the number of executions
// that it has completed, or of bytes that it has copied out. One rank stores it; any number of ranks may load it.
//
// Proof that no owner writes memory that the reader still reads. The reader stores number n with release after its last copy out
// of the memory that n stands for. An owner loads the number with acquire before it writes there again. A release orders earlier
// loads, and a copy consists of loads and stores. So if the owner sees n or more, the copies happened before its writes. If the
// owner sees an older number, it only waits longer than necessary.
#pragma once

#include <atomic>
#include <cstdint>

#include "foundation/planted.hpp"

namespace quadrille {

template <template <class> class Atomic = std::atomic>
class ReaderProgressBy {
 public:
  // For the reader.
  void reach(std::uint64_t number) {
    number_.store(number, is_planted("progress relaxed") ? std::memory_order_relaxed : std::memory_order_release);
  }
  std::uint64_t reached() const { return number_.load(std::memory_order_acquire); }  // for owners
  std::uint64_t own() const { return number_.load(std::memory_order_relaxed); }      // for the reader itself

 private:
  Atomic<std::uint64_t> number_{0};
};
using ReaderProgress = ReaderProgressBy<>;

}  // namespace quadrille
