// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/wait/lending.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <memory>

#include "execute/executions/waiting.hpp"

namespace quadrille {

const std::byte* loadable(SharedSpace& space, Offset offset) {
  if (offset == 0) return nullptr;
  try {
    return space.at(offset);
  } catch (const Error& error) {  // mapping fails if no address space is left (ulimit -v)
    if (!space.reads_private_memory()) space.fail(error);
    return nullptr;
  }
}

void withdraw_lent(SharedSpace& space, Loan& loan, std::uint64_t number, Rank receiver) {
  LongSince long_since(std::chrono::milliseconds(100));
  loan.withdraw(number, [&] {
    if (long_since.is_over() && !space.is_there(receiver)) return true;
    sched_yield();
    return false;
  });
}

void fail_all(SharedSpace& space, const Error& why) noexcept {
  try {
    space.fail(Error(why.code(), fmt::format("rank {}: {}", space.shown(space.rank()), why.what())));
  } catch (const Error&) {  // `fail` also throws the error here
  }
}

// Each area is released when all ranks have closed. The last check is this rank's last access to `closing`.
void close_areas(SharedSpace& space, Closing& closing, std::span<const Offset> own, Offset control) {
  closing.close();
  if (own.empty()) closing.go_through();
  const Count ranks = space.size();
  const auto checks = std::make_shared<std::size_t>(own.size());
  for (const Offset place : own)
    space.retire(place, [&closing, ranks, checks] {
      if (!closing.have_closed(ranks)) return false;
      if (--*checks == 0) closing.go_through();
      return true;
    });
  if (space.rank() == 0) space.retire(control, [&closing, ranks] { return closing.are_through(ranks); });
}

}  // namespace quadrille
