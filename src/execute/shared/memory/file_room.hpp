// SPDX-License-Identifier: BSD-3-Clause
// Which parts of a shared file are taken, and which are free. This is bookkeeping only: it calls neither the system nor the clock,
// and knows extents only as borders that no piece crosses. Not thread-safe. All memory is held in small nodes, because a preloaded
// heap (src/heap) must not be asked for a large block while this object changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "quadrille/types.hpp"

namespace quadrille {

using Place = std::uint64_t;  // offset in a file, in bytes; 0 means none: the title lies at offset 0

class FileRoom {
 public:
  using Milliseconds = std::int64_t;  // of any clock that only goes forward, from 1 on
  static constexpr Bytes line = 64, page = 4096;
  using MayUse = std::function<bool(std::size_t extent)>;

  struct Piece {
    Place place;
    Bytes length;
  };

  // A free piece is *warm* if pages of it may hold memory of the system. Neighbours are joined if both are warm, or both cold. The
  // age of joined pieces is that of the youngest. Cold: `warm_since` is 0. Returns the joined piece.
  Piece add_free(Piece piece, Milliseconds warm_since = 0);

  // Takes `length` bytes from the shortest free piece that is long enough, the first of several; warm pieces come before cold ones,
  // if the length is at least a page. Then the place is aligned to a page, else to 64 bytes. Asks `may_use` about the extent of
  // each piece that fits.
  std::optional<Place> take(Bytes length, const MayUse& may_use);

  // Takes `length` bytes where they can grow in place: from the middle of a piece that is four times as long, or else of the
  // longest. So a block that grows by small steps moves seldom, also beside others that grow.
  std::optional<Place> take_to_grow(Bytes length, const MayUse& may_use);

  Bytes length_of(Place place) const;    // 0: nothing is taken there
  Bytes drop(Place place);               // forgets what is taken there, but does not make it free; returns the length
  bool grow(Place place, Bytes length);  // in place, if the room behind is free
  std::optional<Piece> cut(Place place, Bytes length);  // shortens; the end is neither taken nor free then, and is returned

  // A block that was released may be *parked* in place of being free: the next request of its length gets it, and no list changes.
  // Parked blocks count as warm. `park` returns the block that the caller must make free (length 0: none): the one that was parked
  // longest if there are 8, or this one if it is longer than `longest_parked`. It ignores what is parked already.
  static constexpr Bytes longest_parked = Bytes{8} << 20;
  Piece park(Place place, Milliseconds since);
  std::optional<Place> take_parked(Bytes length);

  bool has_warm(Bytes length) const { return warm_by_length_.lower_bound({length, 0}) != warm_by_length_.end(); }

  // Removes warm pieces and parked blocks that were released at `until` or before, as many as fit. Returns how many.
  std::size_t take_warm(Milliseconds until, std::span<Piece> pieces);
  void take_warm(Place place);  // removes the warm piece that begins there

  Bytes bytes_taken() const { return taken_bytes_; }
  Bytes most_taken() const { return most_taken_; }  // at any time
  Bytes bytes_warm() const { return warm_bytes_; }

 private:
  struct Free {
    Bytes length;
    Milliseconds warm_since;
  };
  using Pieces = std::map<Place, Free>;
  using ByLength = std::set<std::pair<Bytes, Place>>;

  ByLength& by_length(const Free& free) { return free.warm_since ? warm_by_length_ : cold_by_length_; }
  struct Parked {
    Piece piece;  // length 0: none
    Milliseconds since;
  };

  void count_taken(Bytes more);
  void insert(Place place, Free free);
  void remove(Pieces::iterator piece);
  Place take_at(Pieces::iterator piece, Place place, Bytes length);
  Piece unpark(Parked& parked);

  Pieces free_;
  ByLength warm_by_length_, cold_by_length_;
  std::map<Place, Bytes> taken_;  // also what is parked
  std::array<Parked, 8> parked_{};
  std::size_t next_parked_ = 0;  // is replaced next
  Bytes taken_bytes_ = 0, most_taken_ = 0, warm_bytes_ = 0;
};

}  // namespace quadrille
