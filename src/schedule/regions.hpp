// SPDX-License-Identifier: BSD-3-Clause
// Regions: loops over the regions of a round and over their bytes, sentences about them, and the map from a buffer to the memory
// where its bytes lie.
#pragma once

#include <algorithm>
#include <string>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Calls visit(regions) for each list of regions in a round: those of local operations, of sends and of receives. The round may be
// const.
template <class AnyRound, class Visit>
void for_all_regions(AnyRound& round, Visit&& visit) {
  for (auto& local : round.locals) {
    visit(local.source);
    visit(local.target);
  }
  for (auto& message : round.sends) visit(message.regions);
  for (auto& message : round.receives) visit(message.regions);
}

// Calls visit(buffer, offset, length) for each contiguous run, in order. Unlike for_each_run (schedule.hpp) it merges two
// successive runs if the second begins where the first ends, also across regions.
template <class Visit>
void for_each_merged_run(const Regions& regions, Visit&& visit) {
  Buffer buffer{};
  Bytes begin = 0, length = 0;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes more) {
      if (length > 0 && buffer == region.buffer && begin + length == offset) {
        length += more;
        return;
      }
      if (length > 0) visit(buffer, begin, length);
      buffer = region.buffer, begin = offset, length = more;
    });
  if (length > 0) visit(buffer, begin, length);
}

// Returns the merged runs as regions. Lists of regions with the same bytes in the same order then compare as equal.
inline Regions merged_runs(const Regions& regions) {
  Regions runs;
  for_each_merged_run(regions, [&](Buffer buffer, Bytes offset, Bytes length) { runs.push_back({buffer, offset, length, {}}); });
  return runs;
}

// Pairs the bytes of two lists in order: the first of one list with the first of the other, and so on. Calls visit(source, target)
// for each longest piece that is contiguous on both sides. The regions must be contiguous. Stops where the shorter list ends.
template <class Visit>
void for_each_pair_of_runs(const Regions& sources, const Regions& targets, Visit&& visit) {
  Bytes used = 0, filled = 0;  // bytes of *source and *target
  for (auto source = sources.begin(), target = targets.begin(); source != sources.end() && target != targets.end();) {
    const Bytes length = std::min(source->length - used, target->length - filled);
    if (length > 0)
      visit(Region{source->buffer, source->offset + used, length, {}}, Region{target->buffer, target->offset + filled, length, {}});
    if ((used += length) == source->length) ++source, used = 0;
    if ((filled += length) == target->length) ++target, filled = 0;
  }
}

// Returns "8 bytes from output[8], 4 times, 16 bytes apart", for sentences. The innermost level comes first. Brackets with two
// numbers would be ambiguous: the text form writes buffer[offset:length], and programming languages write buffer[begin:end].
std::string in_words(const Region& region);

// Maps the regions of one buffer to the memory where the bytes of that buffer lie.
class BufferMap {
 public:
  BufferMap() = default;  // of a buffer that has no bytes
  // The bytes of the buffer are the bytes of `places`, in this order. Throws Error{too_large} on overflow.
  explicit BufferMap(Regions places);

  Bytes size() const { return starts_.back(); }
  const Regions& places() const { return places_; }

  // Returns where the bytes of a region lie, in the order of its bytes. The region's `buffer` does not matter. A region stays one
  // region where the mapping moves its runs by equal distances; otherwise the result has an entry for each run, or for several
  // runs of equal length and distance.
  Regions operator()(const Region& region) const;

 private:
  Regions places_;                // none is empty
  std::vector<Bytes> starts_{0};  // offset in the buffer of each place; then the size
};

// Appends the region, or repeats the last entry once more if the region continues that entry's pattern of equal lengths and
// distances.
void append_folded(Regions& regions, const Region& region);

// Do both lists have the same bytes in the same order?
bool are_same_bytes(const Regions& some, const Regions& others);

}  // namespace quadrille
