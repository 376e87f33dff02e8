// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/file_room.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "execute/shared/memory/extents.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"

namespace quadrille {
namespace {

Place end_of(Place place, Bytes length) { return place + static_cast<Place>(length); }

Place aligned(Place place, Bytes length) {
  return static_cast<Place>(rounded_up(static_cast<Bytes>(place), length < FileRoom::page ? FileRoom::line : FileRoom::page));
}

}  // namespace

void FileRoom::count_taken(Bytes more) {
  taken_bytes_ += more;
  most_taken_ = std::max(most_taken_, taken_bytes_);
}

void FileRoom::insert(Place place, Free free) {
  if (free.length == 0) return;
  const auto next = free_.lower_bound(place);  // free pieces do not overlap
  QUADRILLE_ASSERT(free.length > 0 && (next == free_.end() || end_of(place, free.length) <= next->first));
  QUADRILLE_ASSERT(next == free_.begin() || end_of(std::prev(next)->first, std::prev(next)->second.length) <= place);
  free_.emplace_hint(next, place, free);
  by_length(free).emplace(free.length, place);
  if (free.warm_since) warm_bytes_ += free.length;
}

void FileRoom::remove(Pieces::iterator piece) {
  by_length(piece->second).erase({piece->second.length, piece->first});
  if (piece->second.warm_since) warm_bytes_ -= piece->second.length;
  free_.erase(piece);
}

FileRoom::Piece FileRoom::add_free(Piece piece, Milliseconds warm_since) {
  const auto joins = [&](const auto& other) {
    return (other.second.warm_since != 0) == (warm_since != 0) && Extents::of(other.first) == Extents::of(piece.place);
  };
  const auto take_in = [&](Pieces::iterator other) {
    piece = {std::min(piece.place, other->first), piece.length + other->second.length};
    warm_since = std::max(warm_since, other->second.warm_since);
    remove(other);
  };
  const auto behind = free_.lower_bound(piece.place);
  const auto before = behind == free_.begin() ? free_.end() : std::prev(behind);
  if (behind != free_.end() && end_of(piece.place, piece.length) == behind->first && joins(*behind)) take_in(behind);
  if (before != free_.end() && end_of(before->first, before->second.length) == piece.place && joins(*before)) take_in(before);
  insert(piece.place, {piece.length, warm_since});
  return piece;
}

Place FileRoom::take_at(Pieces::iterator piece, Place place, Bytes length) {
  const auto [first, free] = *piece;
  const auto skipped = static_cast<Bytes>(place - first);
  QUADRILLE_ASSERT(skipped >= 0 && skipped + length <= free.length);
  QUADRILLE_ASSERT(Extents::of(end_of(place, length) - 1) == Extents::of(first));
  remove(piece);
  insert(first, {skipped, free.warm_since});
  insert(end_of(place, length), {free.length - skipped - length, free.warm_since});
  taken_.emplace(place, length);
  count_taken(length);
  return place;
}

std::optional<Place> FileRoom::take(Bytes length, const MayUse& may_use) {
  for (const ByLength* const pieces : {&warm_by_length_, &cold_by_length_}) {
    if (pieces == &warm_by_length_ && length < page) continue;  // so that warm pieces consist of whole pages
    for (auto each = pieces->lower_bound({length, 0}); each != pieces->end(); ++each) {
      const auto [room, first] = *each;
      const Place place = aligned(first, length);
      if (end_of(place, length) <= end_of(first, room) && may_use(Extents::of(first)))
        return take_at(free_.find(first), place, length);
    }
  }
  return std::nullopt;
}

std::optional<Place> FileRoom::take_to_grow(Bytes length, const MayUse& may_use) {
  const ByLength& pieces = cold_by_length_;
  const auto take_from = [&](const std::pair<Bytes, Place>& piece) -> std::optional<Place> {
    const auto [room, first] = piece;
    const Bytes before = std::min((room - length) / 2, length);  // for the block that may grow there
    const Place place = aligned(first + static_cast<Place>(std::max<Bytes>(before, 0)), length);
    if (end_of(place, length) > end_of(first, room) || !may_use(Extents::of(first))) return std::nullopt;
    return take_at(free_.find(first), place, length);
  };
  for (auto each = pieces.lower_bound({4 * length, 0}); each != pieces.end(); ++each)
    if (const auto place = take_from(*each)) return place;
  for (auto each = pieces.rbegin(); each != pieces.rend() && each->first >= length; ++each)
    if (const auto place = take_from(*each)) return place;
  return take(length, may_use);
}

Bytes FileRoom::length_of(Place place) const {
  const auto entry = taken_.find(place);
  return entry == taken_.end() ? 0 : entry->second;
}

Bytes FileRoom::drop(Place place) {
  const auto entry = taken_.find(place);
  if (entry == taken_.end()) return 0;
  const Bytes length = entry->second;
  taken_.erase(entry);
  taken_bytes_ -= length;
  return length;
}

bool FileRoom::grow(Place place, Bytes length) {
  const auto entry = taken_.find(place);
  QUADRILLE_ASSERT(entry != taken_.end() && length >= entry->second);
  const Place end = end_of(place, length);
  Place reached = end_of(place, entry->second);
  for (auto piece = free_.find(reached); reached < end; piece = free_.find(reached)) {
    if (piece == free_.end() || Extents::of(piece->first) != Extents::of(place)) return false;
    reached = end_of(piece->first, piece->second.length);
  }
  for (Place at = end_of(place, entry->second); at < end;) {
    const auto piece = free_.find(at);
    const Free free = piece->second;
    const Place piece_end = end_of(at, free.length);
    remove(piece);
    if (piece_end > end) insert(end, {static_cast<Bytes>(piece_end - end), free.warm_since});
    at = piece_end;
  }
  count_taken(length - entry->second);
  entry->second = length;
  return true;
}

std::optional<FileRoom::Piece> FileRoom::cut(Place place, Bytes length) {
  const auto entry = taken_.find(place);
  QUADRILLE_ASSERT(entry != taken_.end() && length > 0 && length <= entry->second);
  const Bytes cut = entry->second - length;
  entry->second = length;
  taken_bytes_ -= cut;
  return cut == 0 ? std::nullopt : std::optional(Piece{end_of(place, length), cut});
}

FileRoom::Piece FileRoom::park(Place place, Milliseconds since) {
  const Bytes length = length_of(place);
  if (length > longest_parked) return {place, drop(place)};
  const bool is_parked = std::any_of(parked_.begin(), parked_.end(),
                                     [&](const Parked& each) { return each.piece.length > 0 && each.piece.place == place; });
  if (length == 0 || is_parked) return {};
  Parked& parked = parked_[next_parked_];
  next_parked_ = (next_parked_ + 1) % parked_.size();
  const Piece longest = unpark(parked);
  parked = {{place, length}, since};
  taken_bytes_ -= length;
  warm_bytes_ += length;
  return longest;
}

std::optional<Place> FileRoom::take_parked(Bytes length) {
  for (Parked& each : parked_) {
    if (each.piece.length != length) continue;
    warm_bytes_ -= length;
    count_taken(length);
    return std::exchange(each.piece, {}).place;
  }
  return std::nullopt;
}

FileRoom::Piece FileRoom::unpark(Parked& parked) {
  const Piece piece = std::exchange(parked.piece, {});
  taken_bytes_ += piece.length;
  warm_bytes_ -= piece.length;
  if (piece.length > 0) drop(piece.place);
  return piece;
}

std::size_t FileRoom::take_warm(Milliseconds until, std::span<Piece> pieces) {
  std::size_t count = 0;
  for (Parked& each : parked_)
    if (each.piece.length > 0 && each.since <= until && count < pieces.size()) pieces[count++] = unpark(each);
  for (auto each = warm_by_length_.begin(); each != warm_by_length_.end() && count < pieces.size();) {
    const auto [length, place] = *each++;
    const auto piece = free_.find(place);
    if (piece->second.warm_since > until) continue;
    pieces[count++] = {place, length};
    remove(piece);
  }
  return count;
}

void FileRoom::take_warm(Place place) {
  const auto piece = free_.find(place);
  QUADRILLE_ASSERT(piece != free_.end() && piece->second.warm_since);
  remove(piece);
}

}  // namespace quadrille
