// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/group_space.hpp"

#include <fmt/format.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

namespace quadrille {
namespace {

// An offset: 16 bits for the rank, one for the file, 47 for the place. Places are never 0, so neither are offsets.
constexpr int rank_shift = 48, kind_shift = 47;
constexpr Offset place_mask = (Offset{1} << kind_shift) - 1;

Rank rank_in(Offset offset) { return static_cast<Rank>(offset >> rank_shift); }
FileKind kind_in(Offset offset) { return (offset >> kind_shift & 1) != 0 ? FileKind::control : FileKind::heap; }

}  // namespace

GroupSpace::GroupSpace(std::shared_ptr<Process> process, ByRank<std::shared_ptr<Peer>> peers, SpaceHead* head, Place made_here,
                       Rank rank, bool reads_private_memory, std::shared_ptr<void> keeps)
    : SharedSpace(head, rank, quadrille::size(peers)),
      process_(std::move(process)),
      peers_(std::move(peers)),
      made_here_(made_here),
      reads_private_memory_(reads_private_memory),
      keeps_(std::move(keeps)) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const auto& peer : peers_) CPU_OR(&cores, &cores, &peer->card().cores);
  set_core_count(CPU_COUNT(&cores));
}

GroupSpace::~GroupSpace() {
  if (!is_usable()) return;
  if (std::uncaught_exceptions() > 0) fail();
  leave();
  if (made_here_) process_->control().retire(made_here_, [head = &head(), ranks = size()] { return all_have_left(head, ranks); });
}

std::byte* GroupSpace::at(Offset offset) const { return peers_[rank_in(offset)]->at(kind_in(offset), offset & place_mask); }

Offset GroupSpace::offset_of(const void* memory) const {
  const auto place = process_->heap().place_of(memory);
  return place ? encoded(FileKind::heap, *place) : 0;
}

// Extents are mapped one by one: each process has them at other distances.
Offset GroupSpace::offset_of(const std::byte* memory, Bytes first, Bytes last) const {
  const SharedFile& heap = process_->heap();
  const auto place = heap.place_of(memory);
  if (!place) return 0;
  const std::size_t extent = Extents::of(*place);
  const auto in_extent = static_cast<Bytes>(*place - Extents::begin(extent));
  return first >= -in_extent && last <= Extents::bytes(extent) - in_extent ? encoded(FileKind::heap, *place) : 0;
}

Offset GroupSpace::encoded(FileKind kind, Place place) const {
  return static_cast<Offset>(rank()) << rank_shift | static_cast<Offset>(kind) << kind_shift | place;
}

SharedFile& GroupSpace::own_file(Offset offset) const {
  return kind_in(offset) == FileKind::control ? process_->control() : process_->heap();
}

Offset GroupSpace::allocate(Bytes bytes) { return encoded(FileKind::heap, process_->heap().allocate(bytes)); }
Offset GroupSpace::allocate_control(Bytes bytes) { return encoded(FileKind::control, process_->control().allocate(bytes)); }
void GroupSpace::release(Offset offset) { own_file(offset).release(offset & place_mask); }

// The files outlive this object, and with it rank 0's control memory, where `is_over` may look, stays mapped.
void GroupSpace::retire(Offset offset, std::function<bool()> is_over) {
  own_file(offset).retire(offset & place_mask, [is_over = std::move(is_over), first = peers_[0]] { return is_over(); });
}

void GroupSpace::read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) {
  std::array<iovec, most_pieces> here;
  std::size_t bytes = 0, first = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    here[i] = {targets[i].place, targets[i].length};
    bytes += targets[i].length;
  }
  iovec there{const_cast<void*>(source), bytes};
  const auto process = static_cast<pid_t>(peers_[peer]->card().process);
  while (there.iov_len > 0) {
    const ssize_t count = ::process_vm_readv(process, &here[first], targets.size() - first, &there, 1, 0);
    if (count <= 0) {
      const int error = errno;
      fail(Error(error == ESRCH ? ErrorCode::peer_lost : ErrorCode::transport,
                 fmt::format("the memory of rank {} cannot be read: {}", shown(peer), std::strerror(error))));
    }
    const std::size_t read = index(count);  // the kernel stops after 2 GiB
    there = {static_cast<std::byte*>(there.iov_base) + read, there.iov_len - read};
    for (std::size_t left = read; left > 0;) {
      const std::size_t part = std::min(left, here[first].iov_len);
      here[first] = {static_cast<std::byte*>(here[first].iov_base) + part, here[first].iov_len - part};
      left -= part;
      if (here[first].iov_len == 0) ++first;
    }
  }
}

}  // namespace quadrille
