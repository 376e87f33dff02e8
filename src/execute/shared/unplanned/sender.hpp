// SPDX-License-Identifier: BSD-3-Clause
// Sends the messages of one rank in an exchange in shared memory. For all messages of the exchange together, it chooses in which
// way each gets to its receiver (exchange.hpp lists the ways).
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "execute/shared/unplanned/pair_slots.hpp"
#include "execute/shared/wait/costs.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// Chooses whether the long messages of an exchange go in pieces or are copied once, where both are possible. Which way takes less
// time depends on the processor, on the caches, on the other ranks, and on other programs. So both ways are timed on the
// program's own exchanges: at first they alternate, later the other way is tried occasionally. Medians are compared, so no single
// sample decides.
class PiecesTrial {
 public:
  // Returns whether the long messages of an exchange go in pieces. `bytes`: the sum of their bytes. `expected`: the estimated
  // time in pieces, as a multiple of the time of copying them once.
  bool begin(Bytes bytes, double expected);

  // Is the exchange to be timed? If so, call `end` with the time that it took.
  bool is_timed() const { return timed_ != nullptr; }
  void end(double seconds);
  void abandon() { timed_ = nullptr; }

 private:
  static constexpr std::size_t samples_each = 5;
  static constexpr unsigned calls_between_samples = 31;  // a prime, because programs repeat a few exchanges in turn
  static constexpr double hopeless = 4;      // pieces are not tried if the estimate is this multiple of the time of copying once
  static constexpr double worthwhile = 0.9;  // pieces are used if they take less than this multiple of the time of copying once

  class Samples {  // the seconds per byte of the last exchanges
   public:
    void add(double value) { values_[count_++ % samples_each] = value; }
    std::size_t count() const { return count_; }
    double median() const;

   private:
    std::array<double, samples_each> values_{};
    std::size_t count_ = 0;
  };
  struct Kind {  // exchanges whose numbers of bytes differ by less than a factor of two
    Samples once, pieces;
    std::uint64_t calls = 0;
    bool prefers_pieces = false;
  };

  std::array<Kind, 32> kinds_{};
  Kind* timed_ = nullptr;
  bool in_pieces_ = false;
  Bytes bytes_ = 0;
};

// Hands out the memory of a rank's area: shared memory into which the rank copies messages for others. The memory that one
// exchange takes is a chunk. Chunks are released in the order in which they were taken, as soon as the receivers have finished
// their exchanges. So a rank may be ahead of its receivers until the area is full.
class Area {
 public:
  explicit Area(Bytes bytes) : bytes_(bytes), chunks_(most_chunks) {}

  Bytes bytes() const { return bytes_; }

  // Begins a chunk. `wanted`: the bytes that the exchange would take if there were room for all its messages. `is_over(exchange)`
  // returns whether all receivers of that exchange's chunk have finished the exchange.
  template <class IsOver>
  void open(Bytes wanted, IsOver&& is_over) {
    while (count_ > 0 && is_over(chunks_[oldest_].exchange)) {
      oldest_ = (oldest_ + 1) % most_chunks;
      --count_;
    }
    std::tie(first_, end_) = count_ == most_chunks ? std::pair<Bytes, Bytes>{0, 0} : free_range(wanted);
    at_ = first_;
  }
  void close(std::uint64_t exchange) {
    if (at_ == first_) return;
    chunks_[(oldest_ + count_++) % most_chunks] = {exchange, first_, at_};
  }

  // Where a message of `bytes` bytes would begin, and how many bytes are left from a place on.
  Bytes place_for(Bytes bytes) const { return rounded_up(at_, bytes < line ? 8 : line); }
  Bytes room_from(Bytes place) const { return std::max<Bytes>(0, end_ - place); }
  void take(Bytes place, Bytes bytes) {
    QUADRILLE_HOT_ASSERT(place >= at_ && bytes >= 0 && place + bytes <= end_);
    at_ = place + bytes;
  }

 private:
  static constexpr Bytes line = 64;
  static constexpr std::size_t most_chunks = 512;

  struct Chunk {
    std::uint64_t exchange;
    Bytes first, last;
  };

  // Prefers the beginning of the area, so that successive exchanges reuse the same few cache lines.
  std::pair<Bytes, Bytes> free_range(Bytes wanted) const {
    if (count_ == 0) return {0, bytes_};
    const Bytes used = chunks_[oldest_].first, end = rounded_up(chunks_[(oldest_ + count_ - 1) % most_chunks].last, line);
    if (end <= used) return {end, used};  // the chunks go on at the beginning of the area
    const bool at_beginning = used >= wanted || used > bytes_ - end;
    return at_beginning ? std::pair{Bytes{0}, used} : std::pair{std::min(end, bytes_), bytes_};
  }

  const Bytes bytes_;
  std::vector<Chunk> chunks_;  // a ring
  std::size_t oldest_ = 0, count_ = 0;
  Bytes first_ = 0, at_ = 0,
        end_ = 0;  // of the chunk that is being filled: its begin, its end so far, and the end of its room
};

class Sender {
  using Clock = std::chrono::steady_clock;

 public:
  Sender(SharedSpace& space, PairSlots& slots, const CopyCosts& costs);

  Bytes area_bytes() const { return area_.bytes() + double_buffers_of(space_.size()) * Slot::double_buffer_bytes; }
  void begin_at(std::byte* area) { memory_ = area; }

  // Returns the first edge from this rank to itself, or the end of the list. The caller must copy such edges.
  const Edges::Send* begin(std::span<const Edges::Send> sends, std::uint64_t exchange);
  bool advance();   // returns whether all messages are sent and no loan is open
  void end();       // the whole exchange is over
  void withdraw();  // after a failure: returns when no rank reads this rank's memory any more

  // The rank for which this rank waits; SharedSpace::anybody if there are several.
  Rank awaited() const { return heads_.empty() && lent_.size() == 1 ? lent_[0].to : SharedSpace::anybody; }
  bool is_over() const { return heads_.empty() && lent_.empty(); }
  // The bytes of pieces that have been put into shared memory. The sum grows while an exchange goes on.
  Bytes put_bytes() const { return put_bytes_; }
  // Makes the next `advance` check whether a receiver expects no more messages, or has advanced.
  void look() { looks_now_ = true; }
  Bytes memory_bytes() const;

  // A lent message that its receiver did not expect. `begin` resets it.
  struct Unwanted {
    Rank to;
    Bytes bytes;
  };
  const std::optional<Unwanted>& unwanted() const { return unwanted_; }

 private:
  // Each message in pieces needs a double buffer. There are few, so that they stay in the caches; further messages wait.
  static Count double_buffers_of(Count ranks) { return std::clamp<Count>(ranks - 1, 1, 8); }
  static constexpr Offset no_buffer = ~Offset{0};

  struct Lent {  // a message that its receiver has still to read
    Rank to;
    Slot* slot;
    std::uint64_t number;
    const Edges::Send* edge;
    Offset buffer = no_buffer;  // for a message in pieces: its double buffer,
    Bytes put = 0;              // and the number of bytes put there so far
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Waiting : CopiedMessage {  // a message that is not sent at once
    const Edges::Send* edge = nullptr;
    Offset offset = 0;          // offset of its memory in the shared space; 0: private memory
    std::uint32_t next = none;  // the next message to the same rank

    Bytes wanted() const;  // how many bytes of the area the message needs
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
  Clock::time_point started_;  // set if the trial times this exchange
  Area area_;
  std::byte* memory_ = nullptr;       // memory of the area, then of the double buffers
  std::vector<Offset> free_buffers_;  // places of the double buffers that no message uses
  Bytes put_bytes_ = 0;
  ByRank<std::uint64_t> area_used_;  // by receiver: the last exchange with a message in the area
  struct Last {                      // of the messages to one rank that had to wait: the last one, and its exchange
    std::uint64_t exchange = 0;
    std::uint32_t place = none;
  };
  ByRank<Last> last_;  // by receiver
  std::uint64_t exchange_ = 0;
  std::vector<Waiting> waiting_;              // all messages that had to wait in this exchange
  std::vector<std::uint32_t> heads_, turns_;  // indices of waiting_: the next message to each rank; turns_: in the current turn
  bool is_far_ahead_ = false;                 // each message in heads_ waits for a receiver that is far behind
  Count left_ = 0;                            // messages that are not sent, and
  Bytes wanted_ = 0;                          // bytes of the area that these messages want
  std::vector<Lent> lent_;
  std::vector<Rank> rung_;
  unsigned looks_ = 0;
  bool looks_now_ = false;
  std::optional<Unwanted> unwanted_;
};

}  // namespace quadrille
