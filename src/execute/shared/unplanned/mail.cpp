// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/mail.hpp"

#include <fmt/format.h>

#include <cstring>

#include "execute/agreement.hpp"
#include "execute/shared/memory/claim.hpp"

namespace quadrille {

SharedMail::SharedMail(SharedSpace& space) : space_(space) {
  Claim mine(space_);
  boxes_ = gathered_or_thrown(space_, [&] {
    std::byte* place = space_.at(mine.allocate_control(space_.size() * static_cast<Bytes>(sizeof(Box))));
    for (Rank to = 0; to < space_.size(); ++to) new (place + to * static_cast<Bytes>(sizeof(Box))) Box(0);
    return mine.place();
  });
  mine.keep();
}

SharedMail::~SharedMail() {
  // After an error a receiver may still read a letter, so the memory is leaked.
  if (letters_.empty()) space_.release(boxes_[space_.rank()]);
}

SharedMail::Box& SharedMail::box(Rank from, Rank to) const { return reinterpret_cast<Box*>(space_.at(boxes_[from]))[to]; }

void SharedMail::send(Rank to, std::span<const std::byte> bytes) {
  Offset letter = 0;
  try {
    letter = space_.allocate(static_cast<Bytes>(sizeof(Bytes) + bytes.size()));
  } catch (const std::bad_alloc&) {
    space_.fail();  // otherwise the receiver would wait for this letter for ever
    throw Error(ErrorCode::too_large, fmt::format("there is not enough shared memory for a message of {} bytes", bytes.size()));
  }
  const auto length = static_cast<Bytes>(bytes.size());
  std::memcpy(space_.at(letter), &length, sizeof length);
  if (length > 0) std::memcpy(space_.at(letter) + sizeof length, bytes.data(), bytes.size());
  Box& own = box(space_.rank(), to);
  // The store below releases the letter, and wait_for acquires it; otherwise the receiver might read the old contents of that
  // memory. The load acquires what `receive` released, as in finish_sends.
  space_.wait_until([&] { return own.load(std::memory_order_acquire) == 0; }, [&] { return to; });
  own.store(letter, std::memory_order_release);
  space_.ring(to);
  letters_.emplace_back(to, letter);
}

void SharedMail::finish_sends() {
  while (!letters_.empty()) {
    const Rank to = letters_.back().first;
    const Offset letter = letters_.back().second;
    const Box& own = box(space_.rank(), to);
    // Acquires what `receive` released after it had copied the letter. Otherwise the letter's memory might be reused and written
    // while the receiver still reads it.
    space_.wait_until([&] { return own.load(std::memory_order_acquire) != letter; }, [&] { return to; });
    space_.release(letter);
    letters_.pop_back();
  }
}

Bytes SharedMail::wait_for(Rank from) {
  from_ = from;
  const Box& theirs = box(from, space_.rank());
  space_.wait_until([&] { return theirs.load(std::memory_order_acquire) != 0; }, [&] { return from; });
  Bytes length = 0;  // the box has been acquired, and nobody changes it before `receive`, so further loads of it may be relaxed
  std::memcpy(&length, space_.at(theirs.load(std::memory_order_relaxed)), sizeof length);
  return length;
}

void SharedMail::receive(std::byte* into) {
  Box& theirs = box(from_, space_.rank());
  const std::byte* letter = space_.at(theirs.load(std::memory_order_relaxed));
  Bytes length = 0;
  std::memcpy(&length, letter, sizeof length);
  if (length > 0) std::memcpy(into, letter + sizeof length, index(length));
  theirs.store(0, std::memory_order_release);  // releases the copy above; finish_sends acquires it
  space_.ring(from_);
}

}  // namespace quadrille
