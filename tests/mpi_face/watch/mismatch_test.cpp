// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives on several communicators, which are run until no rank can go on. The verdict names the planted
// fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "mpi_face/watch/planted_run.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {
namespace {

using namespace testing;  // NOLINT
using Random = std::mt19937_64;

struct ProgramCall {
  int on = 0;
  WatchedCall call;
};

constexpr Rank size = 6;
const std::vector<std::vector<Rank>> all_members{{0, 1, 2, 3, 4, 5}, {0, 2, 4}, {5, 4, 3, 2}, {1, 3}};

std::vector<ProgramCall> random_program(Random& random) {
  std::vector<ProgramCall> program;
  for (int line = 0; line < 30; ++line) {
    const int on = static_cast<int>(random() % all_members.size());
    const std::string place = "a.c:" + std::to_string(line);
    const auto root = static_cast<Rank>(random() % all_members[static_cast<std::size_t>(on)].size());
    switch (random() % 4) {
      case 0: program.push_back({on, barrier(place)}); break;
      case 1: program.push_back({on, allreduce(8, place)}); break;
      case 2: program.push_back({on, bcast(root, 16, place)}); break;
      default: program.push_back({on, rooted("Reduce", root, 16, place)});
    }
  }
  return program;
}

bool is_member(Rank rank, int on) {
  const auto& members = all_members[static_cast<std::size_t>(on)];
  return std::find(members.begin(), members.end(), rank) != members.end();
}

// Each rank runs its own program. Rank `stuck` computes for ever before its call `stuck_at`.
PlantedRun run_of(const std::vector<std::vector<ProgramCall>>& programs, Rank stuck, std::size_t stuck_at, Random& random) {
  PlantedRun run(size);
  for (std::size_t on = 1; on < all_members.size(); ++on) run.communicator(all_members[on]);
  std::vector<std::size_t> next(size);
  std::vector<std::vector<std::uint64_t>> begun(all_members.size(), std::vector<std::uint64_t>(size));
  std::vector<bool> inside(size);
  const auto may_leave = [&](Rank rank, const ProgramCall& at) {
    const auto on = static_cast<std::size_t>(at.on);
    const auto number = begun[on][static_cast<std::size_t>(rank)];
    const Rank root = at.call.root < 0 ? -1 : all_members[on][static_cast<std::size_t>(at.call.root)];
    const auto has_begun = [&](Rank other) { return begun[on][static_cast<std::size_t>(other)] >= number; };
    if (at.call.function == "Bcast") return has_begun(root);
    if (at.call.function == "Reduce" && rank != root) return true;
    return std::all_of(all_members[on].begin(), all_members[on].end(), has_begun);
  };
  for (int idle = 0; idle < 400;) {  // steps of random ranks without any progress
    const auto rank = static_cast<Rank>(random() % size);
    const auto at = static_cast<std::size_t>(rank);
    ++idle;
    if (!inside[at]) {
      while (next[at] < programs[at].size() && !is_member(rank, programs[at][next[at]].on)) ++next[at];
      if (next[at] == programs[at].size() || (rank == stuck && next[at] >= stuck_at)) continue;
      const ProgramCall& call = programs[at][next[at]];
      run.in(rank, call.call, call.on);
      ++begun[static_cast<std::size_t>(call.on)][at];
      inside[at] = true, idle = 0;
    } else if (may_leave(rank, programs[at][next[at]])) {
      run.at(rank).calls.back().has_left = true;
      run.is(rank, State::computes);
      ++next[at];
      inside[at] = false, idle = 0;
    }
  }
  for (Rank rank = 0; rank < size; ++rank)
    if (run.at(rank).state != State::in_call && rank != stuck) run.is(rank, State::finalised);
  return run;
}

TEST(RandomRun, NamesTheLateRank) {
  Random random(63);
  int hangs = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto program = random_program(random);
    const auto stuck = static_cast<Rank>(random() % size);
    PlantedRun run = run_of(std::vector(size, program), stuck, random() % program.size(), random);
    EXPECT_FALSE(find_mismatch(run.ranks, size));
    const auto verdict = find_hang(run.ranks, size, {});
    const auto waits = [](const SeenRank& rank) { return rank.state != State::computes; };
    if (std::none_of(run.ranks.begin(), run.ranks.end(), waits)) continue;
    ++hangs;
    ASSERT_TRUE(verdict) << round;
    EXPECT_EQ(verdict->cause, HangVerdict::Cause::late) << text_of(*verdict);
    EXPECT_NE(text_of(*verdict).find("rank " + std::to_string(stuck) + " is late"), std::string::npos) << text_of(*verdict);
    run.is(stuck, State::computes, 1);  // it makes progress, and so may all that wait for it
    EXPECT_FALSE(find_hang(run.ranks, size, {})) << round;
    run.is(stuck, State::died).end = "ended with exit code 1";
    const auto after = find_hang(run.ranks, size, {});
    ASSERT_TRUE(after);
    EXPECT_EQ(after->cause, HangVerdict::Cause::died) << text_of(*after);
  }
  EXPECT_GT(hangs, 1000);
}

TEST(RandomRun, NamesTheRankThatTookAnotherBranch) {
  Random random(64);
  int hangs = 0, skips = 0, named = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto program = random_program(random);
    std::vector<std::vector<ProgramCall>> programs(size, program);
    const std::size_t line = random() % (program.size() - 1);
    const auto on = static_cast<std::size_t>(program[line].on);
    if (all_members[on].size() < 3) continue;  // nobody is the odd one of two
    const Rank odd = all_members[on][random() % all_members[on].size()];
    const auto next = std::find_if(program.begin() + static_cast<std::ptrdiff_t>(line) + 1, program.end(),
                                   [&](const ProgramCall& call) { return call.on == program[line].on; });
    if (next == program.end() || next->call.function == program[line].call.function) continue;
    auto& its = programs[static_cast<std::size_t>(odd)];
    its.erase(its.begin() + static_cast<std::ptrdiff_t>(line));
    const PlantedRun run = run_of(programs, -1, 0, random);
    const auto mismatch = find_mismatch(run.ranks, size);
    const auto verdict = find_hang(run.ranks, size, {});
    if (verdict) ++hangs;
    if (!mismatch) continue;
    const std::string who = ": rank " + std::to_string(odd) + ' ';
    const std::string text = text_of(*mismatch);
    ++skips;
    EXPECT_EQ(mismatch->cause, HangVerdict::Cause::order) << text;
    // If only one other rank has come so far, nobody can know which of the two is wrong.
    named += text.find(who) != std::string::npos || text.find("than rank") != std::string::npos;
  }
  EXPECT_GT(hangs, 300);
  EXPECT_GT(skips, 300);
  EXPECT_GT(100 * named, 90 * skips);
  std::cout << hangs << " hangs, " << skips << " mismatches, " << named << " of them with the right rank\n";
}

}  // namespace
}  // namespace quadrille::mpi_face
