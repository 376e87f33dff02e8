// SPDX-License-Identifier: BSD-3-Clause
// Alltoallv among ranks that share memory, without a plan: nothing is agreed upon before a call. Each pair of ranks has a slot for
// each direction, in which the sender says how many bytes there are and where; the receiver does as the slot says.
//
//   a few bytes    lie in the slot itself, 112 among many ranks, 2,032 between two;
//   a short block  is copied into an area of its sender's and out of it, and its sender goes on at once;
//   a long block   is copied once, by its receiver, from the sender's buffer: by load where that is in the space, else by reading
//                  the other process's memory. Its sender waits until that has happened;
//   where neither is possible, a block goes through the area in pieces.
//
// A sender chooses for all of its blocks together, by the machine's costs: copying once must save more than the wait. There are
// two slots and two areas, used by calls in turn. A rank that comes back to a slot has seen all others' slots of the call between.
// They filled those after they had read what was here, so nobody acknowledges a short block, and no rank is more than one call
// ahead.
//
// All slots lie side by side in control memory of rank 0, for the sake of few TLB misses (executable.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "execute/shared/claim.hpp"
#include "execute/shared/costs.hpp"
#include "execute/shared/space.hpp"
#include "execute/starts.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class DirectExchange {
 public:
  // A block for, or from, a rank: its first byte, and how many there are. Where there are none, `memory` may be null.
  struct Outgoing {
    const std::byte* memory = nullptr;
    Bytes bytes = 0;
  };
  struct Incoming {
    std::byte* memory = nullptr;
    Bytes bytes = 0;
  };

  // Collective; throws on all ranks or on none: Error{misuse} unless all ranks share memory, Error{too_large, environment} where
  // there is none. It keeps alive what it needs of the communicator.
  explicit DirectExchange(Communicator& ranks);
  ~DirectExchange();  // local
  DirectExchange(const DirectExchange&) = delete;
  DirectExchange& operator=(const DirectExchange&) = delete;

  // Collective: a block for each rank and one from each, in rank order. Incoming blocks overlap no other block, except that this
  // rank's block for itself may lie where it belongs. Returns when this rank's incoming blocks are complete and its outgoing ones
  // may be changed. Counts as the start of a plan (execute.hpp). One thread at a time calls it.
  //
  // Throws Error{misuse} where a rank sends another number of bytes than this one expects, after everything else of this call has
  // been done: a shorter block is in place then, and a longer one has not been written. The other ranks do not notice, and the next
  // call may follow. Throws Error{misuse} as Plan::execute. Throws Error{transport, peer_lost} when the group has failed; what was
  // to come is undefined then, and further calls throw, too.
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives);

  // This rank's share of what the exchange takes of shared memory; what is never used of it takes no memory.
  Bytes memory_bytes() const;

 private:
  enum class Way : std::uint64_t { area, once, pieces };

  // Where a block is that is not in its slot.
  struct Elsewhere {
    Way way;
    Bytes position;         // in the sender's area
    Offset offset;          // `once`: of the block in the space; 0: it is not there
    std::uint64_t address;  // `once`: in the sender's process
    // `pieces`: bytes that the sender has put into the area. Released after them; the receiver acquires it before it reads them.
    std::atomic<Bytes> put;
    // What the receiver has taken: of `pieces` the bytes, of `once` the number of the call, marked while it is reading. Released
    // after its copy; the sender acquires it before anybody writes there again. The receiver marks it and the sender withdraws it
    // by exchanges of one place, so that one of them is first, whatever the order of anything else.
    std::atomic<std::uint64_t> taken;
  };
  static constexpr std::uint64_t reading = std::uint64_t{1} << 63, withdrawn = std::uint64_t{1} << 62;

  // Further room for the block follows, up to `slot_bytes_`.
  struct alignas(64) Slot {
    // Released after all that follows, after the sender's copy into its area, and after whatever its program wrote into a long
    // block before; the receiver acquires it before it reads any of them (try_to_receive). The same pair tells the other way that
    // this rank has read what its receiver sent in the call before, so that the receiver may use that slot and that area again in
    // its next call: a release keeps loads before it, too, and copies are loads.
    std::atomic<std::uint64_t> call;
    Bytes bytes;
    union {
      std::byte here[112];  // the first of them
      Elsewhere elsewhere;
    };
    Slot() : call(0), bytes(0), here{} {}
    std::byte* block() { return reinterpret_cast<std::byte*>(this) + header; }

    static constexpr Bytes header = 16, in_first_line = 48;
  };
  static_assert(sizeof(Slot) == 128);

  // When may memory be released? `closed` counts ranks that look at areas no more, `through` those that look at `closed` no more.
  // Ranks add by a release after their last look, and whoever releases memory acquires all of these.
  struct alignas(64) Closing {
    std::atomic<Count> closed{0}, through{0};
  };

  struct Lent {  // a block whose sender has to wait
    Rank to;
    Way way;
    Bytes put, room;  // `pieces`: what has been put into the area, how much is put there at a time
  };

  struct Candidate {  // a block that may be copied once
    Rank to;
    Offset offset;
  };

  struct Difference {  // of what a rank sends from what this one expects
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

  // In this order: `starts_` owns what the others use.
  std::shared_ptr<Starts> starts_;
  std::shared_ptr<SharedSpace> space_;
  std::uint32_t number_ = 0;  // among the plans
  Rank me_ = 0;
  Count ranks_ = 1;
  CopyCosts costs_;
  Bytes longest_twice_ = 0;
  std::array<std::array<double, 64>, 2> savings_{};  // by copying once; [can it be loaded][bit width of its bytes]
  bool reads_private_ = false;

  Offset control_ = 0, own_area_ = 0;
  std::byte* slots_ = nullptr;  // [call % 2][receiver][sender]
  Bytes slot_bytes_ = 0;
  Closing* closing_ = nullptr;
  ByRank<std::byte*> areas_;
  Bytes area_bytes_ = 0;     // of one of two
  std::vector<Rank> order_;  // of the other ranks, from the next one on

  // Of this call.
  std::uint64_t call_ = 0;
  std::span<const Outgoing> sends_;
  std::span<const Incoming> receives_;
  Bytes used_ = 0;                 // of the area
  ByRank<std::uint64_t> once_in_;  // the last call in which a rank's block was copied once
  std::vector<Candidate> candidates_;
  std::vector<Lent> lent_;
  std::vector<Rank> open_;  // senders: the first open_count_
  std::size_t open_count_ = 0;
  std::optional<Difference> difference_;
  bool is_broken_ = false;
};

}  // namespace quadrille
