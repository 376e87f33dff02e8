// SPDX-License-Identifier: BSD-3-Clause
// Trials of exchanged calls, whose sizes each rank knows in part only. Run under MPI.
#include "mpi_face/trial.hpp"

#include <gtest/gtest.h>

#include "quadrille/indexed.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::mpi_face {
namespace {

class TrialTest : public ::testing::Test {
 protected:
  TrialTest() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    group_ = over(comm_);
    exchange_ = Exchanger::of(*group_);
  }
  ~TrialTest() override { MPI_Comm_free(&comm_); }

  bool run(const Site& site) {
    times_ = {};
    return Trial(site, comm_, *group_, {}, exchange_.get(), 4).run(times_);
  }
  bool is_complete() const { return times_.vendors_s.size() == 3 && times_.ours_s.size() == 1 && times_.ours_s[0].size() == 3; }

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<Communicator> group_;
  std::unique_ptr<Exchanger> exchange_;
  Trial::Times times_;
};

// Only the root knows the counts of a gatherv or scatterv. The exchange throws if two ranks name different lengths for a block.
TEST_F(TrialTest, HearsTheBlocksFromTheRoot) {
  for (const Function function : {Function::Gatherv, Function::Scatterv})
    for (Rank root = 0; root < group_->size(); ++root) {
      Site site;
      site.key.function = function;
      site.trial_arguments.root = root;
      site.trial_arguments.at_root.assign(index(group_->size()), 9);  // at other ranks: of an older call
      if (group_->rank() == root)
        for (Rank rank = 0; rank < group_->size(); ++rank) site.trial_arguments.at_root[index(rank)] = 1000 * rank;
      EXPECT_TRUE(run(site));
      EXPECT_TRUE(is_complete());
    }
}

TEST_F(TrialTest, OfAGathervWithoutCountsMovesNothing) {
  Site site;
  site.key.function = Function::Gatherv;
  EXPECT_TRUE(run(site));
  EXPECT_TRUE(is_complete());
}

TEST_F(TrialTest, IsNotHeldIfTheRootNeedsTooMuchMemory) {
  Site site;
  site.key.function = Function::Scatterv;
  site.trial_arguments.at_root.assign(index(group_->size()), Trial::most_memory / 2 + 1);
  EXPECT_FALSE(run(site));
  EXPECT_TRUE(times_.vendors_s.empty());
}

}  // namespace
}  // namespace quadrille::mpi_face
