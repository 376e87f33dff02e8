// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/clocks.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <system_error>

#include "execute/executions/waiting.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/system/proc.hpp"
#include "plan/gathered.hpp"
#include "quadrille/indexed.hpp"
#include "tune/cores.hpp"

namespace quadrille {
namespace {

constexpr int ping_pongs_per_comparison = 40;

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

Clock monotonic_clock() {
  std::string source = boot_id();
  std::error_code error;  // kernels before 5.6 have no time namespaces
  if (!source.empty()) source += ' ' + std::filesystem::read_symlink("/proc/self/ns/time", error).string();
  return {std::move(source), [] {
            timespec time{};
            clock_gettime(CLOCK_MONOTONIC, &time);
            return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
          }};
}

ClockOffset offset_by(std::span<const PingPong> ping_pongs) {
  const PingPong best = *std::min_element(ping_pongs.begin(), ping_pongs.end(), [](const PingPong& a, const PingPong& b) {
    return a.received - a.sent < b.received - b.sent;
  });
  const Nanoseconds half = (best.received - best.sent + 1) / 2;
  return {best.sent + half, best.sent + half - best.reference, half};
}

Nanoseconds reference_time(Nanoseconds time, const ClockOffset& before, const ClockOffset& after) {
  const auto passed = static_cast<double>(time - before.at), between = static_cast<double>(after.at - before.at);
  const double share = between > 0 ? passed / between : 0;
  return time - before.offset - std::llround(share * static_cast<double>(after.offset - before.offset));
}

Clocks::Clocks(Communicator& communicator, Clock clock) : communicator_(communicator), clock_(std::move(clock)) {
  std::array<char, 128> source{};
  const std::string own = clock_.source.empty() ? fmt::format("rank {}", communicator.rank()) : clock_.source;
  own.copy(source.data(), source.size() - 1);
  const auto sources = gathered(communicator, source);
  for (const auto& each : sources) first_of_clock_.push_back(std::find(sources.begin(), sources.end(), each) - sources.begin());
  before_.resize(sources.size());
  after_.resize(sources.size());
  if (std::any_of(first_of_clock_.begin(), first_of_clock_.end(), [](Rank first) { return first != 0; }))
    exchanger_ = Exchanger::of(communicator);
}

void Clocks::compare() {
  if (!exchanger_) return;
  ClockOffset mine;
  for (Rank rank = 1; rank < communicator_.size(); ++rank) {
    if (first_of_clock_[rank] != rank) continue;
    if (communicator_.rank() == rank)
      mine = ask();
    else if (communicator_.rank() == 0)
      answer(rank);
    else  // all ranks start all exchanges, also ranks without messages
      for (int i = 0; i < 2 * ping_pongs_per_comparison; ++i) exchanger_->execute({.sends = {}, .receives = {}, .may_pack = false});
  }
  const ByRank<ClockOffset> of_firsts = gathered(communicator_, mine);
  before_ = std::move(after_);
  after_.clear();
  for (const Rank first : first_of_clock_) after_.push_back(of_firsts[first]);
}

ClockOffset Clocks::ask() {
  std::array<PingPong, ping_pongs_per_comparison> ping_pongs;
  for (PingPong& each : ping_pongs) {
    each.sent = now();
    send(0, each.sent);
    receive(0, each.reference);
    each.received = now();
  }
  return offset_by(ping_pongs);
}

void Clocks::answer(Rank asking) {
  for (int i = 0; i < ping_pongs_per_comparison; ++i) {
    Nanoseconds theirs = 0;
    receive(asking, theirs);
    send(asking, now());
  }
}

// `send` and `receive` exchange each message alone, because packing it with others would take longer.
void Clocks::send(Rank to, const Nanoseconds& time) {
  const Edges::Send edge{to, reinterpret_cast<const std::byte*>(&time), sizeof time};
  exchanger_->execute({.sends = {&edge, 1}, .receives = {}, .may_pack = false});
}

void Clocks::receive(Rank from, Nanoseconds& time) {
  const Edges::Receive edge{from, reinterpret_cast<std::byte*>(&time), sizeof time};
  exchanger_->execute({.sends = {}, .receives = {&edge, 1}, .may_pack = false});
}

Rank Clocks::first_of_clock() const { return first_of_clock_[communicator_.rank()]; }

Nanoseconds Clocks::estimated_reference(Nanoseconds time) const { return time - after_[communicator_.rank()].offset; }

Nanoseconds Clocks::reference(Nanoseconds time) const {
  const Rank rank = communicator_.rank();
  return reference_time(time, before_[rank], after_[rank]);
}

Nanoseconds Clocks::bound() const {
  Nanoseconds largest = 0, second = 0;  // the two largest bounds of all clocks
  for (Rank rank = 0; rank < communicator_.size(); ++rank) {
    if (first_of_clock_[rank] != rank) continue;
    const Nanoseconds own = std::max(before_[rank].bound, after_[rank].bound);
    second = std::max(second, std::min(own, largest));
    largest = std::max(largest, own);
  }
  return largest + second;
}

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

// Agrees on a start time when the last rank has arrived, and waits until that time. All ranks should learn of the start time
// before it has passed. So its distance from now is twice the longest delay with which a rank learned of the previous start time.
// If ranks share cores, waiting ranks yield, because other ranks may not have learned of the start time yet.
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
