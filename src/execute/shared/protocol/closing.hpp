// SPDX-License-Identifier: BSD-3-Clause
// Tells when memory that the ranks of a group use together may be released. There are two kinds of memory: areas, each owned by
// one rank and accessed by other ranks; and the memory of this object, owned by the first rank.
//
// Proof. `closed_` counts the ranks that will not access areas again. `through_` counts the ranks that will not access `closed_`
// again. A rank adds 1 with release after its last access. The owner loads the count with acquire and releases the memory when
// all ranks are counted. The additions are read-modify-writes, so they form one release sequence: a load that sees the last
// addition acquires what every rank did before its own addition. After its own `go_through` no rank accesses this object, except
// the first rank, which releases it.
#pragma once

#include <atomic>

#include "foundation/planted.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

template <template <class> class Atomic = std::atomic>
class alignas(64) ClosingBy {
 public:
  void close() { closed_.fetch_add(1, is_planted("closing relaxed") ? std::memory_order_relaxed : std::memory_order_release); }
  bool have_closed(Count ranks) const { return closed_.load(std::memory_order_acquire) == ranks; }  // areas may be released

  void go_through() { through_.fetch_add(1, std::memory_order_release); }
  bool are_through(Count ranks) const { return through_.load(std::memory_order_acquire) == ranks; }  // this object may be freed

 private:
  Atomic<Count> closed_{0}, through_{0};
};
using Closing = ClosingBy<>;

}  // namespace quadrille
