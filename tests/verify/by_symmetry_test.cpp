// SPDX-License-Identifier: BSD-3-Clause
// Verifying by symmetry gives the same result as replaying all ranks, and detects a symmetry that does not hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "schedule/symmetry.hpp"
#include "support/cases.hpp"
#include "support/symmetric_schedules.hpp"
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
  const Schedule barrier = make_schedule(problem_of(Collective::barrier, 5000, 0), "dissemination");
  EXPECT_EQ(coverage_of(barrier), "symmetry: translation, 1 class, all 5000 ranks compared");
  Coverage sampled;
  EXPECT_TRUE(verify(barrier, {.most_compared_work = 0, .seed = 7}, &sampled).empty());
  EXPECT_EQ(to_string(sampled), "sampled: symmetry translation, 1 class, 64 of 5000 ranks compared, seed 7");
  EXPECT_EQ(coverage_of(make_schedule(problem_of(Collective::allgather, 12, 2), "mesh:rows=3")),
            "symmetry: translation of 3x4 by multiples of 1x4, 4 classes, all 12 ranks compared");
}

// The schedule without the sends of one rank.
Schedule broken_at(Schedule schedule, Rank broken) {
  schedule.program = [made = schedule.program, broken](Rank rank) {
    Program program = made(rank);
    if (rank == broken)
      for (Round& round : program.rounds) round.control_sends.clear(), round.sends.clear();
    return program;
  };
  return schedule;
}

// One broken rank is found wherever all ranks are compared, below and above most_compared_exhaustively.
TEST(BySymmetry, FindsOneBrokenRankOnBothSidesOfTheBorder) {
  for (const Count p : {most_compared_exhaustively, most_compared_exhaustively + 1})
    for (const Schedule& schedule :
         {make_schedule(problem_of(Collective::barrier, p, 0), "dissemination"),
          make_schedule(problem_of(Collective::allgather, p, 8), "concatenation"), make_schedule(Problem::alltoall(p, 8), "bruck")})
      for (const Rank broken : {Rank{1}, p / 3, p - 1}) {
        Coverage coverage;
        const std::vector<Finding> findings = verify(broken_at(schedule, broken), {.most_operations = 1 << 16}, &coverage);
        ASSERT_EQ(findings.size(), 1u) << specification(schedule) << ' ' << p << ' ' << broken;
        EXPECT_EQ(findings[0].rule, Rule::false_symmetry);
        EXPECT_EQ(findings[0].rank, broken);
        EXPECT_FALSE(coverage.is_sample());
        EXPECT_EQ(coverage.replayed, 0);
        EXPECT_EQ(to_string(coverage),
                  fmt::format("no rank replayed, {} ranks compared",
                              coverage.compared == p ? fmt::format("all {}", p) : fmt::format("{} of {}", coverage.compared, p)));
      }
}

// The border between comparing all ranks and a sample. A sample of half of the ranks finds one broken rank in about half of the
// draws, and a sample says that it is one.
TEST(BySymmetry, SaysWhetherItComparedASample) {
  const Count p = 5000;
  const Schedule schedule = make_schedule(problem_of(Collective::barrier, p, 0), "dissemination");
  const auto compared = [&](Count work, std::uint64_t seed, const Schedule& its) {
    Coverage coverage;
    const bool right = verify(its, {.most_operations = 1 << 16, .most_compared_work = work, .seed = seed}, &coverage).empty();
    EXPECT_EQ(coverage.is_sample(), right && coverage.compared < p);
    return right ? coverage.compared : -coverage.compared;
  };
  Count enough = 1, too_little = 0;
  while (compared(enough, 1, schedule) < p) too_little = enough, enough *= 2;
  while (enough - too_little > 1) {
    const Count middle = too_little + (enough - too_little) / 2;
    (compared(middle, 1, schedule) < p ? too_little : enough) = middle;
  }
  EXPECT_GE(enough, p * 13) << "a program has 13 rounds";
  EXPECT_LE(enough, p * 13 * 8);
  EXPECT_EQ(compared(enough - 1, 1, schedule), p - 2) << "the representative needs no comparison; one other rank is left out";
  EXPECT_EQ(compared(0, 1, schedule), 64);
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    EXPECT_LT(compared(enough, seed, broken_at(schedule, 4321)), 0) << "all are compared";
    found += compared(enough / 2, seed, broken_at(schedule, 4321)) < 0 ? 1 : 0;
  }
  EXPECT_GT(found, 15);
  EXPECT_LT(found, 45);
  EXPECT_EQ(compared(enough / 2, 3, broken_at(schedule, 4321)), compared(enough / 2, 3, broken_at(schedule, 4321)));
  Coverage one, other;
  verify(schedule, {.most_compared_work = 0}, &one);
  verify(schedule, {.most_compared_work = 0}, &other);
  EXPECT_NE(one.seed, other.seed) << "each call draws another sample";
}

// A sample has a rank of each class: on a mesh the classes are the columns, more than the least number of ranks. So it finds a
// fault that all ranks of one column have.
TEST(BySymmetry, SamplesEachClass) {
  const Count p = 5000, columns = 100;
  const Schedule schedule = make_schedule(problem_of(Collective::allgather, p, 1), "mesh:rows=50");
  Schedule broken = schedule;
  broken.program = [made = schedule.program](Rank rank) {
    Program program = made(rank);
    if (rank % columns == 37 && rank >= columns) program.rounds.back().sends.clear();  // not the representative
    return program;
  };
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto findings_of = [&](const Schedule& its, Coverage& coverage) {
      return verify(its, {.most_operations = 1 << 16, .most_compared_work = 0, .seed = seed}, &coverage);
    };
    Coverage right, wrong;
    EXPECT_TRUE(findings_of(schedule, right).empty());
    EXPECT_TRUE(right.is_sample());
    EXPECT_EQ(right.compared, columns);
    const std::vector<Finding> findings = findings_of(broken, wrong);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].rule, Rule::false_symmetry);
    EXPECT_EQ(findings[0].rank.value_or(0) % columns, 37);
  }
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
