// SPDX-License-Identifier: BSD-3-Clause
// Alltoallv among ranks that share memory, without a plan: the ranks need not know each other's counts. Each ordered pair of ranks
// has a slot in shared memory. The sender writes into it how long its block is and how the receiver gets it:
//
//   a tiny block   lies in the slot itself: up to 112 B among many ranks, up to 2,032 B between two ranks;
//   a short block  is copied twice: the sender copies it into its area (shared memory of its own) and continues at once, and the
//                  receiver copies it out;
//   a long block   is copied once, by its receiver, from the sender's buffer, while the sender waits (a rendezvous). The receiver
//                  loads it if the buffer lies in the shared space, and calls process_vm_readv otherwise;
//   a block that fits neither way goes through the area in pieces.
//
// A sender decides for all of its blocks together, by the measured costs of copies: it lends blocks for copying once if that saves
// more than the wait costs. Calls alternate between two sets of slots and two areas. So call n + 2 reuses the slots and the area of
// call n. Before that, a rank has completed call n + 1, for which it needed the slots of all other ranks. Each of them filled these
// slots after it had read this rank's slot and area of call n. So short blocks need no acknowledgement, and no rank is more than
// one call ahead of another.
//
// All slots lie side by side in control memory of rank 0, so that few pages, and few TLB misses, are needed (planned/messages.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "execute/executions/starts.hpp"
#include "execute/shared/memory/claim.hpp"
#include "execute/shared/wait/costs.hpp"
#include "execute/shared/wait/space.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class DirectExchange {
 public:
  // The block for, or from, one rank: address of its first byte, and its length. `memory` may be null if `bytes` is 0.
  struct Outgoing {
    const std::byte* memory = nullptr;
    Bytes bytes = 0;
  };
  struct Incoming {
    std::byte* memory = nullptr;
    Bytes bytes = 0;
  };

  // Collective. Throws on all ranks or on none: Error{misuse} unless all ranks share memory, Error{too_large} or Error{environment}
  // if memory cannot be allocated. The communicator may be destroyed before this object.
  explicit DirectExchange(Communicator& ranks);
  ~DirectExchange();  // local
  DirectExchange(const DirectExchange&) = delete;
  DirectExchange& operator=(const DirectExchange&) = delete;

  // Collective. Takes one block for each rank and one from each rank, in rank order. Incoming blocks must not overlap any other
  // block, except that this rank's block to itself may already lie at its destination. Returns when this rank's incoming blocks are
  // complete and its outgoing blocks may be changed. Counts as the start of a plan (execute.hpp). Only one thread at a time may
  // call it.
  //
  // Throws Error{misuse} if another rank's block differs in length from what this rank expects. It throws at the end of the call,
  // when all other blocks are complete; a block that is too short has been written, one that is too long has not. The other ranks
  // do not notice, and the next call may follow. Also throws Error{misuse} as Plan::execute does. Throws Error{transport,
  // peer_lost} if the group has failed; then the incoming blocks are undefined, and further calls throw, too.
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives);

 private:
  enum class Way : std::uint64_t { area, once, pieces };

  // Says where to find a block that does not lie in its slot.
  struct Elsewhere {
    Way way;
    Bytes position;         // in the sender's area
    Offset offset;          // `once`: offset of the block in the space; 0 if it lies in private memory
    std::uint64_t address;  // `once`: address of the block in the sender's process
    // `pieces`: how many bytes the sender has put into the area so far. The sender writes the bytes, then stores this number with
    // release; the receiver loads it with acquire, then reads the bytes.
    std::atomic<Bytes> put;
    // What the receiver has taken. `pieces`: the number of bytes. `once`: the number of the call, with the mark `reading`
    // while the receiver reads. The receiver releases it after its copy, and the sender acquires it before the block may
    // be written again. The receiver sets `reading` and a failing sender sets `withdrawn`, both by compare-and-exchange,
    // so only one of them succeeds.
    std::atomic<std::uint64_t> taken;
  };
  static constexpr Bytes least_once = CopyCosts::sizes.front();  // a shorter block is never copied once
  static constexpr std::uint64_t reading = std::uint64_t{1} << 63, withdrawn = std::uint64_t{1} << 62;

  // The slot of one ordered pair of ranks. Further room for the block follows it in memory, up to `slot_bytes_`.
  struct alignas(64) Slot {
    // The number of the call for which the slot was last filled. The sender releases it after the rest of the slot, its copy into
    // the area and whatever its program wrote into a long block; the receiver acquires it before it reads any of them
    // (try_to_receive). The same store and load have a second purpose: they prove that the sender has finished reading what this
    // receiver sent in the call before, so the receiver may reuse that slot and area in its next call. That works because a release
    // also orders earlier loads, and a copy consists of loads and stores.
    std::atomic<std::uint64_t> call;
    Bytes bytes;
    union {
      std::byte here[112];  // the first bytes of the block
      Elsewhere elsewhere;
    };
    Slot() : call(0), bytes(0), here{} {}
    std::byte* block() { return reinterpret_cast<std::byte*>(this) + header; }

    static constexpr Bytes header = 16, in_first_line = 48;
  };
  static_assert(sizeof(Slot) == 128);

  // Tells when memory may be released. `closed` counts ranks that will not access areas again, `through` ranks that will not access
  // `closed` again. A rank adds 1 with release after its last access; the rank that frees the memory loads the count with acquire.
  struct alignas(64) Closing {
    std::atomic<Count> closed{0}, through{0};
  };

  struct Lent {  // a block of this rank that a receiver has still to read
    Rank to;
    Way way;
    Bytes put, room;  // `pieces`: bytes put into the area so far, and bytes put there at a time
  };

  struct Candidate {  // a block that may be copied once
    Rank to;
    Offset offset;
  };

  struct Difference {  // a rank sends more or fewer bytes than this rank expects
    Rank from;
    Bytes bytes;
  };

  struct Places {
    Offset control, area;
  };

  void allocate(Claim& control, Claim& area);
  void find_savings(const CopyCosts& costs);
  Slot& slot(Rank from, Rank to, std::uint64_t call) const;
  Bytes room_in_slot() const { return slot_bytes_ - Slot::header; }

  // A block that fits into its slot always lies there: the receiver tells by the length alone whether it does.
  bool may_be_copied_once(Bytes bytes) const { return bytes >= least_once && bytes > room_in_slot(); }

  std::byte* area_of(Rank rank) const { return areas_[rank] + static_cast<Bytes>(call_ & 1) * area_bytes_; }

  void copy_own();
  void note_difference(Rank from, Bytes bytes);
  [[noreturn]] void throw_difference() const;

  void publish();
  bool may_save(Bytes most) const;
  void send_all_once();
  void send_in_slot(Rank to);
  void send_elsewhere(Rank to, Count others_left);
  void send_once(Rank to, Offset offset);
  bool try_to_finish(Lent& block);
  void withdraw();

  bool advance();
  Rank awaited() const { return open_count_ > 0 ? open_[0] : lent_[0].to; }
  bool try_to_receive(Rank from);
  void receive_once(Rank from, Elsewhere& block, std::byte* target, Bytes bytes);
  void read(Rank from, const Elsewhere& block, std::byte* target, Bytes bytes);
  bool receive_piece(Rank from, Elsewhere& block, std::byte* target, Bytes bytes);

  // The order matters: `starts_` owns what the members after it use.
  std::shared_ptr<Starts> starts_;
  std::shared_ptr<SharedSpace> space_;
  std::uint32_t number_ = 0;  // the number of this exchange among the plans of the group
  Rank me_ = 0;
  Count ranks_ = 1;
  CopyCosts costs_;
  Bytes longest_twice_ = 0;
  std::array<std::array<double, 64>, 2>
      savings_{};  // seconds saved by copying a block once; [is it in the space][bit width of its length]
  bool reads_private_ = false;

  Offset control_ = 0, own_area_ = 0;
  std::byte* slots_ = nullptr;  // [call % 2][receiver][sender]
  Bytes slot_bytes_ = 0;
  Closing* closing_ = nullptr;
  ByRank<std::byte*> areas_;
  Bytes area_bytes_ = 0;     // size of one of the two areas
  std::vector<Rank> order_;  // the other ranks, beginning with the one after this rank

  // The state of the current call.
  std::uint64_t call_ = 0;
  std::span<const Outgoing> sends_;
  std::span<const Incoming> receives_;
  Bytes used_ = 0;                 // bytes used in the area
  ByRank<std::uint64_t> once_in_;  // the last call in which a rank's block was copied once
  std::vector<Candidate> candidates_;
  std::vector<Lent> lent_;
  std::vector<Rank> open_;  // the first open_count_ are the senders whose blocks have not arrived yet
  std::size_t open_count_ = 0;
  std::optional<Difference> difference_;
  bool is_broken_ = false;
};

}  // namespace quadrille
