// SPDX-License-Identifier: BSD-3-Clause
// What one rank sends in an exchange in shared memory. It chooses how each message gets to its receiver (exchange.hpp lists the
// ways), for all messages of the exchange together.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "execute/shared/unplanned/area.hpp"
#include "execute/shared/unplanned/pair_slots.hpp"
#include "execute/shared/wait/copy_choice.hpp"
#include "quadrille/edges.hpp"

namespace quadrille {

class Sender {
 public:
  Sender(SharedSpace& space, PairSlots& slots, const CopyCosts& costs);

  Bytes area_bytes() const { return area_.bytes() + spare_bytes; }
  void begin_at(std::byte* area) { memory_ = area; }

  void begin(std::span<const Edges::Send> sends, std::uint64_t exchange);
  bool advance();   // returns whether all messages are sent, and none is lent any more
  void withdraw();  // after a failure: returns when nobody reads this rank's memory any more

  // The rank for which this one waits; SharedSpace::anybody if there are several.
  Rank awaited() const { return waiting_.empty() && lent_.size() == 1 ? lent_[0].to : SharedSpace::anybody; }
  bool is_over() const { return waiting_.empty() && lent_.empty(); }
  void look() { looks_now_ = true; }  // the next `advance` finds out whether a receiver expects nothing
  Bytes memory_bytes() const;

  // A lent message that its receiver did not expect. `begin` resets it.
  struct Unwanted {
    Rank to;
    Bytes bytes;
  };
  const std::optional<Unwanted>& unwanted() const { return unwanted_; }

 private:
  static constexpr Bytes spare_bytes = 4096;  // for a message in pieces when the area is full

  struct Lent {  // a message that its receiver has still to read
    Rank to;
    Slot* slot;
    std::uint64_t number;
    const Edges::Send* edge;
    std::byte* piece = nullptr;  // for a message in pieces: where they go,
    Bytes put = 0, room = 0;     // the bytes put there so far, and how many are put there at a time
  };
  struct Waiting : CopiedMessage {  // a message that has not been sent yet
    const Edges::Send* edge = nullptr;
    Offset offset = 0;  // of its memory in the shared space; 0: private
  };

  void send_tiny(std::span<const Edges::Send> sends);
  bool choose_ways(Bytes most);
  void send_waiting(bool lent_only);
  bool send(const Waiting& message, Count left);
  void put_into_slot(Slot& slot, const Edges::Send& edge);
  bool put_into_area(Slot& slot, const Waiting& message, Count left);
  bool put_first_piece(Slot& slot, const Edges::Send& edge, Bytes place, Bytes room);
  void lend(Slot& slot, const Edges::Send& edge, Offset offset);
  void send_pieces(Slot& slot, const Edges::Send& edge, std::byte* piece, Bytes room);
  bool try_to_finish(Lent& message);
  bool is_over_for_receivers(std::uint64_t exchange);
  void drop_unwanted();

  SharedSpace& space_;
  PairSlots& slots_;
  const CopyChoice choice_;
  Area area_;
  std::byte* memory_ = nullptr;  // of the area, then of the spare bytes
  bool is_spare_free_ = true;
  ByRank<std::uint64_t> area_used_;  // by receiver: the last exchange with a message in the area
  ByRank<std::uint64_t> held_up_;    // by receiver: the last pass in which a message to it could not be sent
  std::uint64_t exchange_ = 0, pass_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<Lent> lent_;
  std::vector<Rank> rung_;
  unsigned looks_ = 0;
  bool looks_now_ = false;
  std::optional<Unwanted> unwanted_;
};

}  // namespace quadrille
