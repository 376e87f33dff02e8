// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/group_space.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "execute/processor.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "foundation/planted.hpp"

namespace quadrille {
namespace {

// The bits of an offset: 16 for the rank, one for the file, 47 for the place. Places are never 0, so neither are offsets.
constexpr int rank_shift = 48, kind_shift = 47;
constexpr Offset place_mask = (Offset{1} << kind_shift) - 1;

Rank rank_in(Offset offset) { return static_cast<Rank>(offset >> rank_shift); }
FileKind kind_in(Offset offset) { return (offset >> kind_shift & 1) != 0 ? FileKind::control : FileKind::heap; }

// Only every 64th check of a retired place asks the kernel whether peers still run, because the question takes some microseconds
// per peer.
constexpr int asks_between_looks = 64;

// The beginning of a head file; the head follows.
struct alignas(64) HeadTitle {
  static constexpr char word[8] = {'q', 'u', 'a', 'd', 'h', 'e', 'a', 'd'};
  char magic[8];
  Count ranks;
};

Bytes file_bytes(Count ranks) { return rounded_up(static_cast<Bytes>(sizeof(HeadTitle)) + SpaceHead::bytes(ranks), 4096); }

SpaceHead* head_in(void* memory) { return reinterpret_cast<SpaceHead*>(static_cast<std::byte*>(memory) + sizeof(HeadTitle)); }

// Returns the number of ranks in the title, or nothing if this is not a head file. The seals are checked first: without seals the
// size could change after it was compared with the title.
std::optional<Count> ranks_of(int file) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  HeadTitle title{};
  struct stat status {};
  if (seals < 0 || (seals & size_seals) != size_seals || ::fstat(file, &status) != 0 ||
      ::pread(file, &title, sizeof title, 0) != sizeof title)
    return std::nullopt;
  const bool is_sound = std::memcmp(title.magic, HeadTitle::word, sizeof title.magic) == 0 && title.ranks >= 1 &&
                        title.ranks <= GroupSpace::most_ranks && file_bytes(title.ranks) == status.st_size;
  return is_sound ? std::optional(title.ranks) : std::nullopt;
}

[[noreturn]] void refuse_head(const char* what) {
  throw Error(ErrorCode::environment, fmt::format("the ranks cannot meet in shared memory: {}: {}", what, std::strerror(errno)));
}

std::shared_ptr<void> mapped(const Descriptor& file, Count ranks) {
  const std::size_t bytes = index(file_bytes(ranks));
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) refuse_head("mmap");
  ::madvise(memory, bytes, MADV_DONTFORK);
  ::madvise(memory, bytes, MADV_DONTDUMP);
  return {memory, [bytes](void* mapping) { ::munmap(mapping, bytes); }};
}

}  // namespace

// Keeps memory mapped as long as checks of retired places read it: the rank areas, and other data of the group in rank 0's
// control file. The group and each retired place own this object. It does not own the files of this process: these own the
// retired places, so the shared pointers would form a cycle.
class GroupSpace::Membership {
 public:
  Membership(SpaceHead* head, ByRank<std::shared_ptr<Peer>> peers, Rank rank, std::shared_ptr<void> keeps)
      : head_(head), rank_(rank), peers_(std::move(peers)), keeps_(std::move(keeps)) {
    peers_[rank] = nullptr;
  }
  // Reports, with a release, that this rank will not access the group's memory again. Rank 0 reports nothing: no rank waits for
  // rank 0, and its control file may be gone already.
  ~Membership() {
    if (rank_ != 0 && !mark_.is_in_child()) SharedSpace::rank_area_of(head_, rank_).through.store(true, std::memory_order_release);
  }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // Have all other ranks set this flag? With `or_gone`, ranks that have ended count, too. Acquires everything that the ranks did
  // before.
  bool others_are(std::atomic<bool> RankArea::*state, bool or_gone) const {
    for (Rank rank = 0; rank < quadrille::size(peers_); ++rank)
      if (rank != rank_ && !(SharedSpace::rank_area_of(head_, rank).*state).load(std::memory_order_acquire) &&
          !(or_gone && !peers_[rank]->is_there()))
        return false;
    return true;
  }

  std::atomic<Count> heap_places{0};  // number of retired places in the heap, whose checks read control memory of rank 0

 private:
  SpaceHead* const head_;
  const Rank rank_;
  ByRank<std::shared_ptr<Peer>> peers_;  // null at this rank
  const std::shared_ptr<void> keeps_;
  const ForkMark mark_;
};

GroupSpace::GroupSpace(std::shared_ptr<Process> process, ByRank<std::shared_ptr<Peer>> peers, SpaceHead* head, Place made_here,
                       Rank rank, bool reads_private_memory, std::shared_ptr<void> keeps)
    : SharedSpace(head, rank, quadrille::size(peers)),
      process_(std::move(process)),
      peers_(std::move(peers)),
      made_here_(made_here),
      reads_private_memory_(reads_private_memory),
      membership_(std::make_shared<Membership>(head, peers_, rank, std::move(keeps))) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const auto& peer : peers_) CPU_OR(&cores, &cores, &peer->card().cores);
  set_core_count(CPU_COUNT(&cores));
  if (std::all_of(peers_.begin(), peers_.end(), [](const auto& peer) { return peer->card().is_registered; }))
    set_fencing(Fencing::sleeper_for_all);
}

GroupSpace::~GroupSpace() {
  if (!is_usable()) return;
  if (std::uncaught_exceptions() > 0) fail();
  leave();
  if (!made_here_) return;
  process_->control().retire(made_here_, [membership = std::move(membership_), asks = 0]() mutable {
    const bool looks = ++asks % asks_between_looks == 0;
    return membership.use_count() == 1 && membership->others_are(&RankArea::through, looks);
  });
}

std::byte* GroupSpace::at(Offset offset) const {
  QUADRILLE_HOT_ASSERT(rank_in(offset) < quadrille::size(peers_) && (offset & place_mask) != 0);
  return peers_[rank_in(offset)]->at(kind_in(offset), offset & place_mask);
}

Offset GroupSpace::offset_of(const void* memory) const {
  const auto place = process_->heap().place_of(memory);
  return place ? encoded(FileKind::heap, *place) : 0;
}

// The range must lie within one extent, because each process maps each extent at another address.
Offset GroupSpace::offset_of(const std::byte* memory, Bytes first, Bytes last) const {
  const SharedFile& heap = process_->heap();
  const auto place = heap.place_of(memory);
  if (!place) return 0;
  const std::size_t extent = Extents::of(*place);
  const auto in_extent = static_cast<Bytes>(*place - Extents::begin(extent));
  if (first < -in_extent || last > Extents::bytes(extent) - in_extent) return 0;
  heap.count_lent();
  return encoded(FileKind::heap, *place);
}

Offset GroupSpace::encoded(FileKind kind, Place place) const {
  QUADRILLE_ASSERT(place != 0 && place <= place_mask && rank() < Rank{1} << (64 - rank_shift));
  return static_cast<Offset>(rank()) << rank_shift | static_cast<Offset>(kind) << kind_shift | place;
}

SharedFile& GroupSpace::own_file(Offset offset) const {
  return kind_in(offset) == FileKind::control ? process_->control() : process_->heap();
}

Offset GroupSpace::allocate(Bytes bytes) { return encoded(FileKind::heap, process_->heap().allocate(bytes)); }
Offset GroupSpace::allocate_control(Bytes bytes) { return encoded(FileKind::control, process_->control().allocate(bytes)); }
void GroupSpace::release(Offset offset) { own_file(offset).release(offset & place_mask); }

// A rank that has left (RankArea::left) has destroyed its plans, so it accesses no other rank's heap any more. But checks of this
// rank's retired places read control memory of rank 0 until the rank sets RankArea::through. The checks of places in rank 0's own
// heap read that memory, too.
void GroupSpace::retire(Offset offset, std::function<bool()> is_over) {
  const Place place = offset & place_mask;
  if (kind_in(offset) == FileKind::heap) {
    ++membership_->heap_places;
    process_->heap().retire(place, [is_over = std::move(is_over), membership = membership_, asks = 0]() mutable {
      const bool looks = ++asks % asks_between_looks == 0;
      const bool over = is_over() || (looks && membership->others_are(&RankArea::left, true));
      if (over) --membership->heap_places;
      return over;
    });
  } else {
    const auto needed = rank() == 0 ? &RankArea::through : &RankArea::left;
    process_->control().retire(place, [is_over = std::move(is_over), needed, membership = membership_, asks = 0]() mutable {
      const bool looks = ++asks % asks_between_looks == 0;
      return is_over() || (looks && membership->heap_places == 0 && membership->others_are(needed, true));
    });
  }
}

// Lets the system copy to a buffer at another distance from the source, and copies from this buffer to the target.
void GroupSpace::read_private_at_slow_distance(Rank peer, const std::byte* source, const TargetPiece& target) {
  constexpr std::size_t part = 32768, page = 4096;
  alignas(page) std::byte memory[part + page];
  std::byte* const between = memory + reinterpret_cast<std::uintptr_t>(source) % page;
  for (std::size_t done = 0; done < target.length; done += part) {
    const TargetPiece piece{between, std::min(part, target.length - done)};
    read_private(peer, source + done, {&piece, 1});
    copy_long(target.place + done, between, piece.length);
  }
}

void GroupSpace::read_private(Rank peer, const void* source, std::span<const TargetPiece> targets) {
  if (targets.size() == 1 && targets[0].length > 4096 && are_at_slow_distance(targets[0].place, source)) [[unlikely]]
    return read_private_at_slow_distance(peer, static_cast<const std::byte*>(source), targets[0]);
  std::array<iovec, most_pieces> here;
  std::size_t bytes = 0, first = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    here[i] = {targets[i].place, targets[i].length};
    bytes += targets[i].length;
  }
  iovec there{const_cast<void*>(source), bytes};
  const auto process = static_cast<pid_t>(peers_[peer]->card().process);
  for (bool goes_on = true; there.iov_len > 0 && goes_on; goes_on = !is_planted("short read taken for whole")) {
    const ssize_t count = ::process_vm_readv(process, &here[first], targets.size() - first, &there, 1, 0);
    if (count <= 0) {
      const int error = errno;
      fail(Error(error == ESRCH ? ErrorCode::peer_lost : ErrorCode::transport,
                 fmt::format("the memory of rank {} cannot be read: {}", shown(peer), std::strerror(error))));
    }
    const std::size_t read = index(count);  // may be less than requested: the kernel stops after 2 GiB
    there = {static_cast<std::byte*>(there.iov_base) + read, there.iov_len - read};
    for (std::size_t left = read; left > 0;) {
      const std::size_t part = std::min(left, here[first].iov_len);
      here[first] = {static_cast<std::byte*>(here[first].iov_base) + part, here[first].iov_len - part};
      left -= part;
      if (here[first].iov_len == 0) ++first;
    }
  }
}

// ---- Head files

Descriptor make_head_file(Count ranks) {
  if (ranks < 1 || ranks > GroupSpace::most_ranks)
    throw Error(ErrorCode::misuse, fmt::format("{} ranks cannot share memory; the limit is {}", ranks, GroupSpace::most_ranks));
  Descriptor file = sealed_file(file_bytes(ranks));
  const auto memory = mapped(file, ranks);
  SharedSpace::make_head(head_in(memory.get()), ranks);
  HeadTitle title{};
  std::memcpy(title.magic, HeadTitle::word, sizeof title.magic);
  title.ranks = ranks;
  std::memcpy(memory.get(), &title, sizeof title);
  return file;
}

bool is_head_file(int file, Count ranks) { return ranks_of(file) == ranks; }

std::shared_ptr<SpaceHead> open_head_file(const Descriptor& file, Count ranks) {
  if (!is_head_file(file.number(), ranks))
    throw Error(
        ErrorCode::environment,
        fmt::format("this is not the file through which {} ranks share memory, or it is damaged; use 'quadrille run'", ranks));
  auto memory = mapped(file, ranks);
  SpaceHead* const head = head_in(memory.get());
  return {std::move(memory), head};
}

void say_ended(const Descriptor& file, Rank rank) {
  const auto ranks = ranks_of(file.number());
  if (!ranks || rank < 0 || rank >= *ranks) return;  // the other ranks notice later that the rank's files are gone
  try {
    SharedSpace::end_without(head_in(mapped(file, *ranks).get()), rank);
  } catch (const Error&) {
    return;  // as above
  }
}

}  // namespace quadrille
