// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/wait/space.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>

#include "foundation/assert.hpp"
#include "foundation/planted.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

std::optional<DifferentStart> first_difference(const StartRecord& mine, const StartRecord& theirs) {
  // This rank's own record needs no memory order. The loads of the other record acquire what StartRecord::add releases. The first
  // load of the count makes the counted starts visible. If the load of an entry sees a newer start, the second load of the count
  // sees at least the count that was published before that start. This count shows that the entry has changed.
  const std::uint64_t own = mine.count.load(std::memory_order_relaxed), others = theirs.count.load(std::memory_order_acquire);
  // Skips the oldest entry: its owner may be overwriting it, before publishing the new count.
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

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "shared memory has no room for another process's locks");

SpaceHead* SharedSpace::make_head(void* memory, Count ranks) {
  auto* head = new (memory) SpaceHead;
  auto* areas = reinterpret_cast<RankArea*>(head + 1);
  for (Rank rank = 0; rank < ranks; ++rank) new (areas + rank) RankArea;
  for (Rank rank = 0; rank < ranks; ++rank) new (reinterpret_cast<Awaited*>(areas + ranks) + rank) Awaited(0);
  return head;
}

void SharedSpace::fail(const Error& why) {
  // Code and text of the reason are plain memory. The compare-exchange decides which rank may write them. That rank stores
  // `known` with release after it has written them, and other ranks read them only after they have acquired `known`. The
  // compare-exchange itself may be relaxed, because no read depends on it.
  std::uint32_t expected = SpaceHead::unknown;
  if (head_->reason.compare_exchange_strong(expected, SpaceHead::being_written, std::memory_order_relaxed)) {
    head_->reason_code = static_cast<std::uint32_t>(why.code());
    const std::string_view text = why.what();
    head_->reason_text[text.copy(head_->reason_text, sizeof head_->reason_text - 1)] = 0;
    head_->reason.store(SpaceHead::known, std::memory_order_release);
  } else {  // another rank writes its reason: wait briefly, so that all ranks report it; that rank may be dead
    for (int looks = 0; looks < 1000 && head_->reason.load(std::memory_order_acquire) != SpaceHead::known; ++looks) sched_yield();
  }
  fail();
  if (head_->reason.load(std::memory_order_acquire) == SpaceHead::known) throw_lost();
  throw why;
}

void SharedSpace::fail_if_somebody_is_gone() {
  if (is_planted("death not noticed")) return;
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (rank != rank_ && !is_there(rank) && !rank_area(rank).left.load(std::memory_order_acquire))
      fail(Error(ErrorCode::peer_lost, fmt::format("rank {} of the group is gone", shown(rank))));
}

// Compares only with ranks that are stuck themselves. A rank that is not stuck may be ahead of this rank or behind it, which is
// not an error.
void SharedSpace::fail_if_starts_differ(Rank whom) {
  const auto waits_for = [&](std::uint32_t name) {
    return name == name_of(anybody) ? std::string("other ranks") : fmt::format("rank {}", shown(static_cast<Rank>(name) - 2));
  };
  for (Rank rank = 0; rank < ranks_; ++rank) {
    if (rank == rank_ || (whom != anybody && whom != rank)) continue;
    // A rank that is no longer stuck clears `stuck` before its next start, and publishes that start with release. So if
    // difference() sees the start, the later load of `stuck` sees the change.
    const StartRecord& theirs = rank_area(rank).starts;
    const std::uint32_t stuck = theirs.stuck.load(std::memory_order_acquire);
    if (stuck == 0) continue;
    const std::string difference = starts_.difference(shown(rank_), shown(rank), theirs);
    if (difference.empty() || theirs.stuck.load(std::memory_order_relaxed) != stuck) continue;
    fail(Error(ErrorCode::misuse,
               fmt::format("{}; now rank {} waits for {} and rank {} for {}; start plans in the same order on all ranks",
                           difference, shown(rank_), waits_for(name_of(whom)), shown(rank), waits_for(stuck))));
  }
}

// Start records hold only the last StartRecord::kept starts. If the records of two ranks have no start in common, they cannot be
// compared. But suppose that the two ranks wait for each other, and that neither makes progress between two checks. In this case
// they have started plans in different orders: each has sent all messages of the plans that it has completed, and this rank has
// no other execution in flight.
void SharedSpace::fail_if_far_apart(Rank whom, std::uint64_t& seen) {
  if (whom == anybody || !progress_.in_flight->is_empty()) return;
  // The acquire makes this rank load the count before `stuck`. A count that is older than the value of `stuck` does no harm: the
  // count will differ at the next check, so no error is thrown.
  const StartRecord &mine = rank_area(rank_).starts, &theirs = rank_area(whom).starts;
  const std::uint64_t own = mine.count.load(std::memory_order_relaxed), others = theirs.count.load(std::memory_order_acquire);
  if (theirs.stuck.load(std::memory_order_acquire) != name_of(rank_) ||
      std::max(own, others) - std::min(own, others) < StartRecord::kept)
    return;
  if (std::exchange(seen, others) != others) return;
  const bool ahead = own > others;
  fail(Error(
      ErrorCode::misuse,
      fmt::format("rank {} is {} starts ahead of rank {}, and they wait for each other; start plans in the same order on all ranks",
                  shown(ahead ? rank_ : whom), ahead ? own - others : others - own, shown(ahead ? whom : rank_))));
}

Rank SharedSpace::first_that_left() const {
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (has_left(rank)) return rank;
  return anybody;
}

void SharedSpace::throw_lost() const {
  if (head_->reason.load(std::memory_order_acquire) != SpaceHead::known)
    throw Error(ErrorCode::peer_lost, "another rank of the group failed");
  throw Error(static_cast<ErrorCode>(head_->reason_code), head_->reason_text);
}

// A sleeping rank drives no progress. So its sleeps are short in two cases: the transport must be polled; or an execution is in
// flight, which may wait for an event that rings no doorbell.
std::chrono::milliseconds SharedSpace::longest_sleep() const {
  return progress_.poll || !progress_.in_flight->is_empty() ? std::chrono::milliseconds(1) : between_questions;
}

void SharedSpace::sleep(std::uint32_t heard) {
  const timespec longest{0, std::chrono::nanoseconds(longest_sleep()).count()};
  ::syscall(SYS_futex, &rank_area(rank_).doorbell, FUTEX_WAIT, heard, &longest, nullptr, 0);
}

void SharedSpace::wake(Rank rank) const {
  Sleep::ring(rank_area(rank).doorbell);
  ::syscall(SYS_futex, &rank_area(rank).doorbell, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void SharedSpace::wait_for_all() {
  // After the barrier every rank sees what any rank stored before it. A rank's arrival releases its stores. The last rank to
  // arrive acquires the stores of all ranks (the read-modify-writes form a release sequence) and releases them with `generation`,
  // which the other ranks acquire. `arrived` is reset before `generation` is stored, so no rank arrives at the next barrier
  // before the reset. This rank's load of `generation` may be relaxed, because its value cannot be out of date: the rank has seen
  // the end of the last barrier, and this barrier cannot end without this rank.
  const std::uint64_t generation = head_->generation.load(std::memory_order_relaxed);
  if (head_->arrived.fetch_add(1, is_planted("arrival relaxed") ? std::memory_order_relaxed : std::memory_order_acq_rel) + 1 ==
      ranks_) {
    const auto reset = [&] { head_->arrived.store(0, std::memory_order_relaxed); };
    if (!is_planted("barrier reset late")) reset();
    head_->generation.store(generation + 1, std::memory_order_release);
    if (is_planted("barrier reset late")) reset();
    ring_all();
  } else {
    wait_until([&] { return head_->generation.load(std::memory_order_acquire) != generation; }, [&] { return first_that_left(); });
  }
}

// A rank writes its data into one half of its rank area, waits for all ranks, and then reads the others' rank areas. So no rank
// reads before all ranks have written. The two halves alternate: a rank overwrites a half only after the next meeting, and each
// rank has read this half before it arrives there.
std::size_t SharedSpace::meet(Bytes gathered, std::span<const std::byte> bytes) {
  starts_.begin_barrier();  // called first, because it throws in a forked child, which does not have the rank area
  const std::size_t half = is_planted("one half for all gathers") ? 0 : meetings_++ % 2;
  RankArea::Half& mine = rank_area(rank_).halves[half];
  QUADRILLE_ASSERT(bytes.size() <= sizeof mine.bytes);
  mine.gathered = gathered;
  if (!bytes.empty()) std::memcpy(mine.bytes, bytes.data(), bytes.size());
  wait_for_all();
  for (Rank rank = 1; rank < ranks_; ++rank)  // all ranks get the same result
    if (rank_area(rank).halves[half].gathered != rank_area(0).halves[half].gathered)
      throw Error(ErrorCode::misuse, fmt::format("ranks {} and {} have met in different calls (barrier, all_gather, making a plan, "
                                                 "or a call that makes one); make them in the same order on all ranks",
                                                 shown(0), shown(rank)));
  return half;
}

void SharedSpace::barrier() { meet(RankArea::barrier, {}); }

void SharedSpace::all_gather(const void* mine, void* all, Bytes count) {
  const auto gather = [&](Bytes first, Bytes length) {
    const std::size_t half = meet(count, {static_cast<const std::byte*>(mine) + first, index(length)});
    for (Rank rank = 0; rank < ranks_; ++rank)
      std::memcpy(static_cast<std::byte*>(all) + rank * count + first, rank_area(rank).halves[half].bytes, index(length));
  };
  constexpr Bytes most_by_rank_areas = 16 * RankArea::size;
  if (count <= most_by_rank_areas) {
    for (Bytes first = 0; first < count; first += RankArea::size) gather(first, std::min(RankArea::size, count - first));
    return;
  }
  Offset place = 0;
  try {
    place = allocate(count);
  } catch (const std::bad_alloc&) {
    fail();  // otherwise the other ranks would wait at the barrier for ever
    throw Error(ErrorCode::too_large, "there is not enough memory for what all ranks gather");
  }
  std::memcpy(at(place), mine, index(count));
  ByRank<Offset> places(ranks_);
  all_gather(&place, places.data(), sizeof place);
  for (Rank rank = 0; rank < ranks_; ++rank)
    std::memcpy(static_cast<std::byte*>(all) + rank * count, at(places[rank]), index(count));
  starts_.begin_barrier();
  if (!is_planted("gathered memory released early")) wait_for_all();  // returns when all ranks have read
  release(place);
}

const std::byte* loadable(SharedSpace& space, Offset offset) {
  if (offset == 0) return nullptr;
  try {
    return space.at(offset);
  } catch (const Error& error) {  // mapping fails if no address space is left (ulimit -v)
    if (!space.reads_private_memory()) space.fail(error);
    return nullptr;
  }
}

void withdraw_lent(SharedSpace& space, Loan& loan, std::uint64_t number, Rank receiver) {
  LongSince long_since(std::chrono::milliseconds(100));
  loan.withdraw(number, [&] {
    if (long_since.is_over() && !space.is_there(receiver)) return true;
    sched_yield();
    return false;
  });
}

void fail_all(SharedSpace& space, const Error& why) noexcept {
  try {
    space.fail(Error(why.code(), fmt::format("rank {}: {}", space.shown(space.rank()), why.what())));
  } catch (const Error&) {  // `fail` also throws the error here
  }
}

// Each area is released when all ranks have closed. The last check is this rank's last access to `closing`.
void close_areas(SharedSpace& space, Closing& closing, std::span<const Offset> own, Offset control) {
  closing.close();
  if (own.empty()) closing.go_through();
  const Count ranks = space.size();
  const auto checks = std::make_shared<std::size_t>(own.size());
  for (const Offset place : own)
    space.retire(place, [&closing, ranks, checks] {
      if (!closing.have_closed(ranks) && !is_planted("area released early")) return false;
      if (--*checks == 0) closing.go_through();
      return true;
    });
  if (space.rank() == 0) space.retire(control, [&closing, ranks] { return closing.are_through(ranks); });
}

}  // namespace quadrille
