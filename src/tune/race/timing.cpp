// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/timing.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "execute/executions/waiting.hpp"
#include "foundation/arithmetic.hpp"
#include "plan/gathered.hpp"
#include "quadrille/indexed.hpp"
#include "tune/cores.hpp"

namespace quadrille {
namespace {

struct Interval {
  Nanoseconds start = 0, end = 0;
};

// Returns true if this rank's node has fewer cores than ranks.
bool is_crowded(Communicator& communicator) {
  const std::vector<cpu_set_t> cores = cores_of_nodes(communicator);
  const std::vector<Count>& nodes = communicator.nodes();
  const Count node = nodes[index(communicator.rank())];
  return std::count(nodes.begin(), nodes.end(), node) > CPU_COUNT(&cores[index(node)]);
}

}  // namespace

std::shared_ptr<std::byte> buffer(Communicator& communicator, Bytes bytes, bool shared) {
  const Bytes length = rounded_up(std::max<Bytes>(bytes, 1), 4096);
  std::shared_ptr<std::byte> memory;
  try {
    if (shared)
      memory = communicator.allocate(length);
    else
      memory = {static_cast<std::byte*>(std::aligned_alloc(4096, index(length))), std::free};
  } catch (const std::bad_alloc&) {}
  if (!memory) throw Error(ErrorCode::too_large, fmt::format("there is no memory for a buffer of {} bytes", bytes));
  return memory;
}

Stopwatch::Stopwatch(Communicator& communicator, Clock clock)
    : communicator_(communicator), clocks_(communicator, std::move(clock)), crowded_(is_crowded(communicator)) {}

// Agrees on a start time when the last rank has arrived, and waits for it. All ranks should learn of the start time before it has
// passed. So it is twice as far ahead as the longest delay with which a rank learned of the previous start time. If ranks share
// cores, waiting ranks yield, because other ranks may not have learned of the start time yet.
void Stopwatch::start_together() {
  static constexpr Nanoseconds longest_wait = 1'000'000;
  struct Arrival {
    Nanoseconds at = 0, lateness = 0;
  };
  const auto now = [&] { return clocks_.estimated_reference(clocks_.now()); };
  const std::vector<Arrival> arrivals = gathered(communicator_, Arrival{now(), lateness_});
  Arrival last = arrivals.front();
  for (const Arrival& each : arrivals) last = {std::max(last.at, each.at), std::max(last.lateness, each.lateness)};
  lateness_ = std::max<Nanoseconds>(0, now() - last.at);
  const Nanoseconds start = last.at + std::min(2 * last.lateness, longest_wait);
  const Progress nothing;  // the wait takes at most a millisecond
  Backoff backoff(nothing);
  while (now() < start) {
    if (crowded_)
      sched_yield();
    else
      backoff.pause();
  }
}

std::vector<Span> Stopwatch::time(std::size_t count, const std::function<void(std::size_t)>& run,
                                  const std::function<void(std::size_t)>& prepare) {
  std::vector<Interval> mine(count), all(count * index(communicator_.size()));
  clocks_.compare();
  for (std::size_t i = 0; i < count; ++i) {
    if (prepare) prepare(i);
    start_together();
    mine[i].start = clocks_.now();
    run(i);
    mine[i].end = clocks_.now();
  }
  clocks_.compare();
  for (Interval& each : mine) each = {clocks_.reference(each.start), clocks_.reference(each.end)};
  communicator_.all_gather(mine.data(), all.data(), static_cast<Bytes>(count * sizeof(Interval)));
  std::vector<Span> spans;
  for (std::size_t i = 0; i < count; ++i) {
    Interval whole = all[i];
    Nanoseconds least = whole.end - whole.start, most = least, sum = 0;
    for (std::size_t at = i; at < all.size(); at += count) {
      whole = {std::min(whole.start, all[at].start), std::max(whole.end, all[at].end)};
      const Nanoseconds own = all[at].end - all[at].start;
      least = std::min(least, own), most = std::max(most, own), sum += own;
    }
    spans.push_back({.seconds = static_cast<double>(whole.end - whole.start) * 1e-9,
                     .bound = static_cast<double>(clocks_.bound()) * 1e-9,
                     .least = static_cast<double>(least) * 1e-9,
                     .mean = static_cast<double>(sum) * 1e-9 / static_cast<double>(communicator_.size()),
                     .most = static_cast<double>(most) * 1e-9});
  }
  return spans;
}

}  // namespace quadrille
