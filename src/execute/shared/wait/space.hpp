// SPDX-License-Identifier: BSD-3-Clause
// One rank of a group that shares memory: the memory, the waits, gathers and failures of the group, and the ranks' use of each
// other's memory.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "execute/executions/in_flight.hpp"
#include "execute/executions/waiting.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/protocol/loan.hpp"
#include "execute/shared/protocol/sleep.hpp"
#include "execute/shared/wait/costs.hpp"
#include "foundation/planted.hpp"
#include "quadrille/error.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// The last starts of one rank, in shared memory. With these records ranks check that they start plans in the same order. Each
// rank writes the number of each plan that it starts into its own cache lines, at the cost of two stores. Other ranks read these
// numbers only after they have waited for long (SharedSpace::wait_until).
struct alignas(64) StartRecord {
  static constexpr std::uint64_t kept = 64;
  std::atomic<std::uint64_t> count{0};  // how many plans this rank has started
  std::atomic<std::uint32_t> stuck{0};  // not 0: the rank for which the owner has waited long (SharedSpace::name_of)
  alignas(64) mutable std::uint32_t
      plans[kept];  // start n is at [n % kept]; not initialised, because programs make thousands of groups

  // Both stores release, and first_difference acquires both. A reader that sees a count also sees the plans that it counts.
  // Start n replaces start n - kept. A reader that sees the new entry also sees a count of at least n, so it knows that the
  // old start is gone. If the entry were stored relaxed, the reader could see it with an older count, and would compare
  // starts of different numbers.
  void add(std::uint32_t plan) {
    const std::uint64_t number = count.load(std::memory_order_relaxed);  // no other rank writes it
    std::atomic_ref(plans[number % kept]).store(plan, std::memory_order_release);
    count.store(number + 1, std::memory_order_release);
  }
};

// Among the starts that the records of two ranks still hold, the first one that differs.
struct DifferentStart {
  std::uint64_t number;  // from 0
  std::uint32_t mine, theirs;
};
std::optional<DifferentStart> first_difference(const StartRecord& mine, const StartRecord& theirs);

class SharedStarts final : public Starts {
 public:
  SharedStarts(StartRecord& record, const Progress& progress) : record_(record), progress_(progress) {}

  [[gnu::hot]] void begin(std::uint32_t plan) override {
    if (progress_.ended && progress_.ended->load(std::memory_order_relaxed)) throw_ended();
    check_not_forked();
    progress_.count_start();
    record_.add(plan);
  }
  const std::shared_ptr<InFlight>& in_flight() const override { return progress_.in_flight; }
  void give_core_away() const override { quadrille::give_core_away(progress_); }
  void begin_barrier() {
    check_not_forked();
    record_.add(barrier);
  }

  // Returns a sentence on the first start in which this rank (`own`) differs from rank `other`, or "" if there is none. Called by
  // a rank that is stuck.
  std::string difference(Rank own, Rank other, const StartRecord& others) const;

 private:
  StartRecord& record_;
  const Progress& progress_;
};

// One rank's part of a group's head: its contribution to gathers, and the word by which it is woken. Other ranks read it.
struct alignas(64) RankArea {
  static constexpr Bytes size = 440;
  static constexpr Bytes barrier = -1;  // Half::gathered in a barrier
  struct Half {
    Bytes gathered;  // the length of the whole gather, by which ranks notice that they call different collectives
    std::byte bytes[size];
  };
  Sleep::Word doorbell{0};           // a futex; other ranks ring it to wake this rank
  std::atomic<bool> left{false};     // this rank has left the group: it makes and executes no more plans there
  std::atomic<bool> through{false};  // this rank has left, and checks of its retired places no longer read the group's memory
  StartRecord starts;                // the plans that this rank has started
  // Gathers alternate between the two halves. A rank that overwrites a half knows that all ranks have read it: all have entered
  // the previous gather, so all have completed the gather before that, which used this half.
  alignas(64) Half halves[2];
};

// The rank for which a sleeping rank waits, as name_of writes it; 0 while the rank is awake. All ranks' words are adjacent,
// because ring() reads many of them.
using Awaited = Sleep::Word;

// The beginning of a group's shared memory: what its ranks need to gather, to wait for each other and to fail together. In memory
// it is followed by one RankArea for each rank, and then by one Awaited for each.
struct alignas(64) SpaceHead {
  alignas(64) std::atomic<Count> arrived{0};
  alignas(64) std::atomic<std::uint64_t> generation{0};
  alignas(64) std::atomic<std::uint32_t> failed{0};
  // The reason for the failure, from the first rank that gives a reason. All waiting ranks throw it.
  enum Reason : std::uint32_t { unknown, being_written, known };
  std::atomic<std::uint32_t> reason{unknown};
  std::uint32_t reason_code = 0;  // an ErrorCode
  char reason_text[496];          // not initialised
  // If has_costs: the SharingCosts of rank 0's process, written before other ranks map the head.
  bool has_costs = false;
  std::byte costs[sizeof(SharingCosts)];  // not initialised

  static Bytes bytes(Count ranks) {
    return static_cast<Bytes>(sizeof(SpaceHead)) + ranks * static_cast<Bytes>(sizeof(RankArea) + sizeof(Awaited));
  }
};

class SharedSpace : public SharedMemory {
 public:
  // `head` must come from make_head.
  SharedSpace(SpaceHead* head, Rank rank, Count ranks)
      : head_(head), rank_(rank), ranks_(ranks), starts_(rank_area(rank).starts, progress_) {}

  static SpaceHead* make_head(void* memory, Count ranks);  // `memory` has SpaceHead::bytes bytes, aligned to 64
  const SpaceHead& head() const { return *head_; }

  Rank rank() const { return rank_; }
  Count size() const { return ranks_; }

  // Declares that this rank has left: no rank needs to wait for it any more. The store is a release, so a waiting rank that sees
  // it and then checks its condition once more (wait_until) sees everything that this rank stored before.
  void leave() { rank_area(rank_).left.store(true, std::memory_order_release); }

  // Fails the group: all waiting ranks throw the reason that the first rank has given, or Error{peer_lost} if no rank has given a
  // reason. The store is a release, so a rank that sees the failure also sees the reason and everything that this rank sent
  // before.
  void fail() { head_->failed.store(1, std::memory_order_release); }
  [[noreturn]] void fail(const Error& why);
  [[noreturn]] void throw_lost() const;
  bool has_failed() const final { return head_->failed.load(std::memory_order_acquire) != 0; }

  // Sets the progress that waiting ranks drive (waiting.hpp). Without this call waiting ranks drive no progress.
  void set_progress(Progress progress) { progress_ = std::move(progress); }

  // Sets the rank numbers that error sentences show, if this group is part of a larger group.
  void set_names(std::vector<Rank> names) { names_ = std::move(names); }

  Rank shown(Rank rank) const { return names_.empty() ? rank : names_[static_cast<std::size_t>(rank)]; }

  SharedStarts& starts() { return starts_; }

  // Does the process of that rank still run? True if the answer is not known.
  virtual bool is_there(Rank) const { return true; }

  // The number of cores on which the ranks may run.
  void set_core_count(Count cores) {
    core_count_ = cores;
    starts_.set_shares_cores(!core_for_every_rank());
  }
  Count core_count() const { return core_count_; }
  bool core_for_every_rank() const { return ranks_ <= core_count_; }

  // Whether a rank that yields gives its core to another rank of the group (SharingCosts). True until it has been measured.
  void set_yields_hand_over(bool hand_over) { yields_hand_over_ = hand_over; }

  // To be set before ranks wait for each other.
  void set_fencing(Fencing fencing) { fencing_ = fencing; }

  // Waits until done() returns true, and advances this rank's other executions meanwhile. done() is not called again after it has
  // returned true. The rank that makes done() true must then call ring(); whom() returns that rank, or `anybody`. Throws if
  // another rank fails or dies. Also throws if the ranks have started their plans in different orders, because such a wait never
  // ends.
  static constexpr Rank anybody = -1;
  static constexpr std::chrono::milliseconds between_questions{100};
  template <class Done, class Whom>
  void wait_until(Done&& done, Whom&& whom) {
    Backoff backoff(progress_);
    Patience patience(yields_hand_over_, progress_);
    LongWait long_wait(*this);
    InFlight& others = *progress_.in_flight;
    // If other executions are in flight, any rank may make them progress, not only the one named by whom().
    const auto who_wakes = [&] { return others.is_empty() ? whom() : anybody; };
    while (!done()) {
      others.advance();
      bool long_since = false;
      if (core_for_every_rank()) {
        long_since = backoff.pause();
      } else if (patience.is_over()) {
        const Rank waited_for = who_wakes();
        const std::uint32_t heard = lie_down(waited_for);
        others.advance();
        const bool over = !is_planted("sleep without a last look") && done();
        if (!over && who_wakes() == waited_for) sleep(heard);  // if whom() has changed, the rank `waited_for` would not ring
        Sleep::end(awaited(rank_));
        if (over) return;
        long_since = long_wait.is_time_to_ask();
      }
      if (long_since) {
        try {
          long_wait.ask(who_wakes());
        } catch (const Error&) {
          if (done()) return;  // the condition became true before the failure
          throw;
        }
        if (has_left(whom())) {
          if (done()) return;  // the other rank did its part before it left
          fail();
          throw_lost();
        }
      }
      if (has_failed()) {
        if (done()) return;  // the condition became true before the failure
        throw_lost();
      }
    }
  }

  // Does the condition of a wait drive the transport's progress? `no`: it does not, so the wait drives it. `as_usual`: it does,
  // as Progress::drive, which may yield the core. `without_yielding`: it does, and never yields the core.
  enum class Driving { no, as_usual, without_yielding };

  // As wait_until, for conditions that become true without a ring. It never sleeps.
  template <class Done>
  void poll_until(Done&& done, Driving driving) {
    LongWait long_wait(*this);
    int polls = 0;
    for (bool failed = false; !done(); give_core_away_after(driving)) {
      progress_.in_flight->advance();
      if (failed) throw_lost();  // thrown only after done() was called once more
      if (++polls % polls_between_looks == 0 && long_wait.is_time_to_ask()) long_wait.ask(anybody);
      failed = has_failed();
    }
  }

  // Called after the condition was false.
  void give_core_away_after(Driving driving) const {
    switch (driving) {
      case Driving::no: return give_core_away(progress_);
      case Driving::as_usual: return give_core_away_after_poll(progress_);
      case Driving::without_yielding: sched_yield();
    }
  }

  // Is it likely that another rank wants this rank's core? An MPI library whose polls yield expects that.
  bool shares_core() const { return !core_for_every_rank() || (progress_.polls_yield && progress_.polls_yield()); }

  // Returns done() without waiting. Throws as wait_until does. The caller keeps `looks` from one call to the next.
  template <class Done, class Whom>
  bool poll(Done&& done, Whom&& whom, LongSince& looks) {
    if (done()) return true;
    if (looks.is_over()) {
      fail_if_somebody_is_gone();
      if (has_left(whom())) {
        if (done()) return true;  // the other rank did its part before it left
        fail();
      }
    }
    if (!has_failed()) return false;
    if (done()) return true;  // the condition became true before the failure
    throw_lost();
  }

  // Wakes those of `ranks` that sleep until this rank rings. Call it after every store for which they may wait (sleep.hpp).
  void ring(std::span<const Rank> ranks) const {
    if (core_for_every_rank()) return;  // no rank sleeps until it is woken
    Sleep::begin_to_look(fencing_);
    if (is_planted("doorbell lost")) ranks = ranks.first(std::min<std::size_t>(ranks.size(), 1));
    for (const Rank rank : ranks) wake_if_it_sleeps(rank);
  }
  void ring(Rank rank) const { ring({&rank, 1}); }
  void ring_all() const {
    if (core_for_every_rank()) return;
    Sleep::begin_to_look(fencing_);
    for (Rank rank = 0; rank < ranks_; ++rank) wake_if_it_sleeps(rank);
  }

  // Collective. Both functions throw Error{misuse} on all ranks if some ranks call the other function, or gather another number
  // of bytes.
  void barrier();
  void all_gather(const void* mine, void* all, Bytes count);

  // Fails the group, unless the rank has left the group before. Called when the rank's process has ended, or when the rank cannot
  // take part in the group.
  static void end_without(SpaceHead* head, Rank rank) {
    if (!rank_area_of(head, rank).left.load(std::memory_order_acquire)) head->failed.store(1, std::memory_order_release);
  }

  static RankArea& rank_area_of(SpaceHead* head, Rank rank) { return reinterpret_cast<RankArea*>(head + 1)[rank]; }

 private:
  static constexpr int polls_between_looks = 64;

  // Writes this rank's half, waits for all ranks, and returns the index of the half.
  std::size_t meet(Bytes gathered, std::span<const std::byte> bytes);
  void wait_for_all();

  // A long wait: this rank checks from time to time whether the other ranks still run and have started the same plans. From the
  // first check on, its StartRecord shows for which rank it waits.
  class LongWait {
   public:
    explicit LongWait(SharedSpace& space) : space_(space) {}
    ~LongWait() {
      if (asked_) space_.rank_area(space_.rank_).starts.stuck.store(0, std::memory_order_relaxed);
    }
    LongWait(const LongWait&) = delete;
    LongWait& operator=(const LongWait&) = delete;

    // Is the next check due? The clock decides, so it does not matter how often the rank is woken.
    bool is_time_to_ask() {
      const auto now = std::chrono::steady_clock::now();
      if (last_ == std::chrono::steady_clock::time_point{}) last_ = now;
      if (now - last_ < between_questions) return false;
      last_ = now;
      return true;
    }

    void ask(Rank whom) {
      asked_ = true;
      space_.rank_area(space_.rank_).starts.stuck.store(name_of(whom), std::memory_order_release);
      space_.fail_if_somebody_is_gone();
      space_.fail_if_starts_differ(whom);
      space_.fail_if_far_apart(whom, seen_);
    }

   private:
    SharedSpace& space_;
    bool asked_ = false;
    std::chrono::steady_clock::time_point last_{};
    std::uint64_t seen_ = 0;  // state of fail_if_far_apart
  };

  RankArea& rank_area(Rank rank) const { return rank_area_of(head_, rank); }
  Awaited& awaited(Rank rank) const { return reinterpret_cast<Awaited*>(reinterpret_cast<RankArea*>(head_ + 1) + ranks_)[rank]; }
  static std::uint32_t name_of(Rank rank) { return static_cast<std::uint32_t>(rank + 2); }
  std::uint32_t lie_down(Rank whom) { return Sleep::begin(awaited(rank_), rank_area(rank_).doorbell, name_of(whom), fencing_); }
  void sleep(std::uint32_t heard);  // sleeps until the doorbell's value differs from `heard`, or for longest_sleep()
  std::chrono::milliseconds longest_sleep() const;
  void wake_if_it_sleeps(Rank rank) const {
    const std::uint32_t whom = Sleep::look(awaited(rank));
    if (whom != 0 && (whom == name_of(rank_) || whom == name_of(anybody))) wake(rank);
  }
  void wake(Rank rank) const;
  void fail_if_somebody_is_gone();
  void fail_if_starts_differ(Rank whom);
  void fail_if_far_apart(Rank whom, std::uint64_t& seen);
  bool has_left(Rank rank) const { return rank != anybody && rank_area(rank).left.load(std::memory_order_acquire); }
  Rank first_that_left() const;  // `anybody` if no rank has left

  SpaceHead* const head_;
  const Rank rank_;
  const Count ranks_;
  Count core_count_ = 1;
  bool yields_hand_over_ = true;
  Fencing fencing_ = Fencing::each_its_own;
  Progress progress_;
  SharedStarts starts_;
  std::vector<Rank> names_;
  std::uint64_t meetings_ = 0;
};

// With the following functions, ranks of a group use each other's memory in plans and in exchanges. The receiver of a loan
// (protocol/loan.hpp) takes it and gives it back; the owner withdraws it after a failure; and all ranks release their memory at
// the end. The function read_lent is the receiver's part: `read` copies. Throws if the owner has withdrawn the loan.
template <class Read>
void read_lent(SharedSpace& space, Loan& loan, std::uint64_t number, Rank owner, Read&& read) {
  if (!loan.take(number)) space.throw_lost();
  if (is_planted("loan back early")) loan.give_back(number);
  try {
    read();
  } catch (...) {
    loan.put_back_unread(number);  // the owner may now withdraw it and reuse the memory
    throw;
  }
  loan.give_back(number);
  space.ring(owner);
}

// Returns where this process can load memory that is lent; null if it must call read_private, because the memory is private (the
// offset is 0) or cannot be mapped. Fails the group if the process can neither load nor read the memory, because the owner waits
// for the copy.
const std::byte* loadable(SharedSpace& space, Offset offset);

// The owner's part after a failure: returns when the receiver does not read the memory, and will not begin to.
void withdraw_lent(SharedSpace& space, Loan& loan, std::uint64_t number, Rank receiver);

// Fails the group, and says which rank had the error.
void fail_all(SharedSpace& space, const Error& why) noexcept;

// Releases the memory of a plan or an exchange when no rank of the group accesses it any more (protocol/closing.hpp). Local.
// After the call this rank must not access other ranks' areas. Retires its own, and at rank 0 the control memory, in which
// `closing` lies.
void close_areas(SharedSpace& space, Closing& closing, std::span<const Offset> own, Offset control);

}  // namespace quadrille
