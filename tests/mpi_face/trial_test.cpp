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

  std::optional<Cause> run(const Site& site) {
    times_ = {};
    std::vector<Plan> none;
    return Trial(site, comm_, *group_, none, exchange_.get(), 4).run(times_);
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
      std::vector<Bytes>& all = function == Function::Gatherv ? site.trial_arguments.received : site.trial_arguments.sent;
      all.assign(index(group_->size()), 9);  // at other ranks: of an older call
      if (group_->rank() == root)
        for (Rank rank = 0; rank < group_->size(); ++rank) all[index(rank)] = 1000 * rank;
      EXPECT_FALSE(run(site));
      EXPECT_TRUE(is_complete());
    }
}

TEST_F(TrialTest, OfAGathervWithoutCountsMovesNothing) {
  Site site;
  site.key.function = Function::Gatherv;
  EXPECT_FALSE(run(site));
  EXPECT_TRUE(is_complete());
}

TEST_F(TrialTest, IsNotHeldIfTheRootNeedsTooMuchMemory) {
  Site site;
  site.key.function = Function::Scatterv;
  site.trial_arguments.sent.assign(index(group_->size()), most_memory_of_trial / 2 + 1);
  EXPECT_EQ(run(site), Cause::too_large);
  EXPECT_TRUE(times_.vendors_s.empty());
}

TEST_F(TrialTest, TakesTheBlocksOfAnAlltoallw) {
  Site site;
  site.key.function = Function::Alltoallw;
  for (Rank rank = 0; rank < group_->size(); ++rank) {
    site.trial_arguments.sent.push_back(100 * group_->rank() + rank);
    site.trial_arguments.received.push_back(100 * rank + group_->rank());
  }
  EXPECT_FALSE(run(site));
  EXPECT_TRUE(is_complete());
}

// The communicator of the trial has no topology. The last rank is beyond the border of the first one.
TEST_F(TrialTest, MakesTheNeighboursOfTheCall) {
  const int size = static_cast<int>(group_->size()), open = 0;
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(comm_, 1, &size, &open, 0, &line);
  const Neighbourhood neighbours(line);
  MPI_Comm_free(&line);
  const auto length = [](Rank from, Rank to) { return 1000 * from + to; };
  for (const Function function : {Function::Neighbor_allgather, Function::Neighbor_allgatherv, Function::Neighbor_alltoall,
                                  Function::Neighbor_alltoallv, Function::Neighbor_alltoallw}) {
    const bool is_regular = function == Function::Neighbor_allgather || function == Function::Neighbor_alltoall;
    Site site;
    site.key.function = function;
    site.neighbours = &neighbours;
    TrialArguments& arguments = site.trial_arguments;
    arguments.sent.assign(2, is_regular ? 64 : 0), arguments.received = arguments.sent;
    if (!is_regular) {
      const Rank own = group_->rank();
      const bool gathers = gathers_of_neighbours(function);
      for (const Neighbour& to : neighbours.targets().list) arguments.sent[index(to.block)] = length(own, gathers ? own : to.rank);
      for (const Neighbour& from : neighbours.sources().list)
        arguments.received[index(from.block)] = length(from.rank, gathers ? from.rank : own);
      if (gathers) arguments.sent[0] = length(own, own);
    }
    if (gathers_of_neighbours(function)) arguments.sent.resize(1);
    EXPECT_FALSE(run(site)) << name(function);
    EXPECT_TRUE(is_complete()) << name(function);
  }
}

// Only rank 0 has sources, and only the others have targets: neither side may miss the call of the MPI library.
TEST_F(TrialTest, CallsTheLibraryOnRanksThatOnlySendOrOnlyReceive) {
  const bool receives = group_->rank() == 0;
  std::vector<int> others;
  for (int rank = 1; rank < group_->size(); ++rank) others.push_back(rank);
  const int zero = 0, in = receives ? static_cast<int>(others.size()) : 0, out = receives ? 0 : 1;
  MPI_Comm star = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(comm_, in, others.data(), MPI_UNWEIGHTED, out, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
  const Neighbourhood neighbours(star);
  MPI_Comm_free(&star);
  for (const Function function : {Function::Neighbor_allgather, Function::Neighbor_allgatherv, Function::Neighbor_alltoall,
                                  Function::Neighbor_alltoallv, Function::Neighbor_alltoallw}) {
    Site site;
    site.key.function = function;
    site.neighbours = &neighbours;
    site.trial_arguments.sent.assign(static_cast<std::size_t>(out), 64);
    site.trial_arguments.received.assign(static_cast<std::size_t>(in), 64);
    EXPECT_FALSE(run(site)) << name(function);
    EXPECT_TRUE(is_complete()) << name(function);
  }
}

// A rank that had wrong arguments in the latest call 2^k has the blocks of an older one.
TEST_F(TrialTest, IsNotHeldWithTheBlocksOfDifferentCalls) {
  Site site;
  site.key.function = Function::Alltoallw;
  site.trial_arguments.call = group_->rank() == 0 ? 32 : 64;
  if (group_->size() > 1) {
    EXPECT_EQ(run(site), Cause::wrong_arguments);
  }
}

}  // namespace
}  // namespace quadrille::mpi_face
