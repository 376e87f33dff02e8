// SPDX-License-Identifier: BSD-3-Clause
// Moving ranks to random cores.
#include "tune/race/disturbances.hpp"

#include <gtest/gtest.h>

#include "execute/executions/waiting.hpp"
#include "quadrille/groups.hpp"

namespace quadrille {
namespace {

cpu_set_t allowed() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  ::sched_getaffinity(0, sizeof cores, &cores);
  return cores;
}

// Whether or not ranks were moved, they may use all their cores afterwards, and all ranks have drawn the same random numbers.
TEST(ShuffledPlaces, LetRanksUseAllTheirCoresAfterwards) {
  for (const Count ranks : {Count{1}, usable_core_count() + 3})
    run_threads(ranks, [](Communicator& communicator) {
      const cpu_set_t before = allowed();
      std::mt19937_64 random(7);
      ShuffledPlaces places(communicator);
      for (int i = 0; i < 50; ++i) places.draw(random);
      const cpu_set_t after = allowed();
      EXPECT_TRUE(CPU_EQUAL(&before, &after));
      const std::uint64_t mine = random();
      std::vector<std::uint64_t> all(static_cast<std::size_t>(communicator.size()));
      communicator.all_gather(&mine, all.data(), sizeof mine);
      for (const std::uint64_t each : all) EXPECT_EQ(each, mine);
    });
}

// Ranks that a launcher has bound stay where they are, because the user wants that.
TEST(ShuffledPlaces, LeaveBoundRanksWhereTheyAre) {
  if (usable_core_count() < 2) GTEST_SKIP() << "there is one core";
  run_threads(usable_core_count() + 1, [](Communicator& communicator) {
    int first = 0;
    const cpu_set_t all = allowed();
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (communicator.rank() == 0) ::sched_setaffinity(0, sizeof one, &one);
    communicator.barrier();
    std::mt19937_64 random(7);
    ShuffledPlaces places(communicator);
    places.draw(random);
    const cpu_set_t after = allowed();
    EXPECT_TRUE(CPU_EQUAL(&after, communicator.rank() == 0 ? &one : &all));
    ::sched_setaffinity(0, sizeof all, &all);
  });
}

}  // namespace
}  // namespace quadrille
