// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a group share, as one of them sees it: by offsets, which mean the same to all. Threads share all of
// their process. Processes share the files that each of them has (group_space.hpp): its heap, which others read, and its control
// file, which others also write.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "execute/shared/costs.hpp"
#include "execute/shared/shared_starts.hpp"
#include "execute/waiting.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

using Offset = std::uint64_t;  // in the space; 0 is nowhere

// Of a rank in a group: where it lays something open to all others, and how it is woken.
struct alignas(64) Tray {
  static constexpr Bytes size = 440;
  static constexpr Bytes barrier = -1;  // what a rank gathers in a barrier
  struct Half {
    Bytes gathered;  // that the rank gathers in all, so that ranks that make different calls find out
    std::byte bytes[size];
  };
  std::atomic<std::uint32_t> bell{0};  // rung to wake this rank
  std::atomic<bool> left{false};       // this rank has left the group: it makes and executes no more plans there
  std::atomic<bool> through{false};    // nor does anything it has retired look at the group's memory any more
  StartRecord starts;                  // what this rank has started
  // Gathers use the two in turn: a rank begins the next gather only when all have read the last one but one.
  alignas(64) Half halves[2];
};

// Of this process's memory.
struct TargetPiece {
  std::byte* place;
  std::size_t length;  // bytes
};

// For whom a rank sleeps; 0 while it is awake. Close together, as many are looked at at once.
using Awaited = std::atomic<std::uint32_t>;

// At the beginning of a group's shared memory; `ranks` trays and so many Awaited follow.
struct alignas(64) SpaceHead {
  alignas(64) std::atomic<Count> arrived{0};
  alignas(64) std::atomic<std::uint64_t> generation{0};
  alignas(64) std::atomic<std::uint32_t> failed{0};
  // Why, as the first rank says that knows; all that wait repeat it.
  enum Reason : std::uint32_t { unknown, being_written, known };
  std::atomic<std::uint32_t> reason{unknown};
  std::uint32_t reason_code = 0;  // an ErrorCode
  char reason_text[496];          // not initialised
  // SharingCosts of rank 0's process, if has_costs; written before others see the head.
  bool has_costs = false;
  std::byte costs[sizeof(SharingCosts)];  // not initialised

  static Bytes bytes(Count ranks) {
    return static_cast<Bytes>(sizeof(SpaceHead)) + ranks * static_cast<Bytes>(sizeof(Tray) + sizeof(Awaited));
  }
};

class SharedSpace {
 public:
  // `head` is what make_head made.
  SharedSpace(SpaceHead* head, Rank rank, Count ranks)
      : head_(head), rank_(rank), ranks_(ranks), starts_(tray(rank).starts, progress_) {}
  virtual ~SharedSpace() = default;
  SharedSpace(const SharedSpace&) = delete;
  SharedSpace& operator=(const SharedSpace&) = delete;

  static SpaceHead* make_head(void* memory, Count ranks);  // memory: SpaceHead::bytes, aligned to 64
  const SpaceHead& head() const { return *head_; }

  Rank rank() const { return rank_; }
  Count size() const { return ranks_; }

  // Throws Error{environment} or {peer_lost} where another rank's memory cannot be mapped. An allocation is contiguous: from its
  // beginning, pointers and offsets may be counted on.
  virtual std::byte* at(Offset offset) const = 0;

  // Of memory in this rank's heap, which others can read; 0 for other memory.
  virtual Offset offset_of(const void* memory) const = 0;

  // The same where others read from `memory + first` to `memory + last`: 0 unless they can read all of it from this offset on.
  virtual Offset offset_of(const std::byte* memory, Bytes /*first*/, Bytes /*last*/) const { return offset_of(memory); }
  virtual bool holds_everything() const { return false; }  // is all memory of every rank in the space?

  // Aligned to 64. `allocate`: others read it, and this rank writes. `allocate_control`: others write there, too. Both throw
  // std::bad_alloc.
  virtual Offset allocate(Bytes bytes) = 0;
  virtual Offset allocate_control(Bytes bytes) = 0;
  virtual void release(Offset offset) = 0;

  // An allocation that others may still look at: it is released some time after `is_over` has become true. That may look at the
  // control memory of rank 0, and must not call the space.
  virtual void retire(Offset offset, std::function<bool()> is_over);
  void release_retired();

  // Another rank's memory, which need not be in the space, into at most `most_pieces` pieces, one after the other. Throws
  // Error{transport, peer_lost}.
  static constexpr std::size_t most_pieces = 64;
  virtual bool reads_private_memory() const = 0;
  virtual void read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) = 0;

  // False in a forked child: the space is its parent's, and the child must neither look at it nor change it.
  virtual bool is_usable() const { return true; }

  // This rank will not be waited for any more. Released after all that it has stored, so that who sees this and looks once more
  // (wait_until) sees whatever it was waiting for.
  void leave() { tray(rank_).left.store(true, std::memory_order_release); }

  // The group cannot go on: whoever waits throws what the first rank says that gives a reason, or Error{peer_lost} if none does.
  // Released after the reason and all that this rank has sent: who sees the failure sees those as well.
  void fail() { head_->failed.store(1, std::memory_order_release); }
  [[noreturn]] void fail(const Error& why);
  [[noreturn]] void throw_lost() const;
  bool has_failed() const { return head_->failed.load(std::memory_order_acquire) != 0; }

  // What waiting ranks drive meanwhile; nothing unless it is set.
  void set_progress(Progress progress) { progress_ = std::move(progress); }

  // What sentences call the ranks, where they are a part of a larger group.
  void set_names(std::vector<Rank> names) { names_ = std::move(names); }

  Rank shown(Rank rank) const { return names_.empty() ? rank : names_[static_cast<std::size_t>(rank)]; }

  // Of this rank.
  SharedStarts& starts() { return starts_; }

  // Does that rank still run, as far as one can tell?
  virtual bool is_there(Rank) const { return true; }

  // Cores on which the ranks may run.
  void set_core_count(Count cores) { core_count_ = cores; }
  Count core_count() const { return core_count_; }
  bool core_for_every_rank() const { return ranks_ <= core_count_; }

  // Whether a rank that yields leaves its core to another rank; true until it is known.
  void set_yields_hand_over(bool hand_over) { yields_hand_over_ = hand_over; }

  // Pauses until done(), which is not asked again then, and advances what this rank has in flight meanwhile. A rank makes it true
  // and calls ring(): the one that whom() names, or anybody. Throws if another rank has failed, or is no longer there, meanwhile;
  // or if it turns out that nothing can come of the wait because the ranks start their plans in different orders.
  static constexpr Rank anybody = -1;
  static constexpr std::chrono::milliseconds between_questions{100};
  template <class Done, class Whom>
  void wait_until(Done&& done, Whom&& whom) {
    Backoff backoff(progress_);
    Patience patience(yields_hand_over_, progress_);
    LongWait long_wait(*this);
    InFlight& others = *progress_.in_flight;
    // Whatever is in flight may go on by another rank than the one that is waited for.
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
        const bool over = done();
        if (!over && who_wakes() == waited_for) sleep(heard);  // done() may have heard from that one, and others do not ring for it
        awaited(rank_).store(0, std::memory_order_relaxed);    // if another rank sees this late, it rings once without need
        if (over) return;
        long_since = long_wait.is_time_to_ask();
      }
      if (long_since) {
        try {
          long_wait.ask(who_wakes());
        } catch (const Error&) {
          if (done()) return;  // what came before the failure still counts
          throw;
        }
        if (has_left(whom())) {
          if (done()) return;  // it left after what it had to do
          fail();
          throw_lost();
        }
      }
      if (has_failed()) {
        if (done()) return;  // what came before the failure still counts
        throw_lost();
      }
    }
  }

  // The same for what nobody rings for: it never sleeps.
  template <class Done>
  void poll_until(Done&& done) {
    LongWait long_wait(*this);
    int polls = 0;
    for (bool failed = false; !done(); give_core_away(progress_)) {
      progress_.in_flight->advance();
      if (failed) throw_lost();  // what came before the failure still counts
      if (++polls % polls_between_looks == 0 && long_wait.is_time_to_ask()) long_wait.ask(anybody);
      failed = has_failed();
    }
  }

  // One look instead of a wait: done()? Throws as wait_until; `looks` is kept from one look to the next.
  template <class Done, class Whom>
  bool poll(Done&& done, Whom&& whom, LongSince& looks) {
    if (done()) return true;
    if (looks.is_over()) {
      fail_if_somebody_is_gone();
      if (has_left(whom())) {
        if (done()) return true;  // it left after what it had to do
        fail();
      }
    }
    if (!has_failed()) return false;
    if (done()) return true;  // what came before the failure still counts
    throw_lost();
  }

  // Call it after every store that other ranks may be waiting for. This rank stores, then loads `awaited`. A sleeper stores to
  // `awaited`, then loads what this rank stores. Processors, also x86, may execute a load before an earlier store to another
  // address; release and acquire do not forbid it. Both loads could then return old values, and the sleeper would not be woken. The
  // full fences here and in lie_down order each store before its load, so at least one of the two sees the other's store.
  void ring(std::span<const Rank> ranks) const {
    if (core_for_every_rank()) return;  // nobody sleeps until woken
    full_fence();
    for (const Rank rank : ranks) wake_if_it_sleeps(rank);
  }
  void ring(Rank rank) const { ring({&rank, 1}); }
  void ring_all() const {
    if (core_for_every_rank()) return;
    full_fence();
    for (Rank rank = 0; rank < ranks_; ++rank) wake_if_it_sleeps(rank);
  }

  // Both throw Error{misuse} on all ranks where some of them are in another of these calls, or gather another number of bytes.
  void barrier();
  void all_gather(const void* mine, void* all, Bytes count);

  // Fails a group unless this rank has left it: the system has told of its end, so that what it stored is seen.
  static void end_without(SpaceHead* head, Rank rank) {
    if (!tray_of(head, rank).left.load(std::memory_order_acquire)) head->failed.store(1, std::memory_order_release);
  }

  static Tray& tray_of(SpaceHead* head, Rank rank) { return reinterpret_cast<Tray*>(head + 1)[rank]; }

 private:
  static constexpr int polls_between_looks = 64;

  // Returns the half of the trays that everybody has written.
  std::size_t meet(Bytes gathered, std::span<const std::byte> bytes);
  void wait_for_all();

  // A wait that takes so long that it is time to ask what has become of the others. From the first question to its end others see
  // whom it is for.
  class LongWait {
   public:
    explicit LongWait(SharedSpace& space) : space_(space) {}
    ~LongWait() {
      if (asked_) space_.tray(space_.rank_).starts.stuck.store(0, std::memory_order_relaxed);
    }
    LongWait(const LongWait&) = delete;
    LongWait& operator=(const LongWait&) = delete;

    // By the clock: how often, and by what, a rank is woken meanwhile makes no difference.
    bool is_time_to_ask() {
      const auto now = std::chrono::steady_clock::now();
      if (last_ == std::chrono::steady_clock::time_point{}) last_ = now;
      if (now - last_ < between_questions) return false;
      last_ = now;
      return true;
    }

    void ask(Rank whom) {
      asked_ = true;
      space_.tray(space_.rank_).starts.stuck.store(name_of(whom), std::memory_order_release);
      space_.fail_if_somebody_is_gone();
      space_.fail_if_starts_differ(whom);
      space_.fail_if_far_apart(whom, seen_);
    }

   private:
    SharedSpace& space_;
    bool asked_ = false;
    std::chrono::steady_clock::time_point last_{};
    std::uint64_t seen_ = 0;  // fail_if_far_apart
  };

  struct Retired {
    Offset offset;
    std::function<bool()> is_over;
  };

  Tray& tray(Rank rank) const { return tray_of(head_, rank); }
  Awaited& awaited(Rank rank) const { return reinterpret_cast<Awaited*>(reinterpret_cast<Tray*>(head_ + 1) + ranks_)[rank]; }
  static std::uint32_t name_of(Rank rank) { return static_cast<std::uint32_t>(rank + 2); }
  static void full_fence();
  std::uint32_t lie_down(Rank whom);  // before a last look whether it is done; returns what to listen to
  void sleep(std::uint32_t heard);    // until the bell is rung, for the longest sleep at most
  std::chrono::milliseconds longest_sleep() const;
  void wake_if_it_sleeps(Rank rank) const {
    const std::uint32_t whom = awaited(rank).load(std::memory_order_relaxed);  // in order by the fence in ring()
    if (whom != 0 && (whom == name_of(rank_) || whom == name_of(anybody))) wake(rank);
  }
  void wake(Rank rank) const;
  void fail_if_somebody_is_gone();
  void fail_if_starts_differ(Rank whom);
  void fail_if_far_apart(Rank whom, std::uint64_t& seen);
  bool has_left(Rank rank) const { return rank != anybody && tray(rank).left.load(std::memory_order_acquire); }
  Rank first_that_left() const;  // anybody: none has

  SpaceHead* const head_;
  const Rank rank_;
  const Count ranks_;
  Count core_count_ = 1;
  bool yields_hand_over_ = true;
  Progress progress_;
  SharedStarts starts_;
  std::vector<Rank> names_;
  std::vector<Retired> retired_;
  std::uint64_t meetings_ = 0;
};

}  // namespace quadrille
