// SPDX-License-Identifier: BSD-3-Clause
// Tests Algorithm::cuts_blocks: the programs for one block size, scaled, are the programs for another.
#include <gtest/gtest.h>

#include <random>

#include "quadrille/algorithm.hpp"
#include "schedule/scaling.hpp"
#include "support/cases.hpp"

namespace quadrille::testing {
namespace {

// Do the programs of all ranks scale between these sizes, the smaller of which sets the parameters? Both are in elements.
bool scales(Problem problem, Choice choice, Bytes smaller, Bytes larger) {
  problem.block_bytes = smaller * problem.element_bytes;
  Problem large = problem;
  large.block_bytes = larger * problem.element_bytes;
  choice = completed(problem, std::move(choice));
  if (!applies(problem, choice)) return true;
  if (!applies(large, choice)) return false;
  const Schedule small_one = make_schedule(problem, choice), large_one = make_schedule(large, choice);
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    if (scaled(large_one.program(rank), large.block_bytes, problem.block_bytes) != small_one.program(rank)) return false;
  return true;
}

bool is_regular(Collective collective) { return !is_irregular(collective) && moves_data(collective); }

// The programs of each row without the flag scale at random sizes. Those of a row with the flag fail to do so somewhere.
TEST(Homogeneous, RowsSayWhetherTheirProgramsScale) {
  std::mt19937_64 random(64);
  for (const Algorithm* const algorithm : all_algorithms()) {
    if (!is_regular(algorithm->collective)) continue;
    bool fails = false;
    for (const Count ranks : {1, 2, 3, 4, 5, 7, 8, 9, 12})
      for (const Problem& problem : problems_of(*algorithm, ranks, 8, 4))
        for (const Choice& choice : thinned(all_choices(*algorithm, problem, 5), extent<std::size_t>(3, 12, 1000))) {
          const auto larger = static_cast<Bytes>(random() % 70'000 + 10);
          const auto smaller = static_cast<Bytes>(random() % static_cast<std::uint64_t>(larger - 8) + 8);
          const bool do_scale = scales(problem, choice, smaller, larger);
          Algorithm flagged = *algorithm;
          flagged.cuts_blocks = false;
          if (!is_homogeneous({&flagged, completed(problem, choice).parameters})) continue;  // cut into segments or shares
          fails = fails || !do_scale;
          if (!algorithm->cuts_blocks)
            ASSERT_TRUE(do_scale) << specification(choice) << " " << description(problem) << " " << smaller << " and " << larger;
        }
    // The parts of `hierarchical`, which are a parameter, may have segments.
    EXPECT_EQ(algorithm->cuts_blocks, fails || algorithm->id == "hierarchical")
        << name(algorithm->collective) << "/" << algorithm->id;
  }
}

// The exception of the flag: blocks that are cut into segments.
TEST(Homogeneous, SegmentsDoNotScale) {
  std::size_t with_segments = 0;
  for (const Algorithm* const algorithm : all_algorithms()) {
    const bool has_segments = std::ranges::any_of(algorithm->parameters, [](const auto& each) { return each.name == "segments"; });
    if (algorithm->cuts_blocks || !has_segments || !is_regular(algorithm->collective)) continue;
    ++with_segments;
    const Problem problem = problem_of(algorithm->collective, 4, 10);
    const Choice cut = parse_choice(problem, std::string(algorithm->id) + ":segments=3");
    EXPECT_FALSE(is_homogeneous(cut));
    EXPECT_FALSE(scales(problem, cut, 10, 11)) << algorithm->id;
  }
  EXPECT_GT(with_segments, 0);
}

}  // namespace
}  // namespace quadrille::testing
