// SPDX-License-Identifier: BSD-3-Clause
// What one rank receives in an exchange in shared memory.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "execute/executable.hpp"
#include "execute/shared/unplanned/difference.hpp"
#include "execute/shared/unplanned/pair_slots.hpp"
#include "quadrille/edges.hpp"

namespace quadrille {

class Receiver {
 public:
  Receiver(SharedSpace& space, PairSlots& slots) : space_(space), slots_(slots) {}

  void begin_at(ByRank<const std::byte*> areas) { areas_ = std::move(areas); }

  void begin(std::span<const Edges::Receive> receives, std::uint64_t exchange);
  bool advance();  // returns whether all messages are complete

  bool is_over() const { return open_.empty(); }
  Rank awaited() const {  // the only rank whose messages are missing, or SharedSpace::anybody
    const Rank first = open_[0].edge->from;
    const bool is_only = std::all_of(open_.begin(), open_.end(), [&](const Open& each) { return each.edge->from == first; });
    return is_only ? first : SharedSpace::anybody;
  }
  void look() { looks_now_ = true; }  // the next `advance` finds out whether a sender has left an edge out
  Bytes memory_bytes() const { return memory_bytes_of(open_); }

  // The first edge of this exchange on whose length the two ranks do not agree.
  EdgeDifference& difference() { return difference_; }

 private:
  struct Open {  // a message that is not complete
    const Edges::Receive* edge;
    std::uint64_t number;
    Slot* slot = nullptr;  // set when it has arrived in pieces
  };

  bool try_to_receive(Open& message);
  bool receive(Open& message, Slot& slot);
  void receive_once(const Open& message, Slot& slot, bool fits);
  void read(const Open& message, const Slot& slot);
  bool receive_piece(const Open& message);
  void give_back(const Open& message, Slot& slot);
  void drop_missing();

  SharedSpace& space_;
  PairSlots& slots_;
  ByRank<const std::byte*> areas_;
  std::uint64_t exchange_ = 0;
  std::vector<Open> open_;
  unsigned looks_ = 0;
  bool looks_now_ = false;
  EdgeDifference difference_;
};

}  // namespace quadrille
