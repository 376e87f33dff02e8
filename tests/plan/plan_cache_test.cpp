// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/plan_cache.hpp"

#include <gtest/gtest.h>

#include "quadrille/operator.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(PlanCache, KeepsThePlanOfEachCall) {
  run_threads(3, [](Communicator& communicator) {
    PlanCache cache(communicator);
    const auto sum = built_in_operator("sum", "f64");
    Plan* const first = &cache.plan_for(Problem::alltoall(3, 8));
    EXPECT_EQ(first, &cache.plan_for(Problem::alltoall(3, 8)));
    Plan* const longer = &cache.plan_for(Problem::alltoall(3, 16));
    EXPECT_NE(first, longer);
    Plan* const reduced = &cache.plan_for(reduction(Collective::allreduce, 3, 2, *sum), sum);
    EXPECT_EQ(reduced, &cache.plan_for(reduction(Collective::allreduce, 3, 2, *sum), sum));
    EXPECT_EQ(first, &cache.plan_for(Problem::alltoall(3, 8)));
    EXPECT_EQ(cache.size(), 3u);
  });
}

// A rank that makes equal counts and operators for each call asks for the same as one that keeps them.
TEST(PlanCache, ComparesCountsAndOperatorsByValue) {
  run_threads(2, [](Communicator& communicator) {
    PlanCache cache(communicator);
    Problem gather = problem_of(Collective::allgatherv, 2, 8);
    Plan* const first = &cache.plan_for(gather);
    gather.counts = std::make_shared<const std::vector<Bytes>>(*gather.counts);
    EXPECT_EQ(first, &cache.plan_for(gather));
    const auto sum = built_in_operator("sum", "f64");
    const Problem reduced = reduction(Collective::allreduce, 2, 2, *sum);
    Plan* const second = &cache.plan_for(reduced, sum);
    EXPECT_EQ(second, &cache.plan_for(reduced, std::make_shared<const Operator>(*sum)));
    EXPECT_THROW(cache.plan_for(problem_of(Collective::alltoallv, 2, 8)), Error);
  });
}

TEST(PlanCache, LetsThePlanGoThatWasUsedLeastRecently) {
  run_threads(2, [](Communicator& communicator) {
    PlanCache cache(communicator, {}, 2);
    Plan* const first = &cache.plan_for(Problem::alltoall(2, 8));
    cache.plan_for(Problem::alltoall(2, 16));
    cache.plan_for(Problem::alltoall(2, 8));
    cache.plan_for(Problem::alltoall(2, 24));  // in the place of 16
    EXPECT_EQ(cache.size(), 2u);
    EXPECT_EQ(first, &cache.plan_for(Problem::alltoall(2, 8)));
  });
}

TEST(PlanCache, DeliversTheRightDataInAnyOrderOfCalls) {
  run_threads(4, [](Communicator& communicator) {
    PlanCache cache(communicator, {}, 5);
    std::mt19937_64 random(7);
    for (int call = 0; call < 100; ++call) {
      const Collective collective = all_collectives()[random() % all_collectives().size()];
      if (collective == Collective::alltoallv) continue;
      const Problem problem = problem_of(collective, 4, 8 * static_cast<Bytes>(random() % 3), static_cast<Rank>(random() % 4));
      const auto data = probe_data(problem, communicator.rank());
      ByteVector input(static_cast<std::size_t>(input_bytes(problem, communicator.rank()))),
          output(static_cast<std::size_t>(output_bytes(problem, communicator.rank())));
      data->fill_input(0, input.data());
      cache.execute(problem, input.data(), output.data(), operation_for(problem));
      EXPECT_EQ(data->compare_output(0, output.data()), "") << name(collective);
    }
  });
}

}  // namespace
}  // namespace quadrille
