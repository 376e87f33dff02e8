// SPDX-License-Identifier: BSD-3-Clause
// What a group of processes shares: the files of its members, each mapped by all of them (process.hpp). An offset is a rank of the
// group, one of its two files, and a place there. The head and the trays of the group lie in the control file of its first rank.
#pragma once

#include <memory>

#include "execute/shared/process.hpp"
#include "execute/shared/space.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class GroupSpace final : public SharedSpace {
 public:
  static constexpr Count most_ranks = Count{1} << 16;

  // `peers` are the ranks' processes. `made_here` is where this rank made the head in its control file; 0 if it is not this rank's
  // to release. `keeps` is kept as long as the group is.
  GroupSpace(std::shared_ptr<Process> process, ByRank<std::shared_ptr<Peer>> peers, SpaceHead* head, Place made_here, Rank rank,
             bool reads_private_memory, std::shared_ptr<void> keeps = nullptr);
  ~GroupSpace() override;  // all plans of the group are gone

  std::byte* at(Offset offset) const override;
  Offset offset_of(const void* memory) const override;
  Offset offset_of(const std::byte* memory, Bytes first, Bytes last) const override;
  Offset allocate(Bytes bytes) override;
  Offset allocate_control(Bytes bytes) override;
  void release(Offset offset) override;

  // Where a rank has ended without leaving the group, `is_over` may never become true. Then memory is released when all the others
  // that still look at it have left the group.
  void retire(Offset offset, std::function<bool()> is_over) override;
  bool is_usable() const override { return !process_->is_in_child(); }

  bool reads_private_memory() const override { return reads_private_memory_; }
  void read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) override;
  bool is_there(Rank rank) const override { return peers_[rank]->is_there(); }

 private:
  class Membership;

  Offset encoded(FileKind kind, Place place) const;
  SharedFile& own_file(Offset offset) const;

  const std::shared_ptr<Process> process_;
  const ByRank<std::shared_ptr<Peer>> peers_;
  const Place made_here_;
  const bool reads_private_memory_;
  std::shared_ptr<Membership> membership_;
};

}  // namespace quadrille
