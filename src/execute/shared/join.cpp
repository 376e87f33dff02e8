// SPDX-License-Identifier: BSD-3-Clause
// A process that `quadrille run` started finds its group.
#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <new>
#include <string_view>

#include "execute/shared/group_space.hpp"
#include "execute/shared/head_file.hpp"
#include "execute/shared/launch_variables.hpp"
#include "execute/shared/meet.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {
namespace {

// A number from 0 on that a variable holds and nothing else.
template <class Number>
Number number_in(const char* variable) {
  const char* text = std::getenv(variable);
  const std::string_view word = text ? text : "";
  Number number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || number < 0)
    throw Error(ErrorCode::misuse, fmt::format("{} is '{}'; it is set by 'quadrille run' and by nobody else", variable, word));
  return number;
}

// The group before its processes have met: they can gather, and nothing else.
class HeadSpace final : public SharedSpace {
 public:
  HeadSpace(SpaceHead* head, Rank rank, Count ranks) : SharedSpace(head, rank, ranks) { set_core_count(usable_core_count()); }

  std::byte* at(Offset) const override { return nullptr; }
  Offset offset_of(const void*) const override { return 0; }
  Offset allocate(Bytes) override { throw std::bad_alloc(); }
  Offset allocate_control(Bytes) override { throw std::bad_alloc(); }
  void release(Offset) override {}
  bool reads_private_memory() const override { return false; }
  void read_private(Rank, const void*, std::span<const TargetPiece>) override {}
};

std::shared_ptr<GroupSpace> meet_at(const std::shared_ptr<SpaceHead>& head, Rank rank, Count ranks) {
  SharedCommunicator strangers(std::make_shared<HeadSpace>(head.get(), rank, ranks), "shared");
  auto process = Process::current();
  Acquaintance group = acquaint(strangers, *process);
  strangers.barrier();  // the trays are free again
  return std::make_shared<GroupSpace>(std::move(process), std::move(group.peers), head.get(), Place{0}, rank,
                                      group.reads_private_memory, head);
}

}  // namespace

std::unique_ptr<Communicator> shared_world() {
  const auto rank = number_in<Rank>(rank_variable);
  const auto ranks = number_in<Count>(ranks_variable);
  const auto number = number_in<int>(head_variable);
  // Only then may the descriptor be touched: any other belongs to somebody else.
  if (rank >= ranks || !is_head_file(number, ranks))
    throw Error(
        ErrorCode::misuse,
        fmt::format("there is no group of {} ranks with a rank {} behind the descriptor {} ({}, {} and {} say so); start this "
                    "process by 'quadrille run'",
                    ranks, rank, number, ranks_variable, rank_variable, head_variable));
  if (::fcntl(number, F_GETFD) & FD_CLOEXEC)  // it was inherited without
    throw Error(ErrorCode::misuse, "this process has already joined the group that it was started in; shared_world is called once");
  ::fcntl(number, F_SETFD, FD_CLOEXEC);
  auto space = meet_at(open_head_file(Descriptor(::dup(number)), ranks), rank, ranks);
  const MachineCosts costs = measure_costs(*space);
  return std::make_unique<SharedCommunicator>(std::move(space), "shared", costs.copies);
}

}  // namespace quadrille
