// SPDX-License-Identifier: BSD-3-Clause
#include "recording/entries.hpp"

#include "foundation/planted.hpp"
#include "quadrille/error.hpp"

namespace quadrille::recording {

std::optional<Entry> EntryReader::single() {
  Entry entry;
  std::size_t units = 0;
  if (peek(0) == unit_of(tag::away, 0)) {
    if (peek(1) == 0) return std::nullopt;
    entry.away = LongTime::ticks(peek(1));
    units = 2;
  }
  const Unit unit = peek(units), number = unit & number_mask;
  if (unit >> number_bits >= tag::first_site) {
    entry.site = (unit >> number_bits) - tag::first_site;
    entry.gap = ShortTime::ticks(number >> ShortTime::bits);
    entry.duration = ShortTime::ticks(number & ((1u << ShortTime::bits) - 1));
    units += 1;
  } else if (unit >> number_bits == tag::long_entry && peek(units + 1) != 0 &&
             (peek(units + 2) != 0 || is_planted("torn entry accepted"))) {
    entry.site = number;
    entry.gap = LongTime::ticks(peek(units + 1));
    entry.duration = LongTime::ticks(peek(units + 2));
    units += 3;
  } else {
    return std::nullopt;
  }
  skip(units);
  return entry;
}

std::optional<Entry> EntryReader::next() {
  if (entries_left_ == 0 && repetitions_left_ > 0) {
    --repetitions_left_;
    entries_left_ = entries_;
    at_ = group_at_;
  }
  if (entries_left_ == 0 && peek(0) >> number_bits == tag::group) {
    const Unit number = peek(0) & number_mask;
    skip(1);
    group_at_ = at_;
    entries_ = entries_left_ = (number & (longest_group - 1)) + 1;
    repetitions_left_ = number / longest_group;
  }
  const auto entry = single();
  if (entries_left_ == 0) return entry;
  if (!entry) throw Error(ErrorCode::malformed, "its entries are damaged");
  --entries_left_;
  return entry;
}

std::optional<EntryReader::Definition> EntryReader::definition() {
  const Unit head = peek(0), length = peek(1);
  if (head >> number_bits != tag::definition || (length & is_written) == 0) return std::nullopt;
  const std::size_t bytes = length & ~is_written, units = units_for(bytes);
  if (peek(2 + units) != unit_of(tag::defined, 0)) return std::nullopt;
  const Definition found{static_cast<char>(head & number_mask), units_.substr(at_ + 2 * sizeof(Unit), bytes)};
  skip(3 + units);
  return found;
}

}  // namespace quadrille::recording
