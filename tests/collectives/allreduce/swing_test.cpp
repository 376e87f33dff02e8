// SPDX-License-Identifier: BSD-3-Clause
// allreduce/swing on rings and tori: verified, with the figures of the formulas, and with the links that it shares.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <numeric>

#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

using Sides = std::vector<Count>;

const std::vector<Sides> tori{{1},    {2},    {4},    {8},       {32},      {2, 2},    {4, 4},    {2, 8},
                              {8, 2}, {4, 8}, {8, 8}, {2, 2, 2}, {4, 2, 4}, {4, 4, 4}, {1, 4, 4}, {2, 2, 2, 2}};

Problem on_torus(const Sides& sides, Bytes bytes) {
  Problem problem =
      problem_of(Collective::allreduce, std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>()), bytes);
  problem.grid = sides;
  return problem;
}

std::string reason(const Problem& problem, const std::string& specification) {
  const Result<> result = applies(problem, parse_choice(problem, specification));
  return result ? "" : result.error();
}

TEST(Swing, IsRightOnEveryTorus) {
  for (const Sides& sides : tori)
    for (const Bytes bytes : {0, 1, 7, 64, 200})
      for (const char* specification : {"swing:ports=one", "swing:ports=all"}) {
        const Problem problem = on_torus(sides, bytes);
        if (!reason(problem, specification).empty()) continue;
        SCOPED_TRACE(fmt::format("{} {} {}", fmt::join(sides, "x"), bytes, specification));
        const Schedule schedule = make_schedule(problem, specification);
        VerifyOptions options;
        options.topology = Topology::torus(sides);
        // Up to a side of 4 each message of a round has its links for itself.
        options.strict_links = std::all_of(sides.begin(), sides.end(), [](Count side) { return side <= 4; });
        for (const Finding& finding : verify(schedule, options)) ADD_FAILURE() << to_string(finding);
        if (problem.ranks <= 16) EXPECT_EQ(judge(schedule), "");
      }
}

TEST(Swing, HasTheFiguresOfTheFormulas) {
  for (const Sides& sides : tori) {
    const Count parts = std::max<Count>(1, 2 * std::count_if(sides.begin(), sides.end(), [](Count side) { return side > 1; }));
    const Problem problem = on_torus(sides, 64 * 8 * 3);
    const Count p = problem.ranks, d = std::countr_zero(static_cast<std::uint64_t>(p));
    const Bytes bytes = 2 * problem.block_bytes / p * (p - 1);
    const Figures one = figures(make_schedule(problem, "swing:ports=one"));
    EXPECT_EQ(one.c1, 2 * d) << fmt::format("{}", fmt::join(sides, "x"));
    EXPECT_EQ(one.c2, bytes) << fmt::format("{}", fmt::join(sides, "x"));
    if (problem.block_bytes % (p * parts) != 0 || !reason(problem, "swing:ports=all").empty()) continue;
    const Figures all = figures(make_schedule(problem, "swing:ports=all"));
    EXPECT_EQ(all.c1, 2 * d) << fmt::format("{}", fmt::join(sides, "x"));
    EXPECT_EQ(all.c2, bytes / parts) << fmt::format("{}", fmt::join(sides, "x"));
    EXPECT_EQ(all.ports, p == 1 ? 0 : parts) << fmt::format("{}", fmt::join(sides, "x"));
  }
}

// The steps of a hypercube send as many bytes, but share more links.
TEST(Swing, SharesFewerLinksThanTheHypercube) {
  const auto shared = [](const Sides& sides, const char* specification) {
    const Problem problem = on_torus(sides, 3072);
    return link_figures(make_schedule(problem, specification), Topology::torus(sides));
  };
  const char* halving = "reduce-scatter-allgather:scatter=recursive-halving:first=near,gather=recursive-doubling:first=far";
  EXPECT_EQ(shared({64}, "swing:ports=one"), (LinkFigures{11, 9504}));
  EXPECT_EQ(shared({64}, halving), (LinkFigures{32, 18432}));
  EXPECT_EQ(shared({8, 8}, "swing:ports=one"), (LinkFigures{2, 6336}));
  EXPECT_EQ(shared({8, 8}, halving), (LinkFigures{4, 10368}));
  EXPECT_EQ(shared({4, 4, 4}, "swing:ports=one"), (LinkFigures{1, 6048}));
  EXPECT_EQ(shared({4, 4, 4}, halving), (LinkFigures{2, 8064}));
  EXPECT_EQ(shared({4, 4, 4}, "swing:ports=all"), (LinkFigures{1, 1008})) << "a sixth, on six links";
  EXPECT_EQ(shared({8, 8}, "swing:ports=all"), (LinkFigures{3, 1656}));
}

TEST(Swing, OnARingOnOnePortIsBine) {
  const Problem problem = problem_of(Collective::allreduce, 32, 320);
  EXPECT_EQ(figures(make_schedule(problem, "swing:ports=one")), figures(make_schedule(problem, "bine:form=shares")));
}

TEST(Swing, SaysWhichSidesItNeeds) {
  EXPECT_EQ(reason(on_torus({4, 6}, 8), "swing"), "its steps halve each side of the torus, so sides must be powers of two, not 6");
  EXPECT_EQ(reason(problem_of(Collective::allreduce, 12, 8), "swing"),
            "its steps halve each side of the torus, so sides must be powers of two, not 12");
  EXPECT_EQ(reason(on_torus({4, 8}, 8), "swing:ports=all"),
            "with ports=all the parts use all dimensions in each step, so sides must be equal");
  EXPECT_EQ(reason(on_torus({4, 8}, 8), "swing"), "") << "on one port";
  EXPECT_EQ(word(parse_choice(on_torus({4, 8}, 8), "swing").parameters, "ports"), "one");
  EXPECT_EQ(word(parse_choice(on_torus({4, 1, 4}, 8), "swing").parameters, "ports"), "all");
}

}  // namespace
}  // namespace quadrille
