// SPDX-License-Identifier: BSD-3-Clause
// Hands out the memory of a rank's area: shared memory into which it copies messages for others. What an exchange takes is one
// chunk. Chunks are released in the order in which they were taken, as soon as the receivers have finished those exchanges. So a
// rank may run ahead of its receivers until the area is full.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

class Area {
 public:
  explicit Area(Bytes bytes) : bytes_(bytes), chunks_(most_chunks) {}

  Bytes bytes() const { return bytes_; }

  // Begins a chunk. `wanted` is what the exchange would take if there were room for all. `is_over(exchange)` returns whether all
  // receivers of that exchange's chunk have finished the exchange.
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

  // Where a message of so many bytes would begin, and how many bytes there are from there on.
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

  // Prefers the beginning of the area: then exchanges that follow each other closely use the same few cache lines again.
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
        end_ = 0;  // of the chunk that is being taken: where it begins, its end so far, and the end of its room
};

}  // namespace quadrille
