// SPDX-License-Identifier: BSD-3-Clause
// A sender lends its own memory to one receiver, which copies it once (a rendezvous). The sender has announced the loan by a flag
// (flag.hpp). Loans have numbers, which grow; the sender makes loan n only when loan n - 1 is back or was never made.
//
// The state of loan n is one word: an earlier number (the loan is untouched), n with the mark `reading` (the receiver copies), n
// (the loan is back: the receiver has finished), or n with the mark `withdrawn` (the sender has ended the loan after a failure).
//
// Proof that the receiver does not read memory that its owner may write. (1) The receiver stores n with release after its copy,
// and the sender loads n with acquire before it writes. (2) A loan is withdrawn only from the state "untouched", by a
// compare-and-exchange. The receiver sets `reading` by a compare-and-exchange from the same state. So only one of the two
// succeeds. If the sender finds `reading`, it waits until the copy is over. (3) A receiver that gives up in the middle of its
// copy puts the loan back into the state "untouched" with release; the sender acquires this store when it withdraws the loan.
//
// Proof that the receiver sees why a loan was withdrawn: the sender sets the mark with release after it has stored the reason, and
// the receiver acquires the mark. Setting `reading` needs no order. The lent bytes are visible already, because the receiver has
// acquired the flag; and a sender that sees the mark only waits.
#pragma once

#include <atomic>
#include <cstdint>

#include "foundation/planted.hpp"

namespace quadrille {

template <template <class> class Atomic = std::atomic>
class LoanBy {
 public:
  // For the receiver. Returns false if the sender has withdrawn the loan. If it returns true, the receiver may read, and must
  // call one of the next two functions afterwards.
  bool take(std::uint64_t number) {
    std::uint64_t before = state_.load(std::memory_order_relaxed);
    if (before != (number | withdrawn) &&
        state_.compare_exchange_strong(before, number | reading, std::memory_order_relaxed, std::memory_order_relaxed))
      return true;
    static_cast<void>(state_.load(std::memory_order_acquire));  // from now on the sender's reason is visible
    return false;
  }
  void give_back(std::uint64_t number) {
    state_.store(number, is_planted("loan relaxed") ? std::memory_order_relaxed : std::memory_order_release);
  }
  void put_back_unread(std::uint64_t number) { state_.store(number - 1, std::memory_order_release); }  // after a failure

  // For the sender. Returns true if the receiver has finished, so that the memory may be written.
  bool is_back(std::uint64_t number) const { return state_.load(std::memory_order_acquire) == number; }

  // For the sender, after a failure. Returns when the receiver does not read the memory and will not begin to. While the receiver
  // reads, `is_gone` is called in a loop; each call takes some time and returns whether the receiver's process has ended.
  template <class IsGone>
  void withdraw(std::uint64_t number, IsGone&& is_gone) {
    std::uint64_t before = state_.load(std::memory_order_acquire);
    while (before != number) {
      if (before == (number | reading)) {
        if (is_gone()) return;
        before = state_.load(std::memory_order_acquire);
      } else if (state_.compare_exchange_weak(before, number | withdrawn, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return;
      }
    }
  }

 private:
  static constexpr std::uint64_t reading = std::uint64_t{1} << 63, withdrawn = std::uint64_t{1} << 62;

  Atomic<std::uint64_t> state_{0};
};
using Loan = LoanBy<>;

}  // namespace quadrille
