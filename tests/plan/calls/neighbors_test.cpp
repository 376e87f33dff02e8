// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of a rank of a grid, against the rule of MPI 4.1, section 8.6: what a rank sends in a direction of a dimension
// arrives, at the rank that is next there, in the place of what comes from the opposite direction.
#include <gtest/gtest.h>

#include <map>

#include "quadrille/edges.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/neighborhood.hpp"
#include "support/grids.hpp"
#include "support/told.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Neighbors, OfAGridMeetByTheRuleOfMpi) {
  for (const CartesianGrid& grid : small_grids(3)) {
    const Count p = ranks_of_grid(grid);
    std::map<std::pair<Rank, Rank>, std::vector<std::size_t>> sent;  // by sender and receiver: places of the blocks
    ByRank<Neighbors> all;
    for (Rank rank = 0; rank < p; ++rank) {
      all.emplace_back(grid, rank);
      for (std::size_t block = 0; block < all[rank].destinations().size(); ++block)
        sent[{rank, all[rank].destinations()[block]}].push_back(block);
    }
    std::map<std::pair<Rank, Rank>, std::size_t> met;
    for (Rank rank = 0; rank < p; ++rank) {
      EXPECT_EQ(all[rank].sources().size(), 2 * grid.dimensions.size());
      for (const std::size_t block : all[rank].meeting_order()) {
        const Rank source = all[rank].sources()[block];
        const Origin origin = origin_of(grid, rank, block);
        EXPECT_EQ(source, origin.rank);
        if (source < 0) continue;
        const std::size_t turn = met[{source, rank}]++;
        ASSERT_LT(turn, (sent[{source, rank}].size()));
        EXPECT_EQ((sent[{source, rank}][turn]), origin.block) << described(grid) << ", to rank " << rank;
      }
    }
    for (const auto& [pair, blocks] : sent)
      if (pair.second >= 0) EXPECT_EQ(met[pair], blocks.size());
  }
}

std::string told_about(const CartesianGrid& grid, Rank rank) {
  return told(1, [&](Communicator&) { Neighbors(grid, rank); })[0];
}

TEST(Neighbors, RefuseWhatIsNoGrid) {
  EXPECT_EQ(told_about({{2, 3}, {true}}, 0), "a grid has 2 dimensions, and says of 1 whether they are periodic");
  EXPECT_EQ(told_about({{2, 0}, {true, true}}, 0), "a dimension of a grid has 0 ranks; it needs one or more");
  EXPECT_EQ(told_about({{2, 3}, {true, true}}, 6), "a grid of 6 ranks has no rank 6");
  EXPECT_EQ(told_about({{2, 3}, {true, true}}, -1), "a grid of 6 ranks has no rank -1");
  EXPECT_EQ(told_about({{Count{1} << 40, Count{1} << 40}, {true, true}}, 0), "a grid has 2^63 ranks or more (no misuse)");
  EXPECT_EQ(told(1, [](Communicator&) { Neighbors({}, std::vector<Rank>(index(Edges::most) + 1)); })[0],
            "a rank has at most 1048576 neighbours (no misuse)");
}

}  // namespace
}  // namespace quadrille
