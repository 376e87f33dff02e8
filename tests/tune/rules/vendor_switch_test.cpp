// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rules/vendor_switch.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

const std::string dynamic = "OMPI_MCA_coll_tuned_use_dynamic_rules=1";
const VendorRun four{.mpi = "Open MPI v4.1.4", .algorithm = "ring"};

VendorRun with(VendorRun run, std::vector<std::string> settings) {
  run.settings = std::move(settings);
  return run;
}

TEST(VendorSwitch, UnsetsWhatOnlyTheSlowRunSets) {
  const VendorRun slow =
      with(four, {"OMPI_MCA_coll_tuned_reduce_scatter_algorithm=2", "OMPI_MCA_coll_tuned_reduce_algorithm=1", dynamic});
  const auto found = switch_between(slow, four, Collective::reduce);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_to_unset);
  EXPECT_EQ(found->settings, "OMPI_MCA_coll_tuned_reduce_algorithm=1");
  EXPECT_EQ(switch_between(slow, four, Collective::reduce_scatterv)->settings, "OMPI_MCA_coll_tuned_reduce_scatter_algorithm=2");
  EXPECT_FALSE(switch_between(slow, four, Collective::alltoall)) << "no setting is of this collective";
  const VendorRun tcp = with(four, {"OMPI_MCA_btl=tcp,self"});
  EXPECT_EQ(switch_between(tcp, four, Collective::alltoall)->settings, "OMPI_MCA_btl=tcp,self") << "it is of all collectives";
}

TEST(VendorSwitch, SetsWhatTheFastRunSets) {
  const std::string one = "OMPI_MCA_coll_tuned_allreduce_algorithm=1", two = "OMPI_MCA_coll_tuned_allreduce_algorithm=2";
  for (const auto& settings : {std::vector<std::string>{one}, {}}) {
    const auto found = switch_between(with(four, settings), with(four, {two}), Collective::allreduce);
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->is_to_unset);
    EXPECT_EQ(found->settings, two);
  }
}

TEST(VendorSwitch, KeepsCollectivesInOneLevelOnSeveralNodes) {
  VendorRun five{.mpi = "Open MPI v5.0.7", .nodes = 2};
  EXPECT_EQ(switch_between(five, four, Collective::broadcast)->settings, "OMPI_MCA_coll_han_priority=0");
  five.nodes = 1;
  EXPECT_EQ(switch_between(five, four, Collective::broadcast)->settings, dynamic + " OMPI_MCA_coll_tuned_bcast_algorithm=ring");
}

TEST(VendorSwitch, ForcesTheFastRunsAlgorithm) {
  VendorRun slow = four;
  EXPECT_FALSE(switch_between(slow, four, Collective::allreduce)) << "both take the same algorithm";
  slow.algorithm = "basic_linear";
  EXPECT_EQ(switch_between(slow, four, Collective::allreduce)->settings, dynamic + " OMPI_MCA_coll_tuned_allreduce_algorithm=ring");
  const VendorRun mpich{.mpi = "MPICH 4.0.2", .algorithm = "brucks"}, other{.mpi = "MPICH 4.2.1", .algorithm = "pairwise"};
  EXPECT_EQ(switch_between(other, mpich, Collective::alltoall)->settings, "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks");
  const VendorRun shared{.mpi = "MPICH 4.0.2", .algorithm = "release_gather"};
  EXPECT_FALSE(switch_between(other, shared, Collective::broadcast)) << "that is no algorithm of messages";
  EXPECT_FALSE(switch_between(mpich, four, Collective::alltoall)) << "another library has other algorithms";
}

TEST(ForcedAlgorithm, NeedsAllSettings) {
  const std::string ring = "OMPI_MCA_coll_tuned_allreduce_algorithm=4";
  EXPECT_EQ(forced_algorithm(with(four, {ring}), Collective::allreduce), "") << "without dynamic rules it is ignored";
  EXPECT_EQ(forced_algorithm(with(four, {ring, dynamic}), Collective::allreduce), "4");
  EXPECT_EQ(forced_algorithm(with(four, {ring, dynamic}), Collective::reduce), "");
  const VendorRun mpich{.mpi = "MPICH 4.0.2",
                        .settings = {"MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0", "MPIR_CVAR_BCAST_INTRA_ALGORITHM=nb"}};
  EXPECT_EQ(forced_algorithm(mpich, Collective::broadcast), "nb");
}

}  // namespace
}  // namespace quadrille
