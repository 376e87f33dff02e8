// SPDX-License-Identifier: BSD-3-Clause
// Plans with default options work for every collective, also for numbers of ranks and sizes that some of its algorithms do not
// support.
#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"
#include "support/why_not.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// Describes what is wrong with this rank's output; empty if it is right.
std::string wrong_by_default(Communicator& communicator, const Problem& problem) {
  const auto data = probe_data(problem, communicator.rank());
  PlanOptions options;
  options.operation = operation_for(problem);
  Plan made = plan(communicator, problem, options);
  for (int pass = 0; pass < data->pass_count(); ++pass) {
    ByteVector input(static_cast<std::size_t>(input_bytes(problem, communicator.rank()))),
        output(static_cast<std::size_t>(output_bytes(problem, communicator.rank())), std::byte{0x33});
    data->fill_input(pass, input.data());
    made.execute(input.data(), output.data());
    if (const std::string wrong = data->compare_output(pass, output.data()); !wrong.empty()) return wrong;
  }
  return made.decision() ? "" : "nothing says why it runs " + made.algorithm();
}

TEST(DefaultPlans, DeliverTheRightDataForEveryCollective) {
  for (const Count p : {1, 2, 3, 6, 7, 11})
    run_threads(p, [&](Communicator& communicator) {
      for (const Collective collective : all_collectives())
        for (const Bytes block_bytes : {0, 1, 13})
          for (const Problem& problem : problems_of(collective, p, block_bytes, /*all_roots_up_to=*/3))
            EXPECT_EQ(wrong_by_default(communicator, problem), "") << description(problem);
    });
}

// The default algorithm also applies to ranks on nodes or grids, and to more ranks and larger blocks than threads can run here.
TEST(DefaultPlans, ApplyToEveryProblem) {
  for (const Algorithm* algorithm : default_algorithms())
    for (const Count p : {1, 5, 12, 97})
      for (Problem problem : problems_of(algorithm->collective, p, 1000)) {
        const auto reason = [&] { return why_not(applies(problem, parse_choice(problem, algorithm->id))); };
        EXPECT_EQ(reason(), "") << algorithm->id << ": " << description(problem);
        problem.grid = {p};
        for (const std::vector<Count>& nodes : placements(p)) {
          problem.nodes = nodes;
          EXPECT_EQ(reason(), "") << algorithm->id << ": " << description(problem);
        }
      }
}

}  // namespace
}  // namespace quadrille
