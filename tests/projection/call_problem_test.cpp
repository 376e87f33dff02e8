// SPDX-License-Identifier: BSD-3-Clause
// Problems of recorded calls, by what each member said of its call.
#include "projection/call_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quadrille/traffic.hpp"

namespace quadrille::projection {
namespace {

using ::testing::HasSubstr;

TEST(CallForm, IsThatOfTheBlockingFunction) {
  EXPECT_EQ(form_of("Alltoall")->collective, Collective::alltoall);
  EXPECT_EQ(form_of("Ialltoallw")->collective, Collective::alltoallv);
  EXPECT_EQ(form_of("Bcast_init")->collective, Collective::broadcast);
  EXPECT_EQ(form_of("Ibcast")->collective, Collective::broadcast);
  EXPECT_EQ(form_of("Reduce_scatter")->collective, Collective::reduce_scatterv);
  EXPECT_EQ(form_of("Ireduce_scatter_block")->collective, Collective::reduce_scatter);
  EXPECT_EQ(form_of("Exscan")->collective, Collective::exscan);
  EXPECT_FALSE(form_of("Alltoall")->is_of_neighbours);
  EXPECT_TRUE(form_of("Neighbor_alltoallv")->is_of_neighbours);
  EXPECT_TRUE(form_of("Ineighbor_allgather")->is_of_neighbours);
  EXPECT_FALSE(form_of("Allreduce")->is_nonblocking);
  EXPECT_TRUE(form_of("Iallreduce")->is_nonblocking);
  EXPECT_TRUE(form_of("Allreduce_init")->is_nonblocking);
  for (const char* const other : {"", "I", "Send", "Neighbor_bcast_all", "Neighbor_", "Ineighbor_", "Comm_dup"})
    EXPECT_FALSE(form_of(other)) << other;
}

// Sites of three ranks on one communicator.
class CallProblem : public ::testing::Test {
 protected:
  Result<Problem> problem(std::vector<RecordedSite> sites) {
    std::vector<std::uint32_t> numbers;
    for (RecordedSite& site : sites) {
      numbers.push_back(static_cast<std::uint32_t>(recording_.sites.size()));
      recording_.sites.push_back(std::move(site));
    }
    return problem_of_call(recording_, numbers, {0, 0, 1});
  }
  Result<Problem> of_all(const RecordedSite& site) { return problem({site, site, site}); }

  Recording recording_;
};

TEST_F(CallProblem, HasSizesRootAndNodes) {
  const Problem reduce = *of_all({.function = "Reduce", .root = 2, .type_bytes = 8, .block_bytes = 64});
  EXPECT_EQ(reduce.collective, Collective::reduce);
  EXPECT_EQ(reduce.root, 2);
  EXPECT_EQ(reduce.element_bytes, 8);
  EXPECT_EQ(reduce.block_bytes, 64);
  EXPECT_EQ(reduce.nodes, (std::vector<Count>{0, 0, 1}));
  EXPECT_EQ(of_all({.function = "Alltoall", .block_bytes = 7})->block_bytes, 7);
  EXPECT_EQ(of_all({.function = "Barrier"})->ranks, 3);
  EXPECT_EQ(*of_all({.function = "Iallgatherv", .block_bytes = 6, .counts = {1, 2, 3}})->counts, (std::vector<Bytes>{1, 2, 3}));
}

TEST_F(CallProblem, TakesCountsFromWhoKnowsThem) {
  const Problem matrix = *problem({{.function = "Alltoallv", .counts = {1, 2, 3}},
                                   {.function = "Alltoallv", .counts = {4, 5, 6}},
                                   {.function = "Alltoallv", .counts = {7, 8, 9}}});
  EXPECT_EQ(Traffic(matrix).bytes(1, 2), 6);
  const Problem gather = *problem({{.function = "Gatherv", .root = 1, .block_bytes = 4},
                                   {.function = "Gatherv", .root = 1, .block_bytes = 9, .counts = {4, 0, 5}},
                                   {.function = "Gatherv", .root = 1, .block_bytes = 5}});
  EXPECT_EQ(*gather.counts, (std::vector<Bytes>{4, 0, 5}));
}

TEST_F(CallProblem, OfNeighboursHasTheirEdges) {
  const Problem ring = *problem({{.function = "Neighbor_alltoall", .block_bytes = 8, .peers = {1, -1}},
                                 {.function = "Neighbor_alltoall", .block_bytes = 8, .peers = {2, 2}},
                                 {.function = "Neighbor_alltoall", .block_bytes = 8, .peers = {0}}});
  const Traffic traffic(ring);
  EXPECT_EQ(traffic.bytes(0, 1), 8);
  EXPECT_EQ(traffic.bytes(1, 2), 16);
  EXPECT_EQ(traffic.bytes(1, 0), 0);
  const Problem uneven = *problem({{.function = "Neighbor_alltoallv", .counts = {3}, .peers = {1}},
                                   {.function = "Neighbor_alltoallv"},
                                   {.function = "Neighbor_alltoallv"}});
  EXPECT_EQ(Traffic(uneven).bytes(0, 1), 3);
}

TEST_F(CallProblem, AddsNoSizesBeyond63Bits) {
  constexpr Bytes most = (Bytes{1} << 62) - 1;
  const RecordedSite twice{.function = "Neighbor_alltoall", .block_bytes = most, .peers = {1, 1, 1}};
  EXPECT_THAT(of_all(twice).error(), HasSubstr("2^63 bytes or more together"));
  EXPECT_FALSE(of_all({.function = "Alltoallv", .counts = {most, most, most}}));
  EXPECT_FALSE(of_all({.function = "Allgather", .block_bytes = most}));
}

TEST_F(CallProblem, SaysWhatWasNotRecorded) {
  const RecordedSite alltoall{.function = "Alltoall", .block_bytes = 8};
  EXPECT_THAT(problem({alltoall, alltoall, {.function = "Barrier"}}).error(),
              HasSubstr("some ranks call Alltoall, others Barrier"));
  EXPECT_THAT(of_all({.function = "Alltoallv"}).error(), HasSubstr("sizes"));
  EXPECT_THAT(of_all({.function = "Bcast", .block_bytes = 8}).error(), HasSubstr("root"));
  EXPECT_THAT(of_all({.function = "Ineighbor_alltoallv", .peers = {1}}).error(), HasSubstr("sizes"));
  EXPECT_THAT(of_all({.function = "Sendrecv"}).error(), HasSubstr("not known"));
  EXPECT_FALSE(of_all({.function = "Allreduce", .type_bytes = 8, .block_bytes = 12}));
}

}  // namespace
}  // namespace quadrille::projection
