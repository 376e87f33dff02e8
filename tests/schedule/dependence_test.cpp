// SPDX-License-Identifier: BSD-3-Clause
// Dependences: overlap, compared with its definition, and hazards.
#include "schedule/dependence.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"
#include "support/three_rounds.hpp"

namespace quadrille {
namespace {

std::set<Bytes> bytes_of(const Region& region) {
  std::set<Bytes> bytes;
  for_each_run(region, [&](Bytes offset, Bytes length) {
    for (Bytes i = 0; i < length; ++i) bytes.insert(offset + i);
  });
  return bytes;
}

bool really_overlap(const Region& a, const Region& b) {
  const auto first = bytes_of(a), second = bytes_of(b);
  return std::any_of(first.begin(), first.end(), [&](Bytes byte) { return second.count(byte) > 0; });
}

TEST(Overlap, IsNeverMissedAndExactForFewRuns) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return static_cast<Bytes>(random() % n); };
  for (int i = 0; i < 20000; ++i) {
    const Bytes stride = 2 + below(8);
    const bool equal = below(2) == 0;
    const auto region = [&](Bytes s) {
      return Region{Buffer::output,
                    below(30),
                    1 + below(static_cast<std::uint64_t>(s - 1)),
                    {{{1 + below(5), below(2) == 0 ? s : -s}, {1 + below(2), equal ? 0 : 3 * s + 1}, {}}}};
    };
    const Region a = region(stride), b = region(equal ? stride : 2 + below(8));
    ASSERT_EQ(may_overlap(a, b), really_overlap(a, b)) << to_string(a) << ' ' << to_string(b);
  }
  EXPECT_FALSE(may_overlap({Buffer::input, 0, 8}, {Buffer::output, 0, 8}));
}

// Each round receives less than the one before into the same memory and sends it on. An operation depends only on
// those of the round before, not on all earlier ones.
TEST(Dependences, ForgetOverwrittenBytes) {
  ProgramBuilder program{0};
  program.stage("shrinking");
  for (Bytes length = 100; length > 0; --length) {
    program.begin_round();
    if (length < 100) program.send(1, {{Buffer::scratch, 0, length}});
    program.receive(2, {{Buffer::scratch, 0, length}});
  }
  program.scratch(100);
  const DependenceGraph graph = dependences(std::move(program).finish());
  ASSERT_EQ(graph.operations.size(), 199u);
  for (std::size_t i = 0; i < graph.before.size(); ++i) {
    EXPECT_LE(graph.before[i].size(), 2u) << i;
    for (const Dependence& dependence : graph.before[i]) EXPECT_LE(i - dependence.on, 2u) << i;
  }
}

TEST(Dependences, AreReadAfterWriteWriteAfterReadAndWriteAfterWrite) {
  const Program program = testing::three_rounds();
  const DependenceGraph graph = dependences(program);
  ASSERT_EQ(graph.operations.size(), 6u);
  EXPECT_EQ(graph.before[4], (std::vector<Dependence>{{1, Hazard::read_after_write}, {3, Hazard::read_after_write}}));
  for (const std::size_t independent : {0u, 1u, 2u, 3u, 5u}) EXPECT_TRUE(graph.before[independent].empty()) << independent;

  ProgramBuilder swap{0};
  swap.begin_round();
  swap.copy({{Buffer::input, 0, 8}}, {{Buffer::output, 0, 8}});
  swap.send(1, {{Buffer::output, 0, 4}});
  swap.receive(1, {{Buffer::output, 0, 4}});
  const Program in_place = std::move(swap).finish();
  EXPECT_EQ(dependences(in_place).before[2],
            (std::vector<Dependence>{{0, Hazard::write_after_write}, {1, Hazard::write_after_read}}));
}

// The dependences of p - 1 independent messages are found in about p log p steps, not p^2.
TEST(Dependences, OfManyIndependentMessagesAreCheap) {
  const Program direct = make_schedule(Problem::alltoall(100'000, 8), "direct").program(5);
  const DependenceGraph graph = dependences(direct);
  EXPECT_EQ(graph.operations.size(), 2u * 99'999 + 1);
  for (const auto& before : graph.before) ASSERT_TRUE(before.empty());
}

}  // namespace
}  // namespace quadrille
