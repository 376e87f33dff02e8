// SPDX-License-Identifier: BSD-3-Clause
// When the ranks of a communicator meet, how much a second spent on it weighs, and which plans they keep. What they do in meetings,
// tests/mpi_face/steady.c and choose_test.sh test with whole programs.
#include "mpi_face/deciding.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "mpi_face/contenders.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr double cheap_s = 1e-6;

class DecidingTest : public ::testing::Test {
 protected:
  DecidingTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy_);
  }
  ~DecidingTest() override { MPI_Comm_free(&copy_); }

  int rank_ = 0, ranks_ = 0;
  MPI_Comm copy_ = MPI_COMM_NULL;
};

// The user's wishes shall count from the first call on.
TEST_F(DecidingTest, MeetsInTheFirstCallOnTheWorld) {
  Deciding world(MPI_COMM_WORLD, rank_, ranks_), copy(copy_, rank_, ranks_);
  EXPECT_TRUE(world.meets(cheap_s));
  EXPECT_FALSE(copy.meets(cheap_s));
}

// The call in which the ranks meet is the first one after they were asked, and the request ends with the meeting.
TEST_F(DecidingTest, MeetsOnceIfAsked) {
  Deciding deciding(copy_, rank_, ranks_);
  EXPECT_FALSE(deciding.meets(cheap_s));
  deciding.ask();
  EXPECT_TRUE(deciding.is_asked());
  EXPECT_TRUE(deciding.meets(cheap_s));
  CallOutcome outcome;
  deciding.meet(outcome);
  EXPECT_FALSE(deciding.is_asked());
  EXPECT_FALSE(deciding.meets(cheap_s));
}

// There is nothing to decide without sites: the ranks spend nothing and make no group.
TEST_F(DecidingTest, DoesNothingWithoutSites) {
  Deciding deciding(copy_, rank_, ranks_);
  CallOutcome outcome;
  deciding.meet(outcome);
  EXPECT_EQ(deciding.exchange(), nullptr);
  EXPECT_FALSE(outcome.by_ours);
}

// What a few ranks spend can delay all.
TEST_F(DecidingTest, WeighsTimeByTheShareOfTheWorld) {
  EXPECT_EQ(Deciding(MPI_COMM_SELF, 0, 1).weight(), ranks_);
  EXPECT_EQ(Deciding(copy_, rank_, ranks_).weight(), 1);
  EXPECT_EQ(Deciding(copy_, rank_, 2 * ranks_).weight(), 1) << "more ranks than the world has, of several worlds";
}

TEST_F(DecidingTest, KnowsThatSubsetsBelongToTheWorld) {
  EXPECT_TRUE(Deciding(MPI_COMM_WORLD, rank_, ranks_).is_of_one_world());
  EXPECT_TRUE(Deciding(MPI_COMM_SELF, 0, 1).is_of_one_world());
  EXPECT_TRUE(Deciding(copy_, rank_, ranks_).is_of_one_world());
}

// The calls were in a trial, say, when the user's rule becomes known.
TEST_F(DecidingTest, DropsThePlansOfCallsThatItLeavesToTheMpiLibrary) {
  Deciding deciding(copy_, rank_, ranks_);
  const auto group = over(copy_);
  Site* sites[2] = {};
  for (const Bytes block_bytes : {8, 1024}) {
    Site*& site = sites[block_bytes > 8];
    site = deciding.sites().make({.block_bytes = block_bytes, .function = Function::Allgather});
    site->plans.push_back(named_plan(*group, *site, "ring"));
    site->mode = Site::Mode::ours;
  }
  sites[1]->mode = Site::Mode::counting;
  setenv("QUADRILLE_CHOOSE", "allgather=vendor", 1);
  CallOutcome outcome;
  deciding.meet(outcome);
  unsetenv("QUADRILLE_CHOOSE");
  EXPECT_EQ(sites[0]->plans.size(), 1u) << "ours still runs these calls";
  EXPECT_EQ(sites[1]->mode, Site::Mode::vendor);
  EXPECT_TRUE(sites[1]->plans.empty());
}

}  // namespace
}  // namespace quadrille::mpi_face
