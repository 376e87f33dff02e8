// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a group use memory of each other, in plans and in exchanges: what the receiver of a loan (protocol/loan.hpp)
// does around its copy, how the owner gets its memory back after a failure, and how all give their memory back at the end.
#pragma once

#include <cstdint>
#include <span>

#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/protocol/loan.hpp"
#include "execute/shared/wait/space.hpp"

namespace quadrille {

// The receiver's part: `read` copies. Throws if the owner has withdrawn the loan.
template <class Read>
void read_lent(SharedSpace& space, Loan& loan, std::uint64_t number, Rank owner, Read&& read) {
  if (!loan.take(number)) space.throw_lost();
  try {
    read();
  } catch (...) {
    loan.put_back_unread(number);  // the owner may now withdraw it and reuse the memory
    throw;
  }
  loan.give_back(number);
  space.ring(owner);
}

// Returns where this process can load memory that is lent; null if it must call read_private, because the memory is private (the
// offset is 0) or cannot be mapped. Fails the group if it can do neither: the owner waits for the copy.
const std::byte* loadable(SharedSpace& space, Offset offset);

// The owner's part after a failure: returns when the receiver does not read the memory, and will not begin to.
void withdraw_lent(SharedSpace& space, Loan& loan, std::uint64_t number, Rank receiver);

// Fails the group, and says which rank had the error.
void fail_all(SharedSpace& space, const Error& why) noexcept;

// Releases the memory of a plan or an exchange when no rank of the group accesses it any more (protocol/closing.hpp). Local. This
// rank will not access any other rank's areas. Retires its own, and at rank 0 the control memory, in which `closing` lies.
void close_areas(SharedSpace& space, Closing& closing, std::span<const Offset> own, Offset control);

}  // namespace quadrille
