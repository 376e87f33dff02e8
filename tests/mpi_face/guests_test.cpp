// SPDX-License-Identifier: BSD-3-Clause
// Guests of MPI_COMM_WORLD: which of them meet, in which order, and that they do not if their ranks are not equally far. Run under
// MPI with at least 3 ranks.
#include "mpi_face/guests.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace quadrille::mpi_face {
namespace {

std::vector<int> met;  // the names of guests of this rank, in the order of their meetings

class TestGuest final : public Guest {
 public:
  // `ranks`: ranks of MPI_COMM_WORLD.
  TestGuest(int name, std::vector<int> ranks) : name_(name) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto place = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
    is_here = place < static_cast<std::ptrdiff_t>(ranks.size());
    MPI_Comm_split(MPI_COMM_WORLD, is_here ? 0 : MPI_UNDEFINED, static_cast<int>(place), &communicator_);
    if (is_here) Guests::of_process().add(*this);
  }
  ~TestGuest() {
    Guests::of_process().remove(*this);
    if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
  }

  MPI_Comm guest() const override { return communicator_; }
  std::uint64_t calls_so_far() const override { return calls; }
  double worth_ticks() const override { return worth; }
  void meet_as_guest(MPI_Comm ranks) override {
    int likeness = MPI_UNEQUAL;
    MPI_Comm_compare(ranks, communicator_, &likeness);
    EXPECT_EQ(likeness, MPI_CONGRUENT);
    worth = 0;
    met.push_back(name_);
  }

  bool is_here = false;
  std::uint64_t calls = 100;
  double worth = 10;

 private:
  const int name_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

class GuestsTest : public ::testing::Test {
 protected:
  GuestsTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    met.clear();
  }

  // Hosts as long as there are guests, as rank 0 does. Returns how often.
  static int host_all() {
    Guests& guests = Guests::of_process();
    guests.begin();
    int rounds = 0;
    for (; guests.worth_ticks() > 0; ++rounds) guests.host();
    return rounds;
  }

  int rank_ = 0;
};

TEST_F(GuestsTest, MeetOnRanksInTheOrderOfTheCommunicator) {
  TestGuest guest(1, {2, 0});
  EXPECT_EQ(host_all(), 1);
  EXPECT_EQ(met.size(), guest.is_here ? 1u : 0u);
  EXPECT_EQ(host_all(), 0) << "it does not wait any more";
}

// Rank 1 belongs to both guests. The second one meets later, although it comes first on rank 2.
TEST_F(GuestsTest, MeetInTheOrderInWhichTheyCame) {
  TestGuest first(1, {0, 1}), second(2, {1, 2}), apart(3, {0, 2});
  EXPECT_EQ(host_all(), 3);
  EXPECT_EQ(met, rank_ == 0   ? (std::vector{1, 3})
                 : rank_ == 1 ? (std::vector{1, 2})
                 : rank_ == 2 ? (std::vector{2, 3})
                              : std::vector<int>{});
}

TEST_F(GuestsTest, OfDifferentRanksMeetAtTheSameTime) {
  TestGuest first(1, {0}), second(2, {1, 2});
  EXPECT_EQ(host_all(), 1);
  EXPECT_EQ(met.size(), rank_ < 3 ? 1u : 0u);
}

// The ranks of a program that relies on calls that do not wait.
TEST_F(GuestsTest, DoNotMeetIfARankIsAhead) {
  TestGuest guest(1, {0, 1, 2}), other(2, {0, 1, 2});
  if (rank_ == 1) ++guest.calls;
  EXPECT_EQ(host_all(), 2) << "once each";
  EXPECT_TRUE(met.empty()) << "which of the two guests of these ranks is meant, is not sure";
  if (rank_ != 1) ++guest.calls;
  EXPECT_EQ(host_all(), 2);
  EXPECT_EQ(met, rank_ < 3 ? (std::vector{1, 2}) : std::vector<int>{});
}

TEST_F(GuestsTest, DoNotMeetIfARankDoesNotWait) {
  TestGuest guest(1, {0, 1, 2});
  if (rank_ == 2) guest.worth = 0;
  EXPECT_EQ(host_all(), 1);
  EXPECT_TRUE(met.empty());
}

// Ranks 0 and 1 name another guest than rank 2, which has the same ranks and on which there were as many calls.
TEST_F(GuestsTest, DoNotMeetIfRanksNameDifferentOnes) {
  TestGuest guest(1, {0, 1, 2}), other(2, {0, 1, 2});
  if (rank_ == 2) guest.worth = 0;
  EXPECT_EQ(host_all(), 2);
  EXPECT_TRUE(met.empty());
}

// A guest that cannot meet does not keep others from meeting.
TEST_F(GuestsTest, MeetBehindOneThatCannot) {
  TestGuest guest(1, {0, 1, 2}), pair(2, {0, 1});
  if (rank_ == 2) ++guest.calls;
  EXPECT_EQ(host_all(), 2);
  EXPECT_EQ(met, rank_ < 2 ? (std::vector{2}) : std::vector<int>{});
}

TEST_F(GuestsTest, AreWorthWhatTheyAreOnTheRankWhereTheyTookLongest) {
  TestGuest guest(1, {0, 1, 2});
  guest.worth = 10 + rank_;
  Guests::of_process().begin();
  EXPECT_GE(Guests::of_process().worth_ticks(), 12);
  EXPECT_EQ(host_all(), 1);
}

}  // namespace
}  // namespace quadrille::mpi_face
