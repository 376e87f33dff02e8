// SPDX-License-Identifier: BSD-3-Clause
#include "tune/cores.hpp"

#include <gtest/gtest.h>

#include "quadrille/groups.hpp"

namespace quadrille {
namespace {

TEST(Cores, OfANodeAreThoseThatAnyOfItsRanksMayUse) {
  const cpu_set_t allowed = own_cores();
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "skipped: needs two cores";
  std::vector<int> numbers;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) numbers.push_back(core);
  run_threads(3, [&](Communicator& communicator) {
    const int mine = numbers[communicator.rank() == 1 ? 1 : 0];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(mine, &one);
    sched_setaffinity(0, sizeof one, &one);
    const cpu_set_t own = own_cores();
    const std::vector<cpu_set_t> of_nodes = cores_of_nodes(communicator);
    sched_setaffinity(0, sizeof allowed, &allowed);
    EXPECT_TRUE(CPU_EQUAL(&own, &one));
    ASSERT_EQ(of_nodes.size(), 1u);
    EXPECT_EQ(CPU_COUNT(&of_nodes[0]), 2);
    EXPECT_TRUE(CPU_ISSET(numbers[0], &of_nodes[0]) && CPU_ISSET(numbers[1], &of_nodes[0]));
  });
}

}  // namespace
}  // namespace quadrille
