// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/slice_dealing.hpp"

#include <algorithm>

#include "patterns/deal.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

Parameter split_parameter() {
  return {
      .name = "split",
      .summary = "dealing continues from target to target (chain), or starts anew for each target as in the paper: less balanced",
      .standard = "chain",
      .choices = {"chain", "paper"}};
}

Split split_of(const Parameters& parameters) { return word(parameters, "split") == "chain" ? Split::chain : Split::paper; }

void deal_along(const std::vector<Rank>& line, Count slots, Count first, Split split, Bytes grain,
                const std::vector<HeldSlice>& held, const SliceRoute::Hand& hand) {
  const Count length = size(line);
  Count slot = first;
  for (auto slice = held.begin(); slice != held.end();) {  // the slices for one target
    const Rank target = slice->target;
    Count total = 0;
    auto last = slice;
    for (; last != held.end() && last->target == target; ++last) total += ceil_divide(last->length(), grain);
    if (split == Split::paper) slot = target % length;
    Count before = 0;  // units of the earlier slices for this target
    for (Count position = 0, begin = 0; position < length; ++position) {
      const Count end = slots_before(slot + total, slots, length, position + 1) - slots_before(slot, slots, length, position + 1);
      while (begin < end) {
        const Count units = ceil_divide(slice->length(), grain);
        const Count stop = std::min(end, before + units);
        hand(slice->part(times_at_most(begin - before, grain, slice->length()),
                         times_at_most(stop - before, grain, slice->length())),
             line[index(position)]);
        begin = stop;
        if (stop == before + units) {
          before += units;
          ++slice;
        }
      }
    }
    slot = (slot + total) % slots;
    slice = last;
  }
}

}  // namespace quadrille
