// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/wait/shared_starts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille {

std::optional<DifferentStart> first_difference(const StartRecord& mine, const StartRecord& theirs) {
  // This rank's own record needs no memory order. The loads of the other record acquire what StartRecord::add releases. The first
  // load of the count makes the counted starts visible. If the load of an entry sees a newer start, the second load of the count
  // sees at least the count from before that start was written, and so finds that the entry has changed.
  const std::uint64_t own = mine.count.load(std::memory_order_relaxed), others = theirs.count.load(std::memory_order_acquire);
  // Skips the oldest entry: its owner may be overwriting it before it publishes the new count.
  const std::uint64_t most = std::max(own, others), first = most >= StartRecord::kept ? most - StartRecord::kept + 1 : 0;
  for (std::uint64_t number = first; number < std::min(own, others); ++number) {
    const std::uint64_t place = number % StartRecord::kept;
    const DifferentStart start{number, std::atomic_ref(mine.plans[place]).load(std::memory_order_relaxed),
                               std::atomic_ref(theirs.plans[place]).load(std::memory_order_acquire)};
    if (start.mine != start.theirs && theirs.count.load(std::memory_order_acquire) == others) return start;
  }
  return std::nullopt;
}

std::string SharedStarts::difference(Rank own, Rank other, const StartRecord& others) const {
  const auto start = first_difference(record_, others);
  if (!start) return "";
  return fmt::format("rank {} starts {} where rank {} starts {}", own, call_of(start->mine), other, call_of(start->theirs));
}

}  // namespace quadrille
