// SPDX-License-Identifier: BSD-3-Clause
// Tests in all interleavings of how ranks close what they share.
#include "execute/shared/protocol/closing.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/interleavings/needed_orders.hpp"

namespace quadrille {
namespace {

using namespace interleavings;

constexpr std::size_t ranks = 3;

struct Group {
  Releasable control{"control memory"};
  ClosingBy<Atomic> closing = control.make<ClosingBy<Atomic>>();
  std::array<Releasable, ranks> areas;  // by rank
};

template <std::size_t me>
void use_and_close(Group& s) {
  s.control.use();
  for (const Releasable& area : s.areas) area.use();
  s.closing.close();
  wait_until([&] { return s.closing.have_closed(ranks); });
  s.closing.go_through();
  s.areas[me].release();
  if (me != 0) return;
  wait_until([&] { return s.closing.are_through(ranks); });
  s.control.release();
}

const Scenario three_ranks_close = scenario<Group>({use_and_close<0>, use_and_close<1>, use_and_close<2>});

TEST(Closing, MemoryIsReleasedWhenNobodyUsesIt) { expect_right_and_tight("closing.hpp", {three_ranks_close}); }

// The search would find an access to the object after the rank's own `go_through`.
TEST(Closing, NobodyLooksAfterItHasGoneThrough) {
  const auto looks_again = [](Group& s) {
    s.closing.close();
    wait_until([&] { return s.closing.have_closed(2); });
    s.closing.go_through();
    s.closing.have_closed(2);
  };
  const auto releases = [](Group& s) {
    s.closing.close();
    wait_until([&] { return s.closing.have_closed(2); });
    s.closing.go_through();
    wait_until([&] { return s.closing.are_through(2); });
    s.control.release();
  };
  EXPECT_NE(explore<Group>({releases, looks_again}).failure, "");
}

}  // namespace
}  // namespace quadrille
