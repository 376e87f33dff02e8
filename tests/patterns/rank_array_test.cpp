// SPDX-License-Identifier: BSD-3-Clause
// Rows and columns of ranks: the published tables entry by entry, and no conflict in any step for all numbers of ranks.
#include "patterns/rank_array.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace quadrille {
namespace {

// One line for each step: the receiver of each sender, X for a stall, . for no message.
std::string row_table(const RankArray& array, const std::vector<Rank>& senders) {
  std::string text;
  for (Count step = 1; step <= array.row_steps() + 1; ++step) {
    for (const Rank sender : senders) {
      const auto receiver = array.row_receiver(sender, step);
      text += receiver ? fmt::format("{:>3}", *receiver) : array.stall(sender) == step ? "  X" : "  .";
    }
    text += '\n';
  }
  return text;
}

TEST(RankArray, MatchesThePaperForSixtyOneRanks) {
  const RankArray array(61, 8);
  EXPECT_EQ(RankArray::paper_columns(61), 8);
  EXPECT_EQ(row_table(array, {16, 17, 18, 19, 20, 21, 22, 23, 58}),
            " 17 18 19 20 21 22 23 16 59\n"
            " 18 19 20 21 22 23 16 17 60\n"
            " 19 20  X 22 23 16 17 18 21\n"
            " 20  X 21 23 16 17 18 19 22\n"
            "  X 21 22 16 17 18 19 20 23\n"
            " 21 22 23 17 18 19 20  X 56\n"
            " 22 23 16 18 19 20  X 21 57\n"
            " 23 16 17 19 20  X 21 22 58\n"
            " 16 17 18  .  . 21 22 23  .\n");
  const std::vector<std::vector<Rank>> additional{{5, 6, 7}, {13, 14, 15}, {21, 22, 23}, {29, 30, 31}, {37, 38, 39}};
  for (Rank m = 0; m < 5; ++m)
    for (Count c = 5; c < 8; ++c)
      EXPECT_EQ(array.relay(56 + m, c), additional[static_cast<std::size_t>(m)][static_cast<std::size_t>(c - 5)]);
}

TEST(RankArray, MatchesTheTableForFiveRanks) {
  EXPECT_EQ(RankArray::paper_columns(5), 2);
  const RankArray array(5, 2);
  EXPECT_EQ(array.rows(), 3);
  EXPECT_EQ(row_table(array, {0, 1, 2, 3, 4}),
            "  X  0  3  2  1\n"
            "  1  X  2  3  4\n"
            "  0  1  .  .  .\n");
}

TEST(RankArray, MatchesTheTableForEighteenRanks) {
  const RankArray array(18, 5);
  EXPECT_EQ(RankArray::paper_columns(18), 5);
  std::string stalls;
  for (Rank rank = 0; rank < 15; ++rank) {
    const auto stall = array.stall(rank);
    stalls += (rank % 5 == 0 ? rank == 0 ? "" : " | " : " ") + (stall ? std::to_string(*stall) : "-");
  }
  EXPECT_EQ(stalls, "3 - - 5 4 | 3 2 - 5 4 | 3 2 1 5 4");
  for (const auto& [from, to] : std::vector<std::pair<Rank, Rank>>{{15, 3}, {15, 4}, {16, 8}, {16, 9}, {17, 13}, {17, 14}}) {
    EXPECT_EQ(array.relay(from, array.column_of(to)), to);
    EXPECT_EQ(array.additional_sender(to), from);
  }
}

TEST(RankArray, IsInvalidWithThePapersColumnsAtProductsLessOne) {
  std::set<Count> products;
  for (Count s = 2; s * (s + 1) - 1 <= 2000; ++s) products.insert(s * (s + 1) - 1);
  for (Count p = 1; p <= 2000; ++p) {
    Count ceiling = 1;
    while (ceiling * ceiling < p) ++ceiling;
    ASSERT_EQ(RankArray::is_valid(p, ceiling), !products.contains(p)) << p;
    ASSERT_EQ(RankArray::paper_columns(p), ceiling - (products.contains(p) ? 1 : 0)) << p;
  }
}

TEST(RankArray, BestHasFullGridsIfTheySaveSteps) {
  for (const auto& [p, rows, columns] :
       std::vector<std::tuple<Count, Count, Count>>{{18, 3, 6}, {24, 4, 6}, {60, 6, 10}, {63, 7, 9}}) {
    const Count best = RankArray::best_columns(p);
    EXPECT_TRUE(best == rows || best == columns) << p << ' ' << best;
  }
  Count better = 0;
  for (Count p = 4; p <= 200; ++p) {
    const RankArray paper(p, RankArray::paper_columns(p)), best(p, RankArray::best_columns(p));
    const Count gain = paper.row_steps() + paper.column_steps() - best.row_steps() - best.column_steps();
    ASSERT_GE(gain, 0);
    if (gain == 0 || best.is_ragged()) continue;
    ASSERT_EQ(gain, 1) << p;  // four-stage passes over all lines twice, so it saves two steps
    ++better;
  }
  EXPECT_EQ(better, 47);
}

// The sends and receives of a pass agree, every rank has at most one of each per step, and every rank reaches each
// relay once.
void expect_free_of_conflicts(const RankArray& array) {
  const Count p = array.ranks();
  std::vector<std::set<Rank>> row_reached(static_cast<std::size_t>(p)), column_reached(row_reached);
  for (Count step = 1; step <= array.row_steps() + 2; ++step) {
    std::vector<std::optional<Rank>> senders(static_cast<std::size_t>(p));
    for (Rank rank = 0; rank < p; ++rank)
      if (const auto receiver = array.row_receiver(rank, step)) {
        auto& sender = senders[static_cast<std::size_t>(*receiver)];
        ASSERT_FALSE(sender) << "step " << step << ": " << *sender << " and " << rank << " send to " << *receiver;
        sender = rank;
        ASSERT_TRUE(row_reached[static_cast<std::size_t>(rank)].insert(*receiver).second);
        ASSERT_TRUE(step <= array.row_steps() || *receiver == rank) << "in the last step there are messages to oneself only";
      }
    for (Rank rank = 0; rank < p; ++rank)
      ASSERT_EQ(array.row_sender(rank, step), senders[static_cast<std::size_t>(rank)]) << rank << ' ' << step;
  }
  for (Count step = 1; step <= array.column_steps() + 2; ++step)
    for (Rank rank = 0; rank < p; ++rank)
      if (const auto receiver = array.column_receiver(rank, step)) {
        ASSERT_EQ(array.column_sender(*receiver, step), rank);
        ASSERT_TRUE(column_reached[static_cast<std::size_t>(rank)].insert(*receiver).second);
        ASSERT_TRUE(step <= array.column_steps() || *receiver == rank);
      }
  for (Rank rank = 0; rank < p; ++rank) {
    std::set<Rank> relays, mates;
    for (Count c = 0; c < array.columns(); ++c) {
      ASSERT_EQ(array.column_of(array.relay(rank, c)), c);
      relays.insert(array.relay(rank, c));
    }
    for (Count row = 0; row < array.height(array.column_of(rank)); ++row) mates.insert(array.rank_at(row, array.column_of(rank)));
    ASSERT_EQ(row_reached[static_cast<std::size_t>(rank)], relays);
    ASSERT_EQ(column_reached[static_cast<std::size_t>(rank)], mates);
    ASSERT_EQ(array.relay(rank, array.column_of(rank)), rank);
  }
}

TEST(RankArray, HasNoConflictsForAnyValidNumberOfColumns) {
  for (Count p = 1; p <= 40; ++p)
    for (Count columns = 1; columns <= p; ++columns)
      if (RankArray::is_valid(p, columns)) {
        SCOPED_TRACE(fmt::format("{} ranks in {} columns", p, columns));
        expect_free_of_conflicts(RankArray(p, columns));
        if (::testing::Test::HasFatalFailure()) return;
      }
}

TEST(RankArray, HasNoConflictsForManyRanks) {
  for (Count p = 41; p <= 200; ++p)
    for (const Count columns : {RankArray::paper_columns(p), RankArray::best_columns(p)}) {
      SCOPED_TRACE(fmt::format("{} ranks in {} columns", p, columns));
      expect_free_of_conflicts(RankArray(p, columns));
      if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(RankArray, StepsOfFourStagesWithAndWithoutMessagesToOneself) {
  for (const auto& [p, with, without] : std::vector<std::tuple<Count, Count, Count>>{
           {16, 16, 12}, {18, 20, 16}, {61, 34, 30}, {64, 32, 28}, {100, 40, 36}, {200, 60, 56}}) {
    const RankArray array(p, RankArray::paper_columns(p));
    EXPECT_EQ(2 * (array.row_steps() + array.column_steps()), without);
    EXPECT_EQ(2 * (array.row_steps() + 1 + array.column_steps() + 1), with);
  }
}

// Without the stalls, one conflict arises for each additional message.
TEST(RankArray, HasConflictsWithoutStalls) {
  for (const auto& [p, conflicts] : std::vector<std::pair<Count, Count>>{{5, 1}, {18, 6}, {61, 15}, {64, 0}}) {
    const RankArray array(p, RankArray::paper_columns(p));
    Count found = 0;
    for (Count step = 1; step <= array.columns(); ++step) {
      std::set<Rank> receivers;
      for (Rank rank = 0; rank < p; ++rank)
        if (!receivers.insert(array.relay(rank, (array.column_of(rank) + step) % array.columns())).second) ++found;
    }
    EXPECT_EQ(found, conflicts) << p;
  }
}

TEST(RankArray, NumbersPlacesColumnByColumn) {
  for (Count p = 1; p <= 70; ++p) {
    const RankArray array(p, RankArray::paper_columns(p));
    Count place = 0;
    for (Count c = 0; c < array.columns(); ++c)
      for (Count row = 0; row < array.height(c); ++row) ASSERT_EQ(array.place_of(array.rank_at(row, c)), place++);
    ASSERT_EQ(place, p);
    ASSERT_EQ(array.first_place(array.columns()), p);
  }
}

}  // namespace
}  // namespace quadrille
