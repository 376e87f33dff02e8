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
  static KnownCommunicator copy_of_world() {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    return KnownCommunicator(copy);
  }
  ~DecidingTest() override {
    MPI_Comm copy = copy_.handle;
    MPI_Comm_free(&copy);
  }

  const KnownCommunicator world_{MPI_COMM_WORLD}, self_{MPI_COMM_SELF};
  KnownCommunicator copy_ = copy_of_world();
};

// The user's wishes shall count from the first call on.
TEST_F(DecidingTest, MeetsInTheFirstCallOnTheWorld) {
  Deciding world(world_), copy(copy_);
  EXPECT_TRUE(world.meets(cheap_s));
  EXPECT_FALSE(copy.meets(cheap_s));
}

// The call in which the ranks meet is the first one after they were asked, and the request ends with the meeting.
TEST_F(DecidingTest, MeetsOnceIfAsked) {
  Deciding deciding(copy_);
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
  Deciding deciding(copy_);
  CallOutcome outcome;
  deciding.meet(outcome);
  EXPECT_EQ(deciding.exchange(), nullptr);
  EXPECT_FALSE(outcome.by_ours);
}

// What a few ranks spend can delay all.
TEST_F(DecidingTest, WeighsTimeByTheShareOfTheWorld) {
  EXPECT_EQ(Deciding(self_).weight(), world_.ranks);
  EXPECT_EQ(Deciding(copy_).weight(), 1);
  copy_.ranks = 2 * world_.ranks;
  EXPECT_EQ(Deciding(copy_).weight(), 1) << "more ranks than the world has, of several worlds";
}

TEST_F(DecidingTest, KnowsThatSubsetsBelongToTheWorld) {
  for (const KnownCommunicator* each : {&world_, &self_, static_cast<const KnownCommunicator*>(&copy_)})
    EXPECT_TRUE(each->is_of_one_world());
}

// The calls were in a trial, say, when the user's rule becomes known.
TEST_F(DecidingTest, DropsThePlansOfCallsThatItLeavesToTheMpiLibrary) {
  Deciding deciding(copy_);
  const auto group = over(copy_.handle);
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
