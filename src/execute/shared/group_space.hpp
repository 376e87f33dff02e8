// SPDX-License-Identifier: BSD-3-Clause
// The memory that a group of processes shares: the two files of each member (process.hpp), mapped by all members. An offset
// encodes a rank of the group, one of the rank's two files, and a place in that file. The group's head and rank areas
// (wait/space.hpp) lie in the control file of its first rank, or in the head file of a group that `quadrille run` starts.
#pragma once

#include <memory>

#include "execute/shared/memory/process.hpp"
#include "execute/shared/wait/space.hpp"
#include "foundation/system/files.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class GroupSpace final : public SharedSpace {
 public:
  static constexpr Count most_ranks = Count{1} << 16;

  // `peers` are the ranks' processes. `made_here` is the place of the head in this rank's control file if this rank must release
  // the head, else 0. `keeps` is destroyed with the group.
  GroupSpace(std::shared_ptr<Process> process, ByRank<std::shared_ptr<Peer>> peers, SpaceHead* head, Place made_here, Rank rank,
             bool reads_private_memory, std::shared_ptr<void> keeps = nullptr);
  ~GroupSpace() override;  // call it after all plans of the group are destroyed

  std::byte* at(Offset offset) const override;
  Offset offset_of(const void* memory) const override;
  Offset offset_of(const std::byte* memory, Bytes first, Bytes last) const override;
  bool holds_large_buffers() const override { return process_->heap().has_program_pages(); }
  Offset allocate(Bytes bytes) override;
  Offset allocate_control(Bytes bytes) override;
  void release(Offset offset) override;

  // If a rank has ended without leaving the group, `is_over` may stay false for ever. In that case the memory is released when
  // all other ranks have left the group or ended.
  void retire(Offset offset, std::function<bool()> is_over) override;
  bool is_usable() const override { return !process_->is_in_child(); }

  bool reads_private_memory() const override { return reads_private_memory_; }
  void read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) override;
  bool is_there(Rank rank) const override { return peers_[rank]->is_there(); }

 private:
  class Membership;

  void read_private_at_slow_distance(Rank peer, const std::byte* source, const TargetPiece& target);
  Offset encoded(FileKind kind, Place place) const;
  SharedFile& own_file(Offset offset) const;

  const std::shared_ptr<Process> process_;
  const ByRank<std::shared_ptr<Peer>> peers_;
  const Place made_here_;
  const bool reads_private_memory_;
  std::shared_ptr<Membership> membership_;
};

// The head file of a group that `quadrille run` starts: an anonymous file (memfd) that holds the group's head and rank areas
// (wait/space.hpp). The ranks inherit the file's descriptor, and exchange their cards (process.hpp) through the file. The guard
// maps the file, too, and marks there that a rank's process has ended.
//
// Throws Error{misuse} unless 1 <= ranks <= GroupSpace::most_ranks, Error{environment} if the system refuses the file.
Descriptor make_head_file(Count ranks);

// Is this descriptor a head file for `ranks` ranks, with an undamaged title? `file` may be any number.
bool is_head_file(int file, Count ranks);

// Returns the head; it stays mapped until the last copy of the pointer is destroyed. Throws Error{environment} if the file cannot
// be mapped, or is not a head file for `ranks` ranks.
std::shared_ptr<SpaceHead> open_head_file(const Descriptor& file, Count ranks);

// The guard calls this when a rank's process has ended. If the rank had not left the group before, the group fails.
void say_ended(const Descriptor& file, Rank rank);

}  // namespace quadrille
