// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/head_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "execute/shared/group_space.hpp"
#include "execute/shared/memory/shared_file.hpp"
#include "foundation/arithmetic.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks = GroupSpace::most_ranks;

struct alignas(64) Title {
  static constexpr char word[8] = {'q', 'u', 'a', 'd', 'h', 'e', 'a', 'd'};
  char magic[8];
  Count ranks;
};

Bytes file_bytes(Count ranks) { return rounded_up(static_cast<Bytes>(sizeof(Title)) + SpaceHead::bytes(ranks), 4096); }

SpaceHead* head_in(void* memory) { return reinterpret_cast<SpaceHead*>(static_cast<std::byte*>(memory) + sizeof(Title)); }

// Returns the number of ranks in the title, or nothing if this is not a head file. It checks the seals first, because only the size
// of a sealed file cannot change after it was compared with the title.
std::optional<Count> ranks_of(int file) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  Title title{};
  struct stat status {};
  if (seals < 0 || (seals & size_seals) != size_seals || ::fstat(file, &status) != 0 ||
      ::pread(file, &title, sizeof title, 0) != sizeof title)
    return std::nullopt;
  const bool is_sound = std::memcmp(title.magic, Title::word, sizeof title.magic) == 0 && title.ranks >= 1 &&
                        title.ranks <= most_ranks && file_bytes(title.ranks) == status.st_size;
  return is_sound ? std::optional(title.ranks) : std::nullopt;
}

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCode::environment, fmt::format("the ranks cannot meet in shared memory: {}: {}", what, std::strerror(errno)));
}

std::shared_ptr<void> mapped(const Descriptor& file, Count ranks) {
  const std::size_t bytes = index(file_bytes(ranks));
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) refuse("mmap");
  ::madvise(memory, bytes, MADV_DONTFORK);
  ::madvise(memory, bytes, MADV_DONTDUMP);
  return {memory, [bytes](void* mapping) { ::munmap(mapping, bytes); }};
}

}  // namespace

Descriptor make_head_file(Count ranks) {
  if (ranks < 1 || ranks > most_ranks)
    throw Error(ErrorCode::misuse, fmt::format("{} ranks cannot share memory; the limit is {}", ranks, most_ranks));
  Descriptor file = sealed_file(file_bytes(ranks));
  const auto memory = mapped(file, ranks);
  SharedSpace::make_head(head_in(memory.get()), ranks);
  Title title{};
  std::memcpy(title.magic, Title::word, sizeof title.magic);
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
  if (!ranks || rank < 0 || rank >= *ranks) return;  // then the other ranks notice later that the rank's files are gone
  try {
    SharedSpace::end_without(head_in(mapped(file, *ranks).get()), rank);
  } catch (const Error&) {
    return;  // as above
  }
}

}  // namespace quadrille
