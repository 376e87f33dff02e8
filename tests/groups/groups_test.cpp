// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/groups.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "execute/shared/communicator.hpp"
#include "groups/chooser.hpp"
#include "quadrille/collectives.hpp"

namespace quadrille {
namespace {

// A communicator of the same ranks, as execute/ makes it.
std::unique_ptr<SharedCommunicator> without_chooser(Communicator& threads) {
  auto& known = dynamic_cast<SharedCommunicator&>(threads);
  return std::make_unique<SharedCommunicator>(known.space(), known.transport_name(), known.costs());
}

TEST(Groups, WithoutAChooserMakeOnlyPlansThatNameTheirAlgorithm) {
  run_threads(3, [](Communicator& threads) {
    const auto group = without_chooser(threads);
    const Problem problem = Problem::alltoall(3, 1);
    EXPECT_EQ(plan(group, problem, {.algorithm = "direct"}).algorithm(), "direct:segments=1");
    try {
      plan(group, problem);
      ADD_FAILURE() << "a plan was made";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "this group cannot choose an algorithm; name one in the options");
    }
  });
}

TEST(Groups, ChooseOnceTheyMay) {
  run_threads(3, [](Communicator& threads) {
    const auto group = without_chooser(threads);
    let_choose(*group);
    EXPECT_NE(plan(group, Problem::alltoall(3, 1)).decision(), nullptr);
    std::vector<int> own(3), all(3);
    std::iota(own.begin(), own.end(), 10 * group->rank());
    alltoall(group, own, all);  // a call without a plan chooses by the same function
    const auto mine = static_cast<int>(group->rank());
    EXPECT_EQ(all, (std::vector<int>{mine, 10 + mine, 20 + mine}));
  });
}

}  // namespace
}  // namespace quadrille
