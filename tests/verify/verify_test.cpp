// SPDX-License-Identifier: BSD-3-Clause
// Findings, names of rules, limits of ports, and the bounds of buffers and stages.
#include "quadrille/verify.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "verify/broken_exchange.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(RuleNames, AreDistinctAndInTheOrderOfTheEnumeration) {
  std::set<std::string_view> names;
  for (const Rule rule : all_rules()) names.insert(name(rule));
  EXPECT_EQ(names.size(), all_rules().size());
  EXPECT_EQ(name(Rule::delivery), "delivery");
  EXPECT_EQ(name(Rule::element_torn), "element-torn");
  EXPECT_EQ(name(Rule::deadlock), "deadlock");
  EXPECT_EQ(all_rules().back(), Rule::deadlock);
}

TEST(Findings, NameTheirPlace) {
  Finding finding{Rule::undefined_read, 3, "level 0", 1, Region{out, 8, 8}, "reads bytes that were never written"};
  EXPECT_EQ(to_string(finding),
            "rank 3, stage 'level 0', round 1, 8 bytes from output[8]: undefined-read: reads bytes that were never written");
}

TEST(Findings, StopAtTheLimit) {
  EXPECT_EQ(found(make_schedule(Problem::alltoall(16, 4), "direct"), {.port_limit = 1, .most_findings = 5}).size(), 5u);
}

// Legal sizes that are too large to run: the findings must depend only on the rules, not on the sizes.
TEST(Verify, FindingsDoNotDependOnHugeSizes) {
  constexpr Bytes most = std::numeric_limits<Bytes>::max();
  const auto all = broken([&](auto& p) {
    for (Program& program : p) {
      program.scratch_bytes = most;
      program.rounds[0].control_sends = {{1 - program.rank, most}};
      program.rounds[0].control_receives = {{1 - program.rank, most}};
      Round last = program.rounds[0];
      last = {1, {{LocalKind::copy, {}, {{in, 0, 8}}, {{tmp, most - 8, 8}}}}, {}, {}, last.control_sends, last.control_receives};
      program.rounds.push_back(last);
      program.stages[0].round_count = 2;
    }
  });
  EXPECT_TRUE(all.empty()) << to_string(all.front());
}

// What the caller says comes before the parameter `ports`, and this before the algorithm's own limit.
TEST(PortLimit, IsTheCallersOrTheParametersOrTheAlgorithms) {
  Schedule direct = make_schedule(Problem::alltoall(4, 4), "direct");  // three messages at a time
  direct.port_limit = 2;
  const auto is_kept = [&](const VerifyOptions& options = {}) { return found(direct, options).empty(); };
  EXPECT_FALSE(is_kept());
  direct.parameters["ports"] = Count{3};
  EXPECT_TRUE(is_kept());
  EXPECT_FALSE(is_kept({.port_limit = 2}));
  direct.parameters["ports"] = Count{2};
  EXPECT_FALSE(is_kept());
  EXPECT_TRUE(is_kept({.port_limit = 3}));
  direct.parameters["ports"] = "many";  // a word of another program
  EXPECT_FALSE(is_kept()) << "the algorithm's limit";
}

TEST(Verify, NeedsANetworkOfAsManyRanks) {
  const Schedule shift = make_schedule(Problem::alltoall(4, 4), "shift");
  EXPECT_NO_THROW(found(shift, {.topology = Topology::ring(4)}));
  EXPECT_THROW(found(shift, {.topology = Topology::ring(3)}), Error);
}

TEST(Buffers, HoldRegionsUpToTheirLastByte) {
  const std::array<Bytes, 4> sizes{8, 16, 0, 0};
  EXPECT_TRUE(lies_in(sizes, {in, 0, 8}));
  EXPECT_FALSE(lies_in(sizes, {in, 0, 9}));
  EXPECT_TRUE(lies_in(sizes, {out, 8, 8}));
  EXPECT_FALSE(lies_in(sizes, {out, 9, 8}));
  EXPECT_FALSE(lies_in(sizes, {in, -1, 2}));
  EXPECT_FALSE(lies_in(sizes, {in, 4, -1}));
  EXPECT_FALSE(lies_in(sizes, {tmp, 0, 1}));
  EXPECT_TRUE(lies_in(sizes, {out, 0, 4, {{{4, 4}, {}, {}}}}));
  EXPECT_FALSE(lies_in(sizes, {out, 0, 4, {{{4, 5}, {}, {}}}}));
  EXPECT_TRUE(lies_in(sizes, {out, 12, 4, {{{4, -4}, {}, {}}}})) << "downwards";
  EXPECT_FALSE(lies_in(sizes, {out, 11, 4, {{{4, -4}, {}, {}}}}));
  constexpr Bytes most = std::numeric_limits<Bytes>::max();
  EXPECT_FALSE(lies_in(sizes, {out, most, most})) << "past 2^63";
  EXPECT_FALSE(lies_in(sizes, {out, 0, 1, {{{most, most}, {}, {}}}}));
}

TEST(Buffers, HaveTheStatedSizesIfThereAreAny) {
  Schedule schedule = of(Problem::alltoall(2, 4), exchange());
  Program program = schedule.program(1);
  program.scratch_bytes = 5;
  EXPECT_EQ(buffer_sizes(schedule, program), (std::array<Bytes, 4>{8, 8, 5, 0}));
  schedule.stated_output_bytes = {8, 12};
  EXPECT_EQ(buffer_sizes(schedule, program), (std::array<Bytes, 4>{8, 12, 5, 0}));
}

TEST(StageNames, AreOfTheStageThatHasTheRound) {
  const std::vector<Stage> stages{{"a", 0, 2}, {"none", 2, 0}, {"b", 4, std::numeric_limits<Count>::max() - 4}};
  EXPECT_EQ(stage_name(stages, 0), "a");
  EXPECT_EQ(stage_name(stages, 1), "a");
  EXPECT_EQ(stage_name(stages, 2), "");
  EXPECT_EQ(stage_name(stages, 3), "");
  EXPECT_EQ(stage_name(stages, 4), "b");
  EXPECT_EQ(stage_name(stages, std::numeric_limits<Count>::max() - 1), "b");
  EXPECT_EQ(stage_name({}, 0), "");
}

}  // namespace
}  // namespace quadrille
