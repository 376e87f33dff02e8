// SPDX-License-Identifier: BSD-3-Clause
// Tests that executing a plan allocates no memory. Only for threads; tests/mpi tests the MPI executor.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "quadrille/collectives.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/neighborhood.hpp"
#include "support/allocations.hpp"

namespace quadrille {
namespace {

TEST(Allocation, IsCounted) {
  const long before = testing::allocation_count;
  int* volatile number = new int(3);  // volatile, because a compiler may remove an allocation that is freed at once
  delete number;
  EXPECT_GT(testing::allocation_count, before);
}

TEST(Allocation, NoneWhileAPlanExecutes) {
  run_threads(4, [](Communicator& communicator) {
    const std::string wrong = testing::first_allocation(communicator);
    if (communicator.rank() == 0) EXPECT_EQ(wrong, "");
  });
}

#ifdef NDEBUG  // debug builds compare the calls of all ranks first, which allocates
TEST(Allocation, NoneInACallThatHasRunBefore) {
  run_threads(3, [](Communicator& ranks) {
    const std::vector<double> input(6);
    std::vector<double> output(6);
    std::array<double, 12> twelve{};
    const Neighbors ring({{3}, {true}}, ranks.rank());
    const std::vector<Layout> columns{strided(2, 8, 24), shifted(strided(2, 8, 24), 8), shifted(strided(2, 8, 24), 16)};
    const auto call = [&](double factor) {
      alltoall(ranks, input, output);
      broadcast(ranks, output, 2);
      allreduce(ranks, input, output, op::sum);
      allreduce(ranks, input, output,
                commutative([factor](double a, double b) { return factor * a * b; }, "a name that is quite long"));
      output[0] = scan(ranks, factor, [](double, double b) { return b; });
      barrier(ranks);
      const std::array counts{1, 2, 3}, ones{1, 1, 1}, places{3, 1, 0};
      const auto own = std::span(input).first(static_cast<std::size_t>(ranks.rank()) + 1);
      const std::array<int, 3> own_counts{counts[own.size() - 1], counts[own.size() - 1], counts[own.size() - 1]};
      std::array<double, 9> nine{};
      alltoallv(ranks, nine, own_counts, output, counts);
      alltoallv(ranks, input, {ones, places}, output, {ones, places});
      alltoallv(ranks, in_place, {}, output, ones);
      gatherv(ranks, own, output, counts, 1);
      scatterv(ranks, input, counts, std::span(output).first(own.size()));
      allgatherv(ranks, own, output, counts);
      allgatherv(ranks, own, nine, {counts, std::array{4, 2, 5}});
      neighbor_alltoall(ranks, ring, std::span(input).first(4), std::span(output).first(4));
      neighbor_alltoallv(ranks, ring, input, std::array{1, 2}, output, std::array{2, 1});
      neighbor_allgather(ranks, ring, input, std::span(twelve));
      neighbor_allgatherv(ranks, ring, input, twelve, {std::array{6, 6}, std::array{6, 0}});
      alltoallw(ranks, input.data(), columns, output.data(), columns);
    };
    for (int run = 0; run < 4; ++run) call(1);
    // A rank takes further slots when it is ahead of a receiver for the first time, which may happen in any call. It does so
    // once for each receiver, so most groups of calls allocate nothing.
    int groups_without = 0;
    for (int group = 0; group < 9; ++group) {
      const long before = testing::allocation_count;
      for (int run = 0; run < 10; ++run) call(run);
      groups_without += testing::allocation_count == before;
    }
    EXPECT_GE(groups_without, 5);
  });
}
#endif

}  // namespace
}  // namespace quadrille
