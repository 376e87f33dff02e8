// SPDX-License-Identifier: BSD-3-Clause
// The entries of a rank's recording, as units of 32 bits. The same units are written while the program runs, and read afterwards.
//
// The upper 14 bits of a unit are its tag, and the lower 18 bits a number:
// - 0: nothing has been written here.
//
// - `long_entry`, site: an entry. Two long times follow: the gap and the call.
//
// - `away`: a long time follows. During the next entry's gap, the thread was not on a processor for this time.
//
// - `definition`, letter: what entries refer to. Its length in bytes follows, with `is_written`; then the bytes; then the unit
//   `defined`.
//
// - `group`, sizes: the number of entries - 1 (12 bits) and of repetitions - 1 (6 bits) of the group of entries that follows.
//
// - `first_site` + site, times: an entry whose gap and call are short times, of 9 bits each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "foundation/assert.hpp"
#include "foundation/planted.hpp"

namespace quadrille::recording {

using Unit = std::uint32_t;

inline constexpr int number_bits = 18;
inline constexpr Unit number_mask = (Unit{1} << number_bits) - 1;
inline constexpr Unit is_written = Unit{1} << 31;  // distinguishes a unit whose other bits are 0 from a unit that was not written

namespace tag {
inline constexpr Unit long_entry = 1, away = 2, definition = 3, defined = 4, group = 5, first_site = 8;
}

constexpr Unit unit_of(Unit tag, Unit number) { return tag << number_bits | number; }

inline constexpr std::uint32_t most_short_sites = (1u << 14) - tag::first_site;
inline constexpr std::uint32_t longest_group = 1u << 12, most_repetitions = 1u << 6;

// Times are in ticks. Site: a number among the rank's own sites.
struct Entry {
  std::uint32_t site = 0;
  std::uint64_t gap = 0, away = 0, duration = 0;
};

// Codes a time below `limit` in 9 bits, as a floating-point number with 4 bits of mantissa after a leading 1. Times below 32
// ticks are exact; steps above are 3 to 6 %.
struct ShortTime {
  static constexpr int bits = 9, digits = 4;
  static constexpr std::uint64_t limit = std::uint64_t{1} << 22;
  static constexpr Unit code(std::uint64_t ticks) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(ticks)) - digits - 1);
    const std::uint64_t rounded = ticks + ((std::uint64_t{1} << shift) >> 1);
    return (static_cast<Unit>(shift) << digits) + static_cast<Unit>(rounded >> shift);
  }
  static constexpr std::uint64_t ticks(Unit code) {
    constexpr Unit highest = 1u << digits;
    return code < 2 * highest ? code : std::uint64_t{highest + (code & (highest - 1))} << ((code >> digits) - 1);
  }
};

// Codes a time of up to 2^57 ticks in one unit: the 26 highest binary digits and a shift.
struct LongTime {
  static constexpr int digits = 26, most_shift = 31;
  static constexpr Unit code(std::uint64_t ticks) {
    ticks = std::min(ticks, ((std::uint64_t{1} << digits) - 1) << most_shift);
    const int shift = std::max(0, static_cast<int>(std::bit_width(ticks)) - digits);
    return is_written | static_cast<Unit>(shift) << digits | static_cast<Unit>(ticks >> shift);
  }
  static constexpr std::uint64_t ticks(Unit code) {
    return std::uint64_t{code & ((Unit{1} << digits) - 1)} << (code >> digits & most_shift);
  }
};

// Rounds short times so that sums stay right: the rounding error of a time is carried to the next times, and changes each of them
// by at most a 32nd.
class Rounding {
 public:
  Unit code(std::uint64_t ticks) noexcept {
    const auto own = static_cast<std::int64_t>(ticks);
    const std::int64_t more = std::clamp(owed_, -(own >> 5), own >> 5);
    const Unit code = ShortTime::code(static_cast<std::uint64_t>(own + more));
    QUADRILLE_HOT_ASSERT(code < 1u << ShortTime::bits);
    if (!is_planted("rounding not carried")) owed_ += own - static_cast<std::int64_t>(ShortTime::ticks(code));
    return code;
  }

 private:
  std::int64_t owed_ = 0;
};

// Turns entries into units. Costs a few nanoseconds.
class EntryCoder {
 public:
  void add_site() { rounding_.emplace_back(); }
  std::size_t sites() const { return rounding_.size(); }

  // Calls `put` with each unit. The site must have been added. `is_mean`: the entry stands for many entries, so its times are not
  // rounded.
  template <class Put>
  void code(const Entry& entry, const Put& put, bool is_mean = false) noexcept {
    QUADRILLE_HOT_ASSERT(entry.site < rounding_.size() && entry.site <= number_mask);
    if (entry.away > 0) [[unlikely]]
      put(unit_of(tag::away, 0)), put(LongTime::code(entry.away));
    if ((entry.gap | entry.duration) < ShortTime::limit && entry.site < most_short_sites && !is_mean) [[likely]] {
      SiteRounding& rounding = rounding_[entry.site];
      put(unit_of(tag::first_site + entry.site,
                  rounding.gap.code(entry.gap) << ShortTime::bits | rounding.duration.code(entry.duration)));
    } else {
      put(unit_of(tag::long_entry, entry.site)), put(LongTime::code(entry.gap)), put(LongTime::code(entry.duration));
    }
  }

 private:
  struct SiteRounding {
    Rounding gap, duration;
  };
  std::vector<SiteRounding> rounding_;
};

constexpr std::size_t units_for(std::size_t bytes) { return (bytes + sizeof(Unit) - 1) / sizeof(Unit); }

// Calls `put` with each unit of a definition.
template <class Put>
void put_definition(char letter, std::string_view bytes, const Put& put) noexcept {
  QUADRILLE_ASSERT(bytes.size() < is_written);
  put(unit_of(tag::definition, static_cast<unsigned char>(letter)));
  put(is_written | static_cast<Unit>(bytes.size()));
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), sizeof(Unit)))) {
    Unit unit = 0;
    std::memcpy(&unit, bytes.data(), std::min(bytes.size(), sizeof unit));
    put(unit);
  }
  put(unit_of(tag::defined, 0));
}

// Reads units. Groups are expanded.
class EntryReader {
 public:
  explicit EntryReader(std::string_view units) : units_(units) {}

  // Returns nothing at the end, and at a unit that does not belong to a complete entry. In the second case `at` is the place of
  // that unit. Throws Error{malformed} if a group is not complete.
  std::optional<Entry> next();

  // Returns the definition that begins here, and goes on behind it. Returns nothing if no complete definition begins here.
  struct Definition {
    char letter;
    std::string_view bytes;
  };
  std::optional<Definition> definition();

  std::size_t at() const { return at_; }  // in bytes

 private:
  std::optional<Entry> single();
  Unit peek(std::size_t ahead) const {
    Unit unit = 0;
    if (at_ + (ahead + 1) * sizeof unit <= units_.size())
      std::memcpy(&unit, units_.data() + at_ + ahead * sizeof unit, sizeof unit);
    return unit;
  }
  void skip(std::size_t units) { at_ += units * sizeof(Unit); }

  std::string_view units_;
  std::size_t at_ = 0;
  std::size_t group_at_ = 0;  // where the present group begins
  std::uint32_t entries_ = 0, entries_left_ = 0, repetitions_left_ = 0;
};

}  // namespace quadrille::recording
