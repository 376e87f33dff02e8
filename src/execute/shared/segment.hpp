// SPDX-License-Identifier: BSD-3-Clause
// Memory shared by processes: a file without a name, so that nothing is left when they are gone, whatever ends them. Each rank has
// a part of it as its heap; what nobody has written takes no memory.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <utility>

#include "execute/shared/descriptor.hpp"
#include "execute/shared/space.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// The memory that each rank can share: as much as the machine has, unless the number of addresses is limited (ulimit -v). Every
// process maps the shared memory of all ranks. Together these mappings get half of the addresses that are left.
struct SharedRoom {
  Bytes wanted = 0;  // by each rank
  Bytes bytes = 0;   // there is for each; no more than wanted
};

// Throws as make_segment does, which makes as much room.
SharedRoom shared_room(Count ranks);

// A segment for so many ranks, not mapped; its size is sealed. Throws Error{misuse} for a number of ranks that none is made for,
// Error{environment} where the machine gives none.
Descriptor make_segment(Count ranks);

class SegmentSpace : public SharedSpace {
 public:
  // Is this descriptor a segment for `ranks` ranks, with an undamaged title? It may be anything.
  static bool is_segment(int file, Count ranks);

  // Maps the segment. Throws Error{environment} if it cannot be, or is none for `ranks` ranks, of which `rank` is one.
  static std::unique_ptr<SegmentSpace> open(Descriptor file, Rank rank, Count ranks);
  ~SegmentSpace() override;

  // For whoever started a rank's process, which has ended: unless the rank has left as it should, the group cannot go on.
  static void say_ended(const Descriptor& file, Rank rank);

  // Collective, once: the ranks get to know each other's processes.
  void introduce();

  bool holds(const void* memory) const override;
  Offset allocate(Bytes bytes) override;
  void release(Offset offset) override;
  bool reads_private_memory() const override { return reads_private_memory_; }
  void read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) override;
  bool is_there(Rank rank) const override;

 private:
  SegmentSpace(Descriptor file, std::byte* memory, Bytes bytes, Offset heap, Bytes heap_bytes, Rank rank, Count ranks);

  const Descriptor file_;
  std::byte* const memory_;
  const Bytes bytes_;
  std::map<Offset, Bytes> free_, taken_;  // of this rank's heap
  ByRank<pid_t> processes_;
  bool reads_private_memory_ = false;
  bool locked_ = false;      // this rank's byte of the file, which others can see as long as this process lives
  bool locks_tell_ = false;  // that of every rank
};

}  // namespace quadrille
