// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a rank's buffers that have been written, as disjoint intervals. A strided region counts as its hull.
#pragma once

#include <iterator>
#include <map>
#include <utility>

#include "quadrille/schedule.hpp"

namespace quadrille {

class WrittenBytes {
 public:
  void add(const Regions& regions) {
    for (const Region& region : regions) {
      auto [first, last] = hull(region);
      if (region.length == 0) continue;
      std::map<Bytes, Bytes>& ends = ends_[region.buffer];
      auto next = ends.upper_bound(first);
      if (next != ends.begin() && std::prev(next)->second >= first) next = std::prev(next), first = next->first;
      while (next != ends.end() && next->first <= last) last = std::max(last, next->second), next = ends.erase(next);
      ends.emplace(first, last);
    }
  }

  bool overlaps(const Regions& regions) const {
    for (const Region& region : regions) {
      const auto [first, last] = hull(region);
      const auto of_buffer = ends_.find(region.buffer);
      if (region.length == 0 || of_buffer == ends_.end()) continue;
      const auto next = of_buffer->second.lower_bound(last);
      if (next != of_buffer->second.begin() && std::prev(next)->second > first) return true;
    }
    return false;
  }

 private:
  std::map<Buffer, std::map<Bytes, Bytes>> ends_;  // of each interval by its begin
};

}  // namespace quadrille
