// SPDX-License-Identifier: BSD-3-Clause
// What the threads of one group share.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "execute/script.hpp"
#include "execute/waiting.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

// Where both ends of a message meet, once an execution. The receiver copies straight from the sender's memory.
struct alignas(64) Slot {
  static constexpr std::uint64_t claimed = std::uint64_t{1} << 63;

  std::atomic<std::uint64_t> posted{0};  // the execution for which the sender's data is ready; | claimed: being copied
  std::atomic<std::uint64_t> taken{0};   // the execution for which the receiver has copied it
  const Bases* source = nullptr;         // the sender's buffers
};

// What both ends of a message know about it, as seen by one of them: its peer, direction and ordinal.
using MessageKey = std::tuple<Rank, bool, std::uint32_t>;

// What a rank lays open while a plan is made.
struct Offer {
  const Script* script = nullptr;
  const Bases* bases = nullptr;
  std::shared_ptr<std::vector<Slot>> slots;    // one for each message; those of sends stay unused
  std::map<MessageKey, std::size_t> messages;  // positions in the script
};

// What has been sent to one rank as mail and not been taken.
struct Inbox {
  std::mutex mutex;
  std::map<Rank, std::deque<std::vector<std::byte>>> letters;  // by sender
};

class ThreadGroup {
 public:
  explicit ThreadGroup(Count ranks)
      : inboxes(static_cast<std::size_t>(ranks)),
        offers(static_cast<std::size_t>(ranks)),
        pointers(static_cast<std::size_t>(ranks)),
        ranks_(ranks),
        core_for_every_rank_(ranks <= usable_core_count()) {}

  Count size() const { return ranks_; }
  bool core_for_every_rank() const { return core_for_every_rank_; }

  void fail() { failed_.store(true, std::memory_order_release); }

  // Calls pause() until `done`; throws if another rank has failed meanwhile.
  template <class Done>
  void wait_until(Done&& done) const {
    for (Backoff backoff(core_for_every_rank_); !done(); backoff.pause()) throw_if_failed();
  }

  void throw_if_failed() const {
    if (failed_.load(std::memory_order_acquire)) throw Error(ErrorCode::peer_lost, "another rank of the group failed");
  }

  void barrier() {
    const std::uint64_t generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
    } else {
      wait_until([&] { return generation_.load(std::memory_order_acquire) != generation; });
    }
  }

  std::vector<Inbox> inboxes;

  // Between two barriers each rank writes its own entry and reads everybody's.
  std::vector<Offer> offers;
  std::vector<const void*> pointers;

 private:
  const Count ranks_;
  const bool core_for_every_rank_;
  std::atomic<bool> failed_{false};
  std::atomic<Count> arrived_{0};
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace quadrille
