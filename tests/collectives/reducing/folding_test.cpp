// SPDX-License-Identifier: BSD-3-Clause
// Tests that TreeFold combines operands along the fixed tree, for all buffers in which they may lie.
#include "collectives/reducing/folding.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <iterator>
#include <map>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Bytes length = 8;

// The fixed tree over operands first .. last - 1 as text, such as "((0 1) 2)". The left part has the largest power of two that
// is less than the number of operands.
std::string fixed_tree(Count first, Count last) {
  if (last - first == 1) return fmt::format("{}", first);
  const Count left = static_cast<Count>(std::bit_floor(static_cast<std::uint64_t>(last - first - 1)));
  return fmt::format("({} {})", fixed_tree(first, first + left), fixed_tree(first + left, last));
}

// The contents of each region as text, to which copies and reductions are applied.
using Memory = std::map<std::pair<Buffer, Bytes>, std::string>;

std::string& at(Memory& memory, const Regions& regions) {
  EXPECT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].length, length);
  return memory[{regions[0].buffer, regions[0].offset}];
}

void run_locals(const Program& program, Memory& memory) {
  for (const Round& round : program.rounds)
    for (const Local& local : round.locals) {
      const std::string source = at(memory, local.source);
      std::string& target = at(memory, local.target);
      EXPECT_NE(local.target[0].buffer, Buffer::input) << "the input must not be written";
      if (local.kind == LocalKind::copy)
        target = source;
      else
        target = local.order == OperandOrder::source_first ? fmt::format("({} {})", source, target)
                                                           : fmt::format("({} {})", target, source);
    }
}

// The places of `count` operands: `in_input` in the input, `in_output` in the output, all others in scratch memory.
std::vector<Region> places_of(Count count, Count in_input, Count in_output) {
  std::vector<Region> places;
  for (Count i = 0; i < count; ++i)
    places.push_back(i == in_input    ? block(Buffer::input, 0, length)
                     : i == in_output ? block(Buffer::output, 0, length)
                                      : block(Buffer::scratch, i, length));
  return places;
}

TEST(TreeFold, CombinesAlongTheFixedTreeIntoTheOutput) {
  for (Count count = 1; count <= 20; ++count)
    for (Count in_input = -1; in_input < count; ++in_input)
      for (Count in_output = -1; in_output < count; ++in_output) {
        if (in_input >= 0 && in_input == in_output) continue;
        // At most one operand, the rank's own, may lie in the input: two operands that must not be overwritten cannot be combined.
        const std::vector<Region> places = places_of(count, in_input, in_output);
        Memory memory;
        ProgramBuilder program{0};
        program.begin_round();
        TreeFold fold(program);
        for (Count i = 0; i < count; ++i) {
          memory[{places[index(i)].buffer, places[index(i)].offset}] = fmt::format("{}", i);
          fold.add(places[index(i)]);
        }
        fold.finish();
        run_locals(std::move(program).finish(), memory);
        EXPECT_EQ((memory[{Buffer::output, 0}]), fixed_tree(0, count)) << in_input << ' ' << in_output;
      }
}

// A caller may reuse scratch memory as soon as the fold reports it as spent. Each operand is reported once, and none that is
// still needed.
TEST(TreeFold, ReportsScratchMemoryThatIsNoLongerNeeded) {
  constexpr Count count = 13;
  ProgramBuilder program{0};
  program.begin_round();
  std::map<Bytes, int> spent;
  TreeFold fold(program, [&](const Region& place) { ++spent[place.offset]; });
  for (Count i = 0; i < count; ++i) {
    fold.add(block(Buffer::scratch, i, length));
    // Each bit that is set in the number of operands is a partial result that is still needed.
    EXPECT_EQ(i + 1 - std::ssize(spent), std::popcount(static_cast<std::uint64_t>(i + 1)));
  }
  fold.finish();
  EXPECT_EQ(size(spent), count - 1) << "the last one is copied to the output";
  for (const auto& [offset, times] : spent) EXPECT_EQ(times, 1) << offset;
}

TEST(TreeFold, DoesNothingWithoutOperands) {
  ProgramBuilder program{0};
  program.begin_round();
  TreeFold fold(program);
  fold.finish();
  EXPECT_TRUE(std::move(program).finish().rounds.empty());
}

// Checks the program of rank `me`, which receives and folds the vectors of ranks 0 .. last_source.
void expect_direct_fold(Count ranks, Rank last_source, Rank first_target, Rank me) {
  const Program program = folded_directly(Problem::allreduce(ranks, length), last_source, first_target, me);
  Memory memory{{{Buffer::input, 0}, fmt::format("{}", me)}};
  std::vector<Rank> to, from;
  for (const Round& round : program.rounds) {
    for (const Message& send : round.sends) to.push_back(send.peer);
    for (const Message& receive : round.receives) {
      from.push_back(receive.peer);
      std::string& place = at(memory, receive.regions);
      EXPECT_TRUE(place.empty()) << "two received vectors overlap";
      place = fmt::format("{}", receive.peer);
    }
  }
  std::vector<Rank> expected_to, expected_from;
  for (Rank distance = 1; distance < ranks; ++distance) {
    if (const Rank rank = (me + distance) % ranks; rank >= first_target) expected_to.push_back(rank);
    if (const Rank rank = (me + ranks - distance) % ranks; rank <= last_source) expected_from.push_back(rank);
  }
  EXPECT_EQ(to, expected_to);
  EXPECT_EQ(from, expected_from);
  run_locals(program, memory);
  if (last_source >= 0) {
    EXPECT_EQ((memory[{Buffer::output, 0}]), fixed_tree(0, last_source + 1)) << ranks << ' ' << last_source << ' ' << me;
  }
  for (const auto& [place, text] : memory)
    EXPECT_TRUE(place.first != Buffer::scratch || place.second + length <= program.scratch_bytes) << place.second;
}

TEST(FoldedDirectly, ReceivesAndCombinesInRankOrder) {
  for (Count ranks = 1; ranks <= 9; ++ranks)
    for (Rank me = 0; me < ranks; ++me) {
      expect_direct_fold(ranks, ranks - 1, 0, me);    // allreduce
      expect_direct_fold(ranks, me, me, me);          // scan
      expect_direct_fold(ranks, me - 1, me + 1, me);  // exscan
    }
}

}  // namespace
}  // namespace quadrille
