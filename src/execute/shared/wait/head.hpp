// SPDX-License-Identifier: BSD-3-Clause
// The beginning of a group's shared memory: what its ranks need to gather, to wait for each other and to fail together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "execute/shared/protocol/sleep.hpp"
#include "execute/shared/wait/costs.hpp"
#include "execute/shared/wait/shared_starts.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// One rank's part of a group's head: what it contributes to gathers, and how it is woken. Other ranks read it.
struct alignas(64) Tray {
  static constexpr Bytes size = 440;
  static constexpr Bytes barrier = -1;  // Half::gathered in a barrier
  struct Half {
    Bytes gathered;  // the length of the whole gather: ranks that call different collectives notice the difference
    std::byte bytes[size];
  };
  Sleep::Word bell{0};               // a futex; other ranks ring it to wake this rank
  std::atomic<bool> left{false};     // this rank has left the group: it makes and executes no more plans there
  std::atomic<bool> through{false};  // this rank has left, and nothing that it has retired accesses the group's memory any more
  StartRecord starts;                // the plans that this rank has started
  // Gathers alternate between the two halves. A rank may overwrite a half, because it enters a gather only after all ranks have
  // entered the previous one and so have read the one before.
  alignas(64) Half halves[2];
};

// The rank for which a sleeping rank waits, as name_of writes it; 0 while it is awake. All ranks' words are adjacent, because
// ring() reads many of them.
using Awaited = Sleep::Word;

// The beginning of a group's shared memory. In memory it is followed by one Tray for each rank, and then by one Awaited for each.
struct alignas(64) SpaceHead {
  alignas(64) std::atomic<Count> arrived{0};
  alignas(64) std::atomic<std::uint64_t> generation{0};
  alignas(64) std::atomic<std::uint32_t> failed{0};
  // The reason for the failure, from the first rank that gives one. All waiting ranks throw it.
  enum Reason : std::uint32_t { unknown, being_written, known };
  std::atomic<std::uint32_t> reason{unknown};
  std::uint32_t reason_code = 0;  // an ErrorCode
  char reason_text[496];          // not initialised
  // If has_costs: the SharingCosts of rank 0's process, written before other ranks map the head.
  bool has_costs = false;
  std::byte costs[sizeof(SharingCosts)];  // not initialised

  static Bytes bytes(Count ranks) {
    return static_cast<Bytes>(sizeof(SpaceHead)) + ranks * static_cast<Bytes>(sizeof(Tray) + sizeof(Awaited));
  }
};

}  // namespace quadrille
