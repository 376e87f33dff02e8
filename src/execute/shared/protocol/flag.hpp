// SPDX-License-Identifier: BSD-3-Clause
// A flag tells one receiver that the sender has prepared something in shared memory: a block, a slot, or its own memory that the
// receiver may read. A flag is a number that grows with each use.
//
// Proof that the receiver reads only what is ready. The sender prepares, then stores the number with release. The receiver loads
// the number with acquire, then reads. If the receiver sees the number, all that the sender did before the store happened before
// all that the receiver does after the load.
//
// A flag also proves that earlier copies are over. A release orders earlier loads, too, and a copy consists of loads and stores.
// So if a receiver sees number n, the sender has finished all copies that it made before it published n. The memory that these
// copies read may then be written again.
//
// The template argument is std::atomic; tests use another class, which tries all orders in which the ranks may run.
#pragma once

#include <atomic>
#include <cstdint>

#include "foundation/planted.hpp"

namespace quadrille {

template <template <class> class Atomic = std::atomic>
class FlagBy {
 public:
  // For the sender. Numbers must grow.
  void publish(std::uint64_t number) {
    number_.store(number, is_planted("flag relaxed") ? std::memory_order_relaxed : std::memory_order_release);
  }
  std::uint64_t own() const { return number_.load(std::memory_order_relaxed); }  // the last number that it has published

  // For the receiver: the last number published, or an earlier one.
  std::uint64_t published() const {
    return number_.load(is_planted("flag read relaxed") ? std::memory_order_relaxed : std::memory_order_acquire);
  }

 private:
  Atomic<std::uint64_t> number_{0};
};
using Flag = FlagBy<>;

}  // namespace quadrille
