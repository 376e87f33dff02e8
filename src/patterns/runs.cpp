// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/runs.hpp"

#include <algorithm>

namespace quadrille {
namespace {

void append(IndexSet& set, const Runs& runs) {
  if (runs.length > 0 && runs.count > 0) set.push_back(runs);
}

}  // namespace

Count size(const IndexSet& set) {
  Count total = 0;
  for (const Runs& runs : set) total += runs.length * runs.count;
  return total;
}

IndexSet part(const IndexSet& set, Count first, Count last) {
  IndexSet kept;
  for (const Runs& runs : set) {
    const Count stride = runs.count > 1 ? runs.stride : std::max(runs.length, Count{1});
    // Runs [cut_below, whole) begin before `first`; runs [whole, cut_above) lie inside; at most one run is cut at each
    // end.
    const auto clipped = [&](Count index) {
      const Count begin = runs.first + index * stride;
      const Count from = std::max(begin, first);
      const Count to = std::min(begin + runs.length, last);
      append(kept, {from, std::max<Count>(to - from, 0), 1, 0});
    };
    const Count whole_from = std::clamp<Count>(ceil_divide(std::max<Count>(first - runs.first, 0), stride), 0, runs.count);
    const Count room = last - runs.first - runs.length;  // the largest start of a run that lies inside, relative to the first run
    const Count whole_to = room < 0 ? 0 : std::min(runs.count, room / stride + 1);
    if (whole_from > 0) clipped(whole_from - 1);
    if (whole_from < whole_to)
      append(kept, {runs.first + whole_from * stride, runs.length, whole_to - whole_from, whole_to - whole_from > 1 ? stride : 0});
    const Count after = std::max(whole_from, whole_to);
    if (after < runs.count) clipped(after);
  }
  return kept;
}

void append_run(IndexSet& set, Count first, Count length) {
  if (length <= 0) return;
  if (!set.empty()) {
    Runs& last = set.back();
    if (last.count == 1 && last.first + last.length == first) {
      last.length += length;
      return;
    }
    const Count next = last.first + last.count * last.stride;
    if (last.length == length && (last.count == 1 || next == first)) {
      if (last.count == 1) last.stride = first - last.first;
      ++last.count;
      return;
    }
  }
  set.push_back({first, length, 1, 0});
}

IndexSet indices_with_digit(Count n, Count place, Count radix, Count digit) {
  const Count first = digit * place;
  if (first >= n) return {};
  // place * radix can exceed 2^63 only if it also exceeds n; then there is one run.
  const Count period = place > n / radix ? n : place * radix;
  IndexSet set;
  const Count whole = n - first < place ? 0 : (n - first - place) / period + 1;
  append(set, {first, place, whole, whole > 1 ? period : 0});
  const Count rest = first + whole * period;
  if (rest < n) append(set, {rest, std::min(place, n - rest), 1, 0});
  return set;
}

}  // namespace quadrille
