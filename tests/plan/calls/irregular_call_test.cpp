// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "quadrille/collectives.hpp"
#include "quadrille/indexed.hpp"
#include "support/told.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// All ranks throw: the one with wrong arguments, and the others.
TEST(Calls, RefuseCountsThatDoNotFitOnAllRanks) {
  std::vector<int> five(5), output(5);
  const auto exchange = [&](Communicator& ranks, std::vector<int> send_counts) {
    const bool is_wrong = ranks.rank() == 1;
    const std::vector<int> right{1, 1, 1};
    std::vector<int> received(3);
    alltoallv(ranks, five, is_wrong ? send_counts : right, received, right);
  };
  const auto said = [&](std::vector<int> send_counts) {
    std::vector<std::string> all = told(3, [&](Communicator& ranks) { exchange(ranks, send_counts); });
    EXPECT_EQ(all[0], "rank 1: " + all[1]);
    EXPECT_EQ(all[2], "rank 1: " + all[1]);
    return all[1];
  };
  EXPECT_EQ(said({1, 1}), "alltoallv has 2 send_counts for 3 ranks");
  EXPECT_EQ(said({1, -2, 1}), "send_counts[1] is -2; counts are 0 or more");
  EXPECT_EQ(said({1, 1, 4}), "send_counts[2] is 4 from element 2 on, and the input has 5 elements");
  EXPECT_EQ(said({1, 2, 1}), "rank 1 sends itself 8 bytes and receives 4 from itself");
  EXPECT_EQ(told_to_all(3,
                        [&](Communicator& ranks) {
                          exchange(ranks, {1, 1, 2});
                        }),
            "rank 1 is to send 8 B to rank 2, which expects 4 B; compare their counts");
  const std::vector<std::string> gathered = told(3, [&](Communicator& ranks) {
    std::vector<int> own(index(ranks.rank())), all(3);
    gatherv(ranks, own, all, std::vector<long>{0, 1, 1}, 1);
  });
  EXPECT_EQ(gathered[1], "gatherv's counts[2] is 4 B at the root and rank 2 gives 8 B; they must be equal");
  EXPECT_EQ(gathered[2], "rank 1: " + gathered[1]);
  const std::vector<unsigned> counts{1, 1, 1};
  EXPECT_EQ(told_to_all(3,
                        [&](Communicator& ranks) {
                          allgatherv(ranks, five, output, counts, std::vector<int>{0, 1});
                        }),
            "allgatherv has 2 displacements for 3 ranks");
}

}  // namespace
}  // namespace quadrille
