// SPDX-License-Identifier: BSD-3-Clause
// Tests of sleeping and waking in all interleavings. A rank that nobody wakes sleeps for ever here.
#include "execute/shared/protocol/sleep.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "execute/shared/protocol/flag.hpp"
#include "support/interleavings/needed_orders.hpp"

namespace quadrille {
namespace {

using namespace interleavings;

using Tested = SleepBy<Atomic, Fence>;

struct Sleeping {  // one sleeper, and what it waits for from each of the others
  Tested::Word awaited, doorbell;
  std::array<FlagBy<Atomic>, 2> flags;
};

// As SharedSpace::wait_until. The kernel compares the doorbell before it lets the rank sleep, and while it sleeps.
template <Fencing fencing, class Done>
void sleep_until(Sleeping& s, std::uint32_t whom, Done&& done) {
  while (!done()) {
    const std::uint32_t heard = Tested::begin(s.awaited, s.doorbell, whom, fencing);
    const bool is_over = done();
    if (!is_over) wait_until([&] { return s.doorbell.load(std::memory_order_relaxed) != heard; });
    Tested::end(s.awaited);
    if (is_over) return;
  }
}

// As SharedSpace::ring.
template <Fencing fencing>
void publish_and_ring(Sleeping& s, std::size_t me, std::uint64_t number) {
  s.flags[me].publish(number);
  Tested::begin_to_look(fencing);
  if (Tested::look(s.awaited) != 0) Tested::ring(s.doorbell);
}

template <Fencing fencing>
std::vector<Scenario> scenarios() {
  const Scenario one_ring =
      scenario<Sleeping>({[](Sleeping& s) { sleep_until<fencing>(s, 1, [&] { return s.flags[0].published() == 1; }); },
                          [](Sleeping& s) { publish_and_ring<fencing>(s, 0, 1); }});

  // A late ring for the first sleep may end the second one.
  const Scenario two_rings = scenario<Sleeping>({[](Sleeping& s) {
                                                   for (std::uint64_t number = 1; number <= 2; ++number)
                                                     sleep_until<fencing>(s, 1, [&] { return s.flags[0].published() >= number; });
                                                 },
                                                 [](Sleeping& s) {
                                                   publish_and_ring<fencing>(s, 0, 1);
                                                   publish_and_ring<fencing>(s, 0, 2);
                                                 }});

  const Scenario two_ringers = scenario<Sleeping>(
      {[](Sleeping& s) { sleep_until<fencing>(s, 1, [&] { return s.flags[0].published() == 1 && s.flags[1].published() == 1; }); },
       [](Sleeping& s) { publish_and_ring<fencing>(s, 0, 1); }, [](Sleeping& s) { publish_and_ring<fencing>(s, 1, 1); }});
  return {one_ring, two_rings, two_ringers};
}

TEST(Sleep, WhoeverSleepsIsWoken) {
  std::vector<Scenario> all = scenarios<Fencing::each_its_own>();
  for (Scenario& each : scenarios<Fencing::sleeper_for_all>()) all.push_back(std::move(each));
  expect_right_and_tight("sleep.hpp", all);
}

}  // namespace
}  // namespace quadrille
