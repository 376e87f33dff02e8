// SPDX-License-Identifier: BSD-3-Clause
// Which differences between a program and the image of its representative are found, and which are allowed.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "quadrille/algorithm.hpp"
#include "schedule/symmetry.hpp"
#include "support/cases.hpp"
#include "support/symmetric_schedules.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Regions byte_by_byte(const Regions& regions) {
  Regions list;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) {
      for (Bytes byte = offset; byte < offset + length; ++byte) list.push_back({region.buffer, byte, 1, {}});
    });
  return list;
}

// Changes the order in which both ends of every message list its bytes, except for messages of representatives, whose
// orders the images must follow.
Program shuffled(Program program, const Symmetry& symmetry) {
  const auto stands_for_others = [&](Rank rank) { return symmetry.representative_of(rank) == rank; };
  for (Round& round : program.rounds)
    for (auto* messages : {&round.sends, &round.receives})
      for (Message& message : *messages) {
        if (stands_for_others(program.rank) || stands_for_others(message.peer)) continue;
        const bool sends = messages == &round.sends;
        const Rank from = sends ? program.rank : message.peer, to = sends ? message.peer : program.rank;
        message.regions = byte_by_byte(message.regions);
        std::shuffle(message.regions.begin(), message.regions.end(),
                     std::mt19937_64(static_cast<std::uint64_t>((round.number * 1000 + from) * 1000 + to)));
      }
  return program;
}

// A single rank that differs from the image of its representative, in whatever detail.
TEST(BySymmetry, FindsASingleRankThatIsNotAnImage) {
  for (const Count p : {6, 8, 16})
    for_each_symmetric(p, 4, [&](const Schedule& schedule) {
      for (const Rank far : {p - 1, p / 2}) {
        const auto changed = [&](auto&& change) {
          Schedule mutant = schedule;
          mutant.program = [&](Rank rank) {
            Program program = schedule.program(rank);
            if (rank == far) change(program.rounds.back());
            return program;
          };
          const Program before = schedule.program(far), after = mutant.program(far);
          if (before == after) return;
          const std::vector<Finding> findings = verify(mutant);
          const bool stands_for_others = schedule.symmetry->representative_of(far) == far;  // other rules may find it first
          EXPECT_TRUE(stands_for_others ? !findings.empty() : rules_of(findings).contains(Rule::false_symmetry));
        };
        changed([](Round& round) { round.number += 1; });
        changed([](Round& round) {
          if (!round.receives.empty()) round.receives.pop_back();
        });
        changed([&](Round& round) {
          if (!round.sends.empty()) round.sends.back().peer = (round.sends.back().peer + 1) % p;
        });
        changed([](Round& round) {
          if (!round.receives.empty()) round.receives[0].regions.back().offset -= 4;
        });
        changed([](Round& round) {
          if (!round.locals.empty()) round.locals.pop_back();
        });
        changed([](Round& round) {
          if (!round.locals.empty()) round.locals[0].source[0].offset += 1;
        });
        changed([](Round& round) {
          if (!round.control_sends.empty()) round.control_sends[0].bytes += 1;
        });
      }
    });
}

TEST(BySymmetry, AcceptsAnyOrderOfBytesThatBothEndsList) {
  for (const Count p : {6, 8})
    for_each_symmetric(p, 4, [&](const Schedule& schedule) {
      Schedule mutant = schedule;
      mutant.program = [&](Rank rank) { return shuffled(schedule.program(rank), *schedule.symmetry); };
      Coverage coverage;
      for (const Finding& finding : verify(mutant, {}, &coverage)) ADD_FAILURE() << to_string(finding);
      EXPECT_EQ(coverage.symmetry, schedule.symmetry->name());
    });
}

// One end of one message lists two bytes in exchanged order. All other messages list their bytes like the images, or in another
// order that is the same at both ends.
TEST(BySymmetry, FindsOneEndThatListsBytesInAnotherOrder) {
  int found = 0;
  for_each_symmetric(8, 4, [&](const Schedule& schedule) {
    for (const bool all_shuffled : {false, true})
      for (const auto end : {&Round::sends, &Round::receives}) {
        const Rank far = 7;
        bool changed = false;
        Schedule mutant = schedule;
        mutant.program = [&](Rank rank) {
          Program program = schedule.program(rank);
          if (all_shuffled) program = shuffled(std::move(program), *schedule.symmetry);
          if (rank != far || schedule.symmetry->representative_of(far) == far) return program;
          for (Round& round : program.rounds)
            for (Message& message : round.*end) {
              message.regions = byte_by_byte(message.regions);
              if (message.regions.size() < 2) continue;
              std::swap(message.regions.front(), message.regions.back());
              changed = true;
              return program;
            }
          return program;
        };
        const std::set<Rule> rules = rules_of(verify(mutant));
        EXPECT_EQ(rules.contains(Rule::false_symmetry), changed);
        found += changed ? 1 : 0;
      }
  });
  EXPECT_GT(found, 50);
}

// A wrong group, with fewer classes than the right one.
TEST(BySymmetry, FindsAWrongGroup) {
  const auto is_found = [](Schedule schedule, const Symmetry& symmetry) {
    schedule.symmetry = symmetry;
    return rules_of(verify(schedule)).contains(Rule::false_symmetry);
  };
  EXPECT_TRUE(is_found(make_schedule(Problem::alltoall(8, 4), "bruck"), exclusive_or_symmetry(8)));
  EXPECT_TRUE(is_found(make_schedule(Problem::alltoall(8, 4), "xor"), translation_symmetry(8)));
  EXPECT_TRUE(is_found(make_schedule(Problem::alltoall(8, 4), "hypercube"), translation_symmetry(8)));
  EXPECT_TRUE(is_found(make_schedule(problem_of(Collective::allgather, 8, 4), "recursive-doubling"), translation_symmetry(8)));
  EXPECT_TRUE(is_found(make_schedule(Problem::alltoall(8, 4), "bruck"), translation_symmetry(4)));
  EXPECT_TRUE(is_found(make_schedule(problem_of(Collective::allgather, 12, 2), "mesh:rows=3"), translation_symmetry(12)));
  EXPECT_TRUE(is_found(make_schedule(problem_of(Collective::allgather, 12, 2), "mesh:rows=3"), Symmetry({{3, 1}, {4, 1}})));
  EXPECT_FALSE(is_found(make_schedule(problem_of(Collective::allgather, 12, 2), "mesh:rows=3"), Symmetry({{4, 1}, {3, 1}})))
      << "columns may move, too: both ends of a message list a row in another order";
  EXPECT_TRUE(is_found(make_schedule(problem_of(Collective::broadcast, 8, 2), "binomial"), exclusive_or_symmetry(8)));
  Problem torus = Problem::alltoall(64, 4);
  torus.grid = {8, 8};
  EXPECT_TRUE(is_found(make_schedule(torus, "torus:kernel=sr"), Symmetry({{8, 1}, {8, 1}}))) << "it has four classes";
  EXPECT_FALSE(is_found(make_schedule(torus, "torus:kernel=sr"), Symmetry({{8, 4}, {8, 4}}))) << "a subgroup holds, too";
}

// The i-th send of every rank takes the same block as the i-th send of rank 0, the representative. So all ranks except rank 0 send
// their blocks to the wrong ranks, and their programs are not images of rank 0's.
TEST(BySymmetry, FindsBlocksThatDoNotMove) {
  Schedule schedule = make_schedule(Problem::alltoall(8, 4), "direct");
  schedule.program = [made = schedule.program](Rank rank) {
    Program program = made(rank), first = made(0);
    for (std::size_t i = 0; i < first.rounds[0].sends.size(); ++i)
      program.rounds[0].sends[i].regions = first.rounds[0].sends[i].regions;
    return program;
  };
  const std::set<Rule> rules = rules_of(verify(schedule));
  EXPECT_TRUE(rules.contains(Rule::false_symmetry));
  EXPECT_TRUE(rules.contains(Rule::delivery)) << "all ranks are replayed if something is wrong";
}

}  // namespace
}  // namespace quadrille
