// SPDX-License-Identifier: BSD-3-Clause
// Verifying by symmetry gives the same result as replaying all ranks, and detects a symmetry that does not hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "schedule/symmetry.hpp"
#include "support/cases.hpp"
#include "verify/finding_list.hpp"
#include "verify/mutants.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// Returns the image at `rank` of regions of its representative.
Regions image_of(const Regions& regions, const Schedule& schedule, Rank rank) {
  const Bytes block = schedule.problem.block_bytes;
  Regions images;
  for (const Region& region : regions) {
    if (block == 0 || !is_indexed_by_rank(region.buffer, schedule.problem.collective)) {
      images.push_back(region);
      continue;
    }
    for_each_run(region, [&](Bytes offset, Bytes length) {
      for (Bytes byte = offset; byte < offset + length; ++byte) {
        const Rank x = byte / block;
        const bool is_there = byte >= 0 && x < schedule.problem.ranks;
        images.push_back({region.buffer, is_there ? schedule.symmetry->image(rank, x) * block + byte % block : byte, 1, {}});
        Region& last = images.back();
        if (images.size() < 2) continue;
        Region& before = images[images.size() - 2];
        if (byte % block == 0 || before.buffer != last.buffer || before.offset + before.length != last.offset) continue;
        ++before.length;
        images.pop_back();
      }
    });
  }
  return images;
}

Program image_of(Program program, const Schedule& schedule, Rank rank) {
  program.rank = rank;
  for (Round& round : program.rounds) {
    for (Local& local : round.locals) {
      local.source = image_of(local.source, schedule, rank);
      local.target = image_of(local.target, schedule, rank);
    }
    for (auto* messages : {&round.sends, &round.receives})
      for (Message& message : *messages) {
        message.peer = schedule.symmetry->image(rank, message.peer);
        message.regions = image_of(message.regions, schedule, rank);
      }
    for (auto* controls : {&round.control_sends, &round.control_receives})
      for (Control& control : *controls) control.peer = schedule.symmetry->image(rank, control.peer);
  }
  return program;
}

std::set<Rule> rules_of(const std::vector<Finding>& findings) {
  std::set<Rule> rules;
  for (const Finding& finding : findings) rules.insert(finding.rule);
  return rules;
}

// Calls visit for all algorithms that state a symmetry by which fewer than all ranks are replayed.
template <class Visit>
void for_each_symmetric(Count p, Bytes block, Visit&& visit) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Problem& problem : problems_of(*algorithm, p, block))
      for (const Choice& choice : all_choices(*algorithm, problem, 3)) {
        const Schedule schedule = make_schedule(problem, choice);
        Coverage coverage;
        if (!schedule.symmetry || schedule.problem.reproducible || !schedule.problem.commutative) continue;
        EXPECT_TRUE(verify(schedule, {}, &coverage).empty());
        EXPECT_EQ(coverage.symmetry, schedule.symmetry->name()) << specification(schedule);
        if (coverage.replayed == p) continue;
        SCOPED_TRACE(specification(schedule) + " of " + std::string(name(problem.collective)));
        visit(schedule);
        if (::testing::Test::HasFailure()) return;
      }
}

// An error in a representative and in all its images is an error in all ranks.
TEST(BySymmetry, FindsWhatReplayingAllRanksFinds) {
  std::uint64_t seed = 1;
  int wrong = 0, right = 0;
  for (const Count p : {4, 6, 8, 16})
    for_each_symmetric(p, 4, [&](const Schedule& schedule) {
      for (int i = 0; i < extent(1, 4, 30); ++i) {
        Mutator mutator(schedule, seed++);
        std::string change;
        Schedule changed = schedule;
        const auto is_changed = [&](Rank rank) { return changed.program(rank) != schedule.program(rank); };
        const std::vector<Rank>& representatives = schedule.symmetry->representatives();
        for (int j = 0; j < 20 && std::none_of(representatives.begin(), representatives.end(), is_changed); ++j) {
          change = mutator.mutate();
          changed = mutator.mutant();
        }
        Schedule mutant = schedule;
        mutant.program = [&](Rank rank) {
          const Rank representative = schedule.symmetry->representative_of(rank);
          return image_of(changed.program(representative), schedule, rank);
        };
        FindingList by_symmetry(1000);
        Coverage coverage;
        check_by_symmetry(mutant, {}, schedule.port_limit.value_or(p), by_symmetry, coverage);
        const bool replayed = coverage.replayed > 0;
        const std::set<Rule> some = rules_of(by_symmetry.take());
        mutant.symmetry.reset();
        std::set<Rule> all = rules_of(verify(mutant, {.most_findings = 100000}));
        EXPECT_FALSE(some.contains(Rule::false_symmetry)) << change;
        if (coverage.replayed == 0 && some.empty()) continue;  // elements are split, so all ranks have to be replayed
        if (replayed)
          EXPECT_EQ(some, (all.erase(Rule::deadlock), all)) << change;
        else
          EXPECT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end())) << change;
        EXPECT_EQ(some.empty(), all.empty()) << change;
        ++(some.empty() ? right : wrong);
      }
    });
  EXPECT_GT(wrong, extent(50, 100, 100));
  EXPECT_GT(right, extent(50, 100, 100));
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

TEST(BySymmetry, ReportsItsCoverage) {
  const auto coverage_of = [](const Schedule& schedule) {
    Coverage coverage;
    EXPECT_TRUE(verify(schedule, {}, &coverage).empty());
    return to_string(coverage);
  };
  EXPECT_EQ(coverage_of(make_schedule(Problem::alltoall(5, 4), "bruck")), "symmetry: translation, 1 class, all 5 ranks compared");
  EXPECT_EQ(coverage_of(make_schedule(Problem::alltoall(8, 4), "hypercube")),
            "symmetry: exclusive or, 1 class, all 8 ranks compared");
  EXPECT_EQ(coverage_of(make_schedule(Problem::alltoall(5, 4), "one-factor")), "all 5 ranks replayed");
  EXPECT_EQ(coverage_of(make_schedule(problem_of(Collective::barrier, 5000, 0), "dissemination")),
            "symmetry: translation, 1 class, 64 of 5000 ranks compared");
  EXPECT_EQ(coverage_of(make_schedule(problem_of(Collective::allgather, 12, 2), "mesh:rows=3")),
            "symmetry: translation of 3x4 by multiples of 1x4, 4 classes, all 12 ranks compared");
}

// More ranks than could be replayed one by one.
TEST(BySymmetry, VerifiesManyRanks) {
  EXPECT_TRUE(verify(make_schedule(Problem::alltoall(1 << 14, 8), "bruck")).empty());
  EXPECT_TRUE(verify(make_schedule(problem_of(Collective::allgather, 1 << 14, 8), "concatenation")).empty());
  EXPECT_TRUE(verify(make_schedule(problem_of(Collective::allgather, 1 << 14, 8), "recursive-doubling")).empty());
  EXPECT_THROW(verify(make_schedule(Problem::alltoall(1 << 14, 8), "one-factor")), Error);
  Schedule broken = make_schedule(Problem::alltoall(1 << 14, 8), "bruck");
  broken.program = [made = broken.program](Rank rank) {
    Program program = made(rank);
    program.rounds.back().receives[0].regions[0].offset += 8;
    return program;
  };
  EXPECT_FALSE(verify(broken).empty()) << "findings at representatives are reported if all ranks are too many to replay";
}

}  // namespace
}  // namespace quadrille
