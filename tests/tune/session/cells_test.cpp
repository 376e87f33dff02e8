// SPDX-License-Identifier: BSD-3-Clause
// The cells of a session and their order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "quadrille/tune.hpp"

namespace quadrille {
namespace {

std::vector<std::string> texts_of(const std::vector<TuneCell>& cells) {
  std::vector<std::string> texts;
  for (const TuneCell& cell : cells) texts.push_back(fmt::format("{} {}", name(cell.problem.collective), cell.size));
  return texts;
}

TEST(CellsOfASession, AreCoarseSizesOfValuableCollectivesFirst) {
  using enum Collective;
  const auto cells = cells_of({.collectives = {barrier, broadcast, alltoall}, .sizes = {4, 1, 16, 2, 8, 8}}, 2);
  EXPECT_EQ(texts_of(cells),
            (std::vector<std::string>{"alltoall 1", "alltoall 16", "alltoall 4", "broadcast 1", "broadcast 16", "broadcast 4",
                                      "barrier 1", "alltoall 2", "alltoall 8", "broadcast 2", "broadcast 8"}));
}

TEST(CellsOfASession, AreAllCollectivesAtNineSizesIfNoneAreNamed) {
  std::set<Collective> collectives;
  std::set<Bytes> sizes;
  const auto cells = cells_of({}, 4, {0, 0, 1, 1});
  for (const TuneCell& cell : cells) {
    collectives.insert(cell.problem.collective);
    sizes.insert(cell.size);
    EXPECT_EQ(cell.state, CellState::open);
    EXPECT_EQ(cell.problem.nodes, (std::vector<Count>{0, 0, 1, 1}));
    EXPECT_EQ(cell.operation != nullptr, is_reduction(cell.problem.collective));
  }
  EXPECT_EQ(collectives.size(), all_collectives().size());
  EXPECT_EQ(sizes.size(), 9u);
  EXPECT_EQ(cells.front().problem.collective, Collective::alltoall);
  EXPECT_EQ(std::count_if(cells.begin(), cells.end(),
                          [](const TuneCell& cell) { return cell.problem.collective == Collective::barrier; }),
            1);
}

TEST(CellsOfASession, HaveThreeShapesOfCountsKnownAndUnknown) {
  const auto cells = cells_of({.collectives = {Collective::alltoallv}, .sizes = {256}}, 4);
  ASSERT_EQ(cells.size(), 6u);
  std::set<std::pair<std::string, bool>> kinds;
  std::map<bool, std::set<std::pair<Count, Count>>> found;
  for (const TuneCell& cell : cells) {
    const Situation situation = cell.situation();
    EXPECT_EQ(situation.counts_known, !cell.own_counts_only);
    kinds.emplace(cell.shape, cell.own_counts_only);
    found[situation.counts_known].emplace(situation.skew, situation.sparsity);
  }
  EXPECT_EQ(kinds.size(), 6u);
  EXPECT_GE(found[true].size(), 2u) << "a spike is more uneven";
  EXPECT_EQ(found[false], found[true]);
}

TEST(CellsOfASession, AreTheWantedOnesInTheirOrder) {
  const auto cells = cells_of({.collectives = {Collective::scan},
                               .wanted = {{Collective::gather, 100}, {Collective::alltoall, 8}, {Collective::reduce_scatterv, 64}}},
                              3);
  EXPECT_EQ(texts_of(cells), (std::vector<std::string>{"gather 100", "alltoall 8", "reduce_scatterv 64"}));
  EXPECT_EQ(cells[2].problem.element_bytes, 8);
}

TEST(CellsOfASession, AreRefusedIfImpossible) {
  EXPECT_THROW(cells_of({.collectives = {Collective::reduce}, .sizes = {3}}, 2), Error);
  EXPECT_NO_THROW(cells_of({.collectives = {Collective::gather}, .sizes = {3}}, 2));
  EXPECT_THROW(cells_of({.collectives = {Collective::alltoall}, .sizes = {-1}}, 2), Error);
  EXPECT_THROW(cells_of({.collectives = {Collective::alltoall}, .sizes = {Bytes{1} << 62}}, 4), Error);
  EXPECT_THROW(cells_of({.collectives = {Collective::alltoallv}, .sizes = {Bytes{1} << 62}}, 4), Error);
  EXPECT_THROW(cells_of({.collectives = {Collective::alltoallv}, .sizes = {8}}, Count{1} << 40), Error);
}

}  // namespace
}  // namespace quadrille
