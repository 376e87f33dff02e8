// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/regions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/assert.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

// A region that is moved within one place. The place's bytes are numbered: byte x lies in run x / length, and runs are numbered
// by the digits of the levels' counts. A step by a multiple of a digit's unit changes only this digit, unless a carry changes the
// next digit.
class WithinPlace {
 public:
  WithinPlace(const Region& place, Bytes first) : place_(place), moved_{place.buffer, place.offset, 0, {}} {
    QUADRILLE_ASSERT(place.length > 0 && first >= 0);
    units_[0] = place.length;
    for (std::size_t k = 0; k < 3; ++k) units_[k + 1] = units_[k] * place.levels[k].count;
    in_run_ = {first % place.length, first % place.length};
    moved_.offset += in_run_.least;
    for (std::size_t k = 0; k < 3; ++k) {
      digits_[k].least = digits_[k].most = first % units_[k + 1] / units_[k];
      moved_.offset += digits_[k].least * place.levels[k].stride;
    }
  }

  // Returns the region's image if it is one region.
  std::optional<Region> image(Bytes length, const std::array<Level, 3>& levels) {
    if (!add_run(length)) return std::nullopt;
    for (const Level& level : levels)
      if (level.count > 1 && !add_level(level)) return std::nullopt;
    if (in_run_.least < 0 || in_run_.most + moved_.length > place_.length) return std::nullopt;
    for (std::size_t k = 0; k < 3; ++k)
      if (digits_[k].least < 0 || digits_[k].most >= place_.levels[k].count) return std::nullopt;
    return moved_;
  }

 private:
  struct Range {
    Count least = 0, most = 0;
    void widen(Count distance) { (distance < 0 ? least : most) += distance; }
  };

  bool append(Level level) {
    if (level.count == 1) return true;
    if (used_ == 3) return false;
    moved_.levels[used_++] = level;
    return true;
  }

  // Adds the innermost run, which is a part of one run of the place, or consists of whole runs.
  bool add_run(Bytes length) {
    if (in_run_.least + length <= place_.length) {
      moved_.length = length;
      return true;
    }
    if (in_run_.least != 0 || length % place_.length != 0) return false;
    moved_.length = place_.length;
    Count runs = length / place_.length;
    for (std::size_t k = 0; k < 3 && runs > 1; ++k) {
      const Count count = place_.levels[k].count;
      const Count here = digits_[k].least == 0 && runs % count == 0 ? count : runs;
      if (!append({here, place_.levels[k].stride})) return false;
      digits_[k].widen(here - 1);
      runs /= here;
    }
    return runs == 1;
  }

  bool add_level(const Level& level) {
    for (std::size_t k = 3; k-- > 0;)
      if (place_.levels[k].count > 1 && level.stride % units_[k] == 0) {
        const Count steps = level.stride / units_[k];
        digits_[k].widen(steps * (level.count - 1));
        return append({level.count, steps * place_.levels[k].stride});
      }
    in_run_.widen(level.stride * (level.count - 1));
    return append(level);
  }

  const Region& place_;
  Region moved_;
  std::size_t used_ = 0;  // levels of moved_
  std::array<Bytes, 4> units_{};
  Range in_run_;
  std::array<Range, 3> digits_;
};

bool is_one_run(const Region& region) {
  return std::all_of(region.levels.begin(), region.levels.end(), [](const Level& level) { return level.count == 1; });
}

// Reads the bytes of regions in their order.
class RunReader {
 public:
  explicit RunReader(const Regions& list) : at_(list.begin()), end_(list.end()) { skip_empty(); }
  bool at_end() const { return at_ == end_; }
  const Region* operator->() const { return &*at_; }
  Bytes offset() const {
    Bytes offset = at_->offset + used_;
    for (std::size_t k = 0; k < run_.size(); ++k) offset += run_[k] * at_->levels[k].stride;
    return offset;
  }
  Bytes left() const { return at_->length - used_; }                  // of this run
  Count runs_left() const { return at_->levels[0].count - run_[0]; }  // of the innermost level
  void skip_runs(Count runs) {
    used_ = 0;
    run_[0] += runs;
    for (std::size_t k = 0; run_[k] == at_->levels[k].count;) {
      run_[k] = 0;
      if (++k < run_.size()) {
        ++run_[k];
        continue;
      }
      ++at_;
      return skip_empty();
    }
  }
  void skip_bytes(Bytes bytes) {
    if ((used_ += bytes) == at_->length) skip_runs(1);
  }

 private:
  void skip_empty() {
    while (at_ != end_ && bytes(*at_) == 0) ++at_;
  }

  Regions::const_iterator at_, end_;
  std::array<Count, 3> run_{};  // by level
  Bytes used_ = 0;
};

}  // namespace

std::string in_words(const Region& region) {
  std::string text = fmt::format("{} from {}[{}]", counted(region.length, "byte"), name(region.buffer), region.offset);
  const char* all_that = "";
  for (const Level& level : region.levels) {
    if (level.count == 1) continue;
    text += fmt::format(", {}{}, {} apart", all_that, counted(level.count, "time"), counted(level.stride, "byte"));
    all_that = "all that ";
  }
  return text;
}

BufferMap::BufferMap(Regions places) : places_(std::move(places)) {
  std::erase_if(places_, [](const Region& place) { return bytes(place) == 0; });
  for (const Region& place : places_) {
    const auto end = checked_sum(starts_.back(), bytes(place));
    if (!end) throw Error(ErrorCode::too_large, "a buffer reaches 2^63 bytes");
    starts_.push_back(*end);
  }
}

Regions BufferMap::operator()(const Region& region) const {
  if (bytes(region) == 0) return {};
  const auto place_of = [&](Bytes offset) {
    return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin() - 1);
  };
  const auto [first, end] = hull(region);
  QUADRILLE_ASSERT(first >= 0 && end <= size());
  if (const std::size_t place = place_of(first); end <= starts_[place + 1]) {
    if (is_one_run(places_[place])) {
      Region moved = region;
      moved.buffer = places_[place].buffer;
      moved.offset += places_[place].offset - starts_[place];
      return {moved};
    }
    if (const auto image = WithinPlace(places_[place], region.offset - starts_[place]).image(region.length, region.levels))
      return {*image};
  }
  Regions moved;
  for_each_run(region, [&](Bytes offset, Bytes length) {
    for (std::size_t place = place_of(offset); length > 0; ++place) {
      const Bytes part = std::min(length, starts_[place + 1] - offset);
      const Bytes within = offset - starts_[place];
      if (const auto image = WithinPlace(places_[place], within).image(part, {}))
        append_folded(moved, *image);
      else
        for (Bytes at = within, left = part; left > 0;) {  // run by run of the place
          const Bytes here = std::min(left, places_[place].length - at % places_[place].length);
          append_folded(moved, *WithinPlace(places_[place], at).image(here, {}));
          at += here, left -= here;
        }
      offset += part;
      length -= part;
    }
  });
  QUADRILLE_ASSERT(bytes(moved) == bytes(region));
  return moved;
}

void append_folded(Regions& regions, const Region& region) {
  if (!regions.empty() && regions.back().buffer == region.buffer && is_one_run(region)) {
    Region& last = regions.back();
    Level& level = last.levels[0];
    if (is_one_run(last) && last.offset + last.length == region.offset) {
      last.length += region.length;
      return;
    }
    if (last.length == region.length && last.levels[1] == Level{} && last.levels[2] == Level{} &&
        (level.count == 1 || region.offset == last.offset + level.count * level.stride)) {
      if (level.count == 1) level.stride = region.offset - last.offset;
      ++level.count;
      return;
    }
  }
  regions.push_back(region);
}

bool are_same_bytes(const Regions& some, const Regions& others) {
  RunReader a(some), b(others);
  while (!a.at_end() && !b.at_end()) {
    if (a->buffer != b->buffer || a.offset() != b.offset()) return false;
    if (a.left() == b.left() && a->length == b->length && a->levels[0].stride == b->levels[0].stride) {
      const Count runs = std::min(a.runs_left(), b.runs_left());
      a.skip_runs(runs), b.skip_runs(runs);
    } else {
      const Bytes bytes = std::min(a.left(), b.left());
      a.skip_bytes(bytes), b.skip_bytes(bytes);
    }
  }
  return a.at_end() && b.at_end();
}

}  // namespace quadrille
