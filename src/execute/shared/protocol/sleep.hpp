// SPDX-License-Identifier: BSD-3-Clause
// A rank sleeps until another rank has stored what it waits for. The sleeper has two words: `awaited` names the rank for which it
// waits (0 while it is awake), and the doorbell is a number that a rank changes to wake it.
//
// The sleeper stores `awaited`, makes a full fence, reads the doorbell, and then checks once more whether it still has to wait.
// It sleeps, by a futex, while the doorbell still has the number that it has read. A rank that has stored something makes a full
// fence, loads `awaited` and, if `awaited` names this rank, rings: it changes the doorbell.
//
// Proof that a sleeper is woken. Each side stores, then loads what the other side stores. Processors, also x86, may execute a load
// before an earlier store to another address; release and acquire do not forbid it. So without fences both loads could return old
// values. But one of the two fences comes first. If the sleeper's fence is first, the other rank's load sees `awaited`, and that
// rank rings. If the other rank's fence is first, the sleeper sees in its last check what that rank has stored, and does not
// sleep.
//
// Ranks store often and sleep rarely. So where the system offers it (membarrier), the sleeper makes both fences: its own, and one
// on every core on which a rank runs, at some time during its call; a rank that does not run made one when it lost its core. Then
// the other rank only keeps its load behind its store in program order. If its fence came before the store, its load sees
// `awaited`, which the sleeper stored before the call. If its fence came after the store, the sleeper's last check sees the store.
//
// A ring may come before the sleeper reads the doorbell. In that case the sleeper reads the changed number, and perhaps no
// further ring follows. But the sleeper acquires the doorbell, which the other rank has released after its store. So the sleeper
// sees the store in its last check.
#pragma once

#include <linux/membarrier.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "foundation/planted.hpp"

namespace quadrille {

struct FullFence {
  static void make() {
#if defined(__SANITIZE_THREAD__)  // ThreadSanitizer does not support fences; without a fence a rank may sleep longer
    std::atomic<int> instead{0};
    instead.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }

  // Also makes a full fence on every core that runs a registered process.
  static void make_for_all() { ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0); }

  // Registers this process for `make_for_all` of others. Returns false if the system does not offer it. Once a process has several
  // threads this takes milliseconds, and the process is not registered.
  static bool register_process() {
#if defined(__SANITIZE_THREAD__)
    return false;
#else
    constexpr int needed = MEMBARRIER_CMD_GLOBAL_EXPEDITED | MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;
    return __libc_single_threaded && (::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) & needed) == needed &&
           ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
#endif
  }
};

// Who makes the fences. All ranks of a group must agree.
enum class Fencing : std::uint8_t {
  each_its_own,
  sleeper_for_all,  // all processes are registered
};

template <template <class> class Atomic = std::atomic, class Fence = FullFence>
struct SleepBy {
  using Word = Atomic<std::uint32_t>;

  // For the sleeper. After `begin` it checks its condition. If it must wait, it sleeps while the doorbell has the number that
  // `begin` returned.
  static std::uint32_t begin(Word& awaited, const Word& doorbell, std::uint32_t whom, Fencing fencing) {
    awaited.store(whom, std::memory_order_relaxed);
    if (fencing == Fencing::sleeper_for_all)
      Fence::make_for_all();
    else if (!is_planted("sleep without fence"))
      Fence::make();
    return doorbell.load(std::memory_order_acquire);
  }
  // A rank that sees this store late rings once without need.
  static void end(Word& awaited) { awaited.store(0, std::memory_order_relaxed); }

  // For a rank that has stored what other ranks wait for: it calls `begin_to_look` once, then `look` for each rank that may
  // sleep.
  static void begin_to_look(Fencing fencing) {
    if (fencing == Fencing::sleeper_for_all)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else if (!is_planted("ring without fence"))
      Fence::make();
  }
  static std::uint32_t look(const Word& awaited) { return awaited.load(std::memory_order_relaxed); }
  static void ring(Word& doorbell) {
    doorbell.fetch_add(1, is_planted("doorbell relaxed") ? std::memory_order_relaxed : std::memory_order_release);
  }
};
using Sleep = SleepBy<>;

}  // namespace quadrille
