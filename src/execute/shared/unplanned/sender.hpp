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

  // Returns the first edge to this rank itself, which it leaves to the caller; the end of the list if there is none.
  const Edges::Send* begin(std::span<const Edges::Send> sends, std::uint64_t exchange);
  bool advance();   // returns whether all messages are sent, and none is lent any more
  void withdraw();  // after a failure: returns when nobody reads this rank's memory any more

  // The rank for which this one waits; SharedSpace::anybody if there are several.
  Rank awaited() const { return heads_.empty() && lent_.size() == 1 ? lent_[0].to : SharedSpace::anybody; }
  bool is_over() const { return heads_.empty() && lent_.empty(); }
  // The next `advance` finds out whether a receiver expects nothing, or has come nearer.
  void look() { looks_now_ = true; }
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
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Waiting : CopiedMessage {  // a message that is not sent at once
    const Edges::Send* edge = nullptr;
    Offset offset = 0;          // of its memory in the shared space; 0: private
    std::uint32_t next = none;  // the next message to the same rank

    Bytes wanted() const;  // of the area
  };

  void make_room(std::size_t sends);
  void send_tiny(std::span<const Edges::Send> sends);
  void put_off(const Edges::Send& edge);
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
  struct Last {                      // the last message to a rank that was put off, and in which exchange
    std::uint64_t exchange = 0;
    std::uint32_t place = none;
  };
  ByRank<Last> last_;  // by receiver
  std::uint64_t exchange_ = 0;
  std::vector<Waiting> waiting_;              // all that were put off in this exchange
  std::vector<std::uint32_t> heads_, turns_;  // the next message to each rank, as places in waiting_; and those of one pass
  bool is_far_ahead_ = false;                 // each of them waits for a receiver that is far behind
  Count left_ = 0;                            // messages that are not sent, and
  Bytes wanted_ = 0;                          // how much of the area they want
  std::vector<Lent> lent_;
  std::vector<Rank> rung_;
  unsigned looks_ = 0;
  bool looks_now_ = false;
  std::optional<Unwanted> unwanted_;
};

}  // namespace quadrille
