// SPDX-License-Identifier: BSD-3-Clause
// What the models price, counted from schedules.
#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {
namespace {

const Coefficients plain{{"startup_us", 1e6}, {"transfer_us_per_byte", 1}, {"ports", 1}};

TEST(Workload, IsTheSameBySymmetryAndFromAllRanks) {
  for (const char* specification : {"shift", "bruck:radix=3", "torus", "xor"}) {
    Schedule schedule = make_schedule(Problem::alltoall(16, 12), specification);
    const Workload by_symmetry = workload(schedule);
    ASSERT_TRUE(schedule.symmetry.has_value()) << specification;
    schedule.symmetry.reset();
    const Workload by_all = workload(schedule);
    ASSERT_EQ(by_symmetry.stages.size(), by_all.stages.size());
    for (std::size_t i = 0; i < by_all.stages.size(); ++i) {
      EXPECT_EQ(by_symmetry.stages[i].startups, by_all.stages[i].startups) << specification;
      EXPECT_EQ(by_symmetry.stages[i].volume, by_all.stages[i].volume) << specification;
      EXPECT_EQ(by_symmetry.stages[i].load, by_all.stages[i].load) << specification;
      EXPECT_EQ(by_symmetry.stages[i].in_pieces, by_all.stages[i].in_pieces) << specification;
    }
    EXPECT_EQ(by_symmetry.held, by_all.held);
  }
}

TEST(Workload, RefusesSumsOfTwoToThe63AndMore) {
  const Topology ring = Topology::ring(8);
  const Problem problem = Problem::alltoall(8, Bytes{1} << 56);
  const Workload work = workload(make_schedule(problem, "ring"));
  EXPECT_GT(
      price_of(work, *find_model("linear"), Coefficients{{"startup_us", 1}, {"transfer_us_per_byte", 1e-6}, {"ports", 1}}).blocking,
      0);
  EXPECT_THROW(price_of(work, *find_model("linear"), plain), Error) << "more than 106 days";
  EXPECT_THROW(workload(make_schedule(Problem::alltoall(4, 8), "shift"), {.topology = &ring}), Error) << "another number of ranks";
  Workload shared = workload(make_schedule(problem, "shift"), {.topology = &ring});
  for (RoundFigures& round : shared.stages.at(0).rounds) round.sharing = 256;
  EXPECT_THROW(price_of(shared, *find_model("linear"), plain), Error);
  EXPECT_THROW(price_of(shared, *find_model("torus"),
                        Coefficients{{"startup_us", 1}, {"wire_us_per_byte", 1}, {"rearrange_us_per_byte", 1}}),
               Error);
}

// A schedule in the text form may have no stages.
TEST(Workload, CountsRoundsOutsideAnyStage) {
  Schedule schedule = make_schedule(Problem::alltoall(4, 10), "shift");
  schedule.program = [inner = schedule.program](Rank rank) {
    Program program = inner(rank);
    program.stages.clear();
    return program;
  };
  const Workload work = workload(schedule);
  ASSERT_EQ(work.stages.size(), 1u);
  EXPECT_EQ(work.stages[0].startups, 3);
  EXPECT_EQ(work.stages[0].volume, 30);
}

TEST(Workload, IsCountedAsFarAsAModelNeedsIt) {
  Problem problem = Problem::alltoall(8, 10);
  problem.nodes = {0, 0, 0, 0, 1, 1, 1, 1};
  const Schedule schedule = make_schedule(problem, "shift");
  const Topology ring = Topology::ring(8);
  for (const Model* model : all_models()) {
    const Workload work = workload_for(*model, schedule, &ring);
    EXPECT_TRUE(applies(*model, work)) << model->id;
    EXPECT_EQ(work.has_nodes, model->needs_nodes) << model->id;
    EXPECT_EQ(work.has_work, model->needs_work) << model->id;
    EXPECT_EQ(workload_for(*model, schedule).has_links, false) << model->id;
  }
}

}  // namespace
}  // namespace quadrille
