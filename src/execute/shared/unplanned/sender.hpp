// SPDX-License-Identifier: BSD-3-Clause
// What one rank sends in an exchange in shared memory. It chooses how each message gets to its receiver (exchange.hpp lists the
// ways), for all messages of the exchange together.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "execute/shared/unplanned/area.hpp"
#include "execute/shared/unplanned/pair_slots.hpp"
#include "execute/shared/unplanned/pieces_trial.hpp"
#include "execute/shared/wait/copy_choice.hpp"
#include "quadrille/edges.hpp"

namespace quadrille {

class Sender {
  using Clock = std::chrono::steady_clock;

 public:
  Sender(SharedSpace& space, PairSlots& slots, const CopyCosts& costs);

  // The area, and behind it the double buffers.
  Bytes area_bytes() const { return area_.bytes() + double_buffers_of(space_.size()) * Slot::double_buffer_bytes; }
  void begin_at(std::byte* area) { memory_ = area; }

  // Returns the first edge to this rank itself, which it leaves to the caller; the end of the list if there is none.
  const Edges::Send* begin(std::span<const Edges::Send> sends, std::uint64_t exchange);
  bool advance();   // returns whether all messages are sent, and none is lent any more
  void end();       // the whole exchange is over
  void withdraw();  // after a failure: returns when nobody reads this rank's memory any more

  // The rank for which this one waits; SharedSpace::anybody if there are several.
  Rank awaited() const { return heads_.empty() && lent_.size() == 1 ? lent_[0].to : SharedSpace::anybody; }
  bool is_over() const { return heads_.empty() && lent_.empty(); }
  // The bytes of pieces that have been put into shared memory. The sum grows while an exchange goes on.
  Bytes put_bytes() const { return put_bytes_; }
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
  // Each message in pieces needs one. They are so few that they stay in the caches; further messages wait.
  static Count double_buffers_of(Count ranks) { return std::clamp<Count>(ranks - 1, 1, 8); }
  static constexpr Offset no_buffer = ~Offset{0};

  struct Lent {  // a message that its receiver has still to read
    Rank to;
    Slot* slot;
    std::uint64_t number;
    const Edges::Send* edge;
    Offset buffer = no_buffer;  // for a message in pieces: its double buffer,
    Bytes put = 0;              // and how many bytes have been put there so far
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
  void lend(Slot& slot, const Edges::Send& edge, Offset offset);
  bool send_in_pieces(Slot& slot, const Edges::Send& edge);
  void put_piece(Lent& message);
  bool try_to_finish(Lent& message);
  void finish(const Lent& message);
  bool is_over_for_receivers(std::uint64_t exchange);
  void drop_unwanted();

  SharedSpace& space_;
  PairSlots& slots_;
  const CopyChoice choice_;
  PiecesTrial trial_;
  Clock::time_point started_;  // if the trial times this exchange
  Area area_;
  std::byte* memory_ = nullptr;       // of the area, then of the double buffers
  std::vector<Offset> free_buffers_;  // double buffers that no message uses: their places
  Bytes put_bytes_ = 0;
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
