// SPDX-License-Identifier: BSD-3-Clause
// Plans of schedules that the caller passes in: right ones run, wrong ones are refused on all ranks with their findings, and each
// is verified once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <regex>
#include <sstream>

#include "execute/script/layout.hpp"
#include "plan/given_schedule.hpp"
#include "quadrille/document.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"
#include "verify/mutants.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Writes the schedule to a document and reads it back, like a schedule from another program.
Schedule through_document(const Schedule& schedule, bool json) {
  std::ostringstream text;
  json ? write_json(text, schedule) : write_text(text, schedule);
  return parse_documents(text.str()).front();
}

// Runs the plan and describes what is wrong with the rank's output; empty if it is right.
std::string run(Plan& made, const Problem& problem, Rank me) {
  const auto data = probe_data(problem, me);
  ByteVector input(static_cast<std::size_t>(input_bytes(problem, me))), output(static_cast<std::size_t>(output_bytes(problem, me)));
  std::string wrong;
  for (int pass = 0; pass < data->pass_count() && wrong.empty(); ++pass) {
    data->fill_input(pass, input.data());
    data->spoil_output(pass, output.data());
    made.execute(input.data(), output.data());
    wrong = data->compare_output(pass, output.data());
  }
  return wrong;
}

// Each rank passes the schedule that `of_rank` makes. Returns the error sentence, which must be the same on all ranks; empty if
// there is none. Drops the prefix "rank N: ", by which ranks other than N say where the error comes from.
std::string refusal(Count ranks, const std::function<Schedule(Rank)>& of_rank, const PlanOptions& options = {}) {
  std::vector<std::string> sentences(static_cast<std::size_t>(ranks));
  run_threads(ranks, [&](Communicator& threads) {
    try {
      plan(threads, of_rank(threads.rank()), options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::misuse);
      sentences[static_cast<std::size_t>(threads.rank())] = error.what();
    }
    threads.barrier();  // the group must still be usable
  });
  for (std::string& sentence : sentences) sentence = std::regex_replace(sentence, std::regex("^rank \\d+: "), "");
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, sentences[0]);
  return sentences[0];
}

TEST(GivenSchedule, RunsForEveryAlgorithmUnderEveryPolicy) {
  run_threads(5, [](Communicator& threads) {
    bool json = false;
    for (const Algorithm* algorithm : all_algorithms())
      for (const Problem& problem : problems_of(*algorithm, threads.size(), 6, 1)) {
        const Choice choice = standard_choice(*algorithm, problem);
        if (!applies(problem, choice)) continue;
        SCOPED_TRACE(specification(choice) + ", " + description(problem));
        const Schedule mine = through_document(make_schedule(problem, choice), json = !json);
        for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
          Plan made = plan(threads, mine, {.policy = policy, .operation = operation_for(problem)});
          EXPECT_EQ(run(made, problem, threads.rank()), "");
          EXPECT_EQ(made.algorithm(), specification(choice));
        }
      }
  });
}

TEST(GivenSchedule, RunsInPlaceAndOnLayouts) {
  constexpr Count p = 4;
  const Problem problem = Problem::alltoall(p, 1);
  const Schedule schedule = through_document(make_schedule(problem, "bruck:radix=2"), true);
  run_threads(p, [&](Communicator& threads) {
    const auto me = static_cast<char>(threads.rank());
    const std::array<char, p> expected{me, static_cast<char>(p + me), static_cast<char>(2 * p + me), static_cast<char>(3 * p + me)};
    std::array<char, p> sent;
    for (char to = 0; to < p; ++to) sent[static_cast<std::size_t>(to)] = static_cast<char>(p * me + to);
    std::array<char, p> buffer = sent;
    plan(threads, schedule, {.in_place = true}).execute_in_place(buffer.data());
    EXPECT_EQ(buffer, expected);
    const std::array spread{sent[0], '-', sent[1], '-', sent[2], '-', sent[3]};
    std::array<char, p> received{};
    plan(threads, schedule, {.layouts = {.input = {{0, 1}, {2, 1}, {4, 1}, {6, 1}}}}).execute(spread.data(), received.data());
    EXPECT_EQ(received, expected);
  });
}

TEST(GivenSchedule, RunsIfItIsRightAndIsRefusedIfNot) {
  std::mt19937_64 random(21);
  std::size_t accepted = 0, refused = 0;
  for (int trial = 0; trial < extent(100, 300, 3000); ++trial) {
    const auto& algorithms = all_algorithms();
    const Algorithm& algorithm = *algorithms[random() % algorithms.size()];
    const Problem problem = problem_of(algorithm.collective, 4, 4, 0, random());
    const Choice choice = standard_choice(algorithm, problem);
    if (!applies(problem, choice) || algorithm.collective == Collective::barrier) continue;
    const Schedule right = make_schedule(problem, choice);
    Mutator mutator(right, random());
    mutator.mutate();
    const Schedule mutant = mutator.mutant();
    SCOPED_TRACE(fmt::format("trial {}: {}", trial, specification(choice)));
    const auto findings = verify(mutant);
    ++(findings.empty() ? accepted : refused);
    const PlanOptions options{.operation = operation_for(problem)};
    const std::string said = refusal(
        4, [&](Rank) { return mutant; }, options);
    if (!findings.empty()) {
      EXPECT_THAT(said, AllOf(StartsWith("the schedule of "), HasSubstr(" is wrong: " + to_string(findings[0]))));
      if (findings.size() > 3) EXPECT_THAT(said, HasSubstr(fmt::format("{} more findings", findings.size() - 3)));
      continue;
    }
    EXPECT_EQ(said, "");
    run_threads(4, [&](Communicator& threads) {
      Plan made = plan(threads, mutant, options);
      EXPECT_EQ(run(made, problem, threads.rank()), "");
    });
  }
  EXPECT_GT(accepted, 10u);
  EXPECT_GT(refused, 10u);
}

Schedule with_round_dropped(Schedule schedule, Rank of, std::size_t round) {
  schedule.symmetry.reset();
  schedule.program = [make = schedule.program, of, round](Rank rank) {
    Program program = make(rank);
    if (rank == of) program.rounds.erase(program.rounds.begin() + static_cast<std::ptrdiff_t>(round));
    return program;
  };
  return schedule;
}

TEST(GivenSchedule, DifferencesBetweenRanksAreNamed) {
  const Problem problem = Problem::alltoall(4, 8);
  const Schedule ring = make_schedule(problem, "ring"), document = through_document(ring, true);
  const auto with_rank_two = [&](const Schedule& others, const Schedule& own) {
    return refusal(4, [&](Rank rank) { return rank == 2 ? own : others; });
  };
  EXPECT_EQ(with_rank_two(document, with_round_dropped(document, 2, 1)),
            "ranks 0 and 2 hand over different schedules of ring: they differ in what rank 2 does in round 1");
  EXPECT_EQ(with_rank_two(document, with_round_dropped(document, 1, 1)), "")
      << "rank 2 runs only its own program, which equals that of rank 0's schedule";
  Schedule more_scratch = document;
  more_scratch.program = [&](Rank rank) {
    Program program = document.program(rank);
    program.scratch_bytes += 8;
    return program;
  };
  EXPECT_THAT(with_rank_two(document, more_scratch), HasSubstr("differ in the stages of rank 2, or in its scratch memory"));
  Schedule one_port = document, longer_input = document, longer_output = document;
  one_port.port_limit = 1;
  EXPECT_THAT(with_rank_two(document, one_port),
              HasSubstr("they differ in the limit of ports that they state: none at rank 0, 1 at rank 2"));
  longer_input.stated_input_bytes = longer_output.stated_output_bytes = {32, 32, 40, 32};
  EXPECT_THAT(with_rank_two(document, longer_input),
              HasSubstr("they differ in the size of rank 2's input that they state: 32 B at rank 0, 40 B at rank 2"));
  EXPECT_THAT(with_rank_two(document, longer_output),
              HasSubstr("they differ in the size of rank 2's output that they state: 32 B at rank 0, 40 B at rank 2"));
  Schedule without_symmetry = ring;
  without_symmetry.symmetry.reset();
  EXPECT_THAT(with_rank_two(ring, without_symmetry), HasSubstr("they differ in the symmetry that they state"));
  EXPECT_THAT(with_rank_two(make_schedule(Problem::alltoall(4, 24), "ring"), make_schedule(Problem::alltoall(4, 16), "ring")),
              HasSubstr("the sizes of alltoall differ: rank 2 gives 16 B, rank 0 24 B"));
  Schedule renamed = document;
  renamed.algorithm = "ring of mine";
  EXPECT_THAT(
      with_rank_two(document, renamed),
      HasSubstr(
          "the algorithms of alltoall differ: rank 2 gives ring of mine of the caller's own, rank 0 ring of the caller's own"));
  run_threads(4, [&](Communicator& threads) {  // one rank names an algorithm of the table instead
    try {
      threads.rank() == 2 ? plan(threads, problem, {.algorithm = "ring"}) : plan(threads, document);
      ADD_FAILURE() << "not the same plan";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the algorithms of alltoall differ: rank 2 gives ring, rank 0 ring of the caller's own"));
    }
  });
}

// Runs the schedule on all ranks, and counts the programs that each rank makes.
struct Made {
  std::array<std::atomic<Count>, 64> by_rank{};

  Made(const Schedule& schedule, Count plans) {
    run_threads(schedule.problem.ranks, [&](Communicator& threads) {
      Schedule mine = schedule;
      auto& count = by_rank[static_cast<std::size_t>(threads.rank())];
      count = 0;
      mine.program = [&count, make = schedule.program](Rank rank) { return ++count, make(rank); };
      for (Count i = 0; i < plans; ++i) {
        Plan made = plan(threads, mine);
        EXPECT_EQ(run(made, schedule.problem, threads.rank()), "");
      }
    });
  }
};

TEST(GivenSchedule, IsVerifiedOnce) {
  Schedule schedule = through_document(make_schedule(Problem::alltoall(6, 40), "ring"), true);
  schedule.algorithm = "verified once";  // a new name, so that no other test has verified it
  const Made first(schedule, 1), later(schedule, 3);
  EXPECT_GE(first.by_rank[0], 6) << "rank 0 verifies the programs of all ranks";
  EXPECT_EQ(first.by_rank[5], 3) << "a rank makes its own program to request, to compare and to run it";
  for (Rank rank = 0; rank < 6; ++rank)
    EXPECT_EQ(later.by_rank[static_cast<std::size_t>(rank)], 3) << "each rank makes only its own program, once for each plan";
}

TEST(GivenSchedule, NoRankMakesAllProgramsIfItIsSymmetric) {
  constexpr Count p = 64;
  Schedule schedule = make_schedule(Problem::alltoall(p, 24), "bruck:radix=2");
  ASSERT_TRUE(schedule.symmetry);
  schedule.algorithm = "symmetric";
  const Made made(schedule, 1);
  for (std::size_t rank = 1; rank < p; ++rank) EXPECT_LE(made.by_rank[rank], 16) << rank;
}

// Rank 0 passes a correct schedule; another rank passes one with a false symmetry.
TEST(GivenSchedule, AFalseSymmetryIsRefused) {
  Schedule ring = make_schedule(Problem::alltoall(4, 32), "ring");
  Schedule wrong = with_round_dropped(ring, 3, 0);
  wrong.symmetry = ring.symmetry;
  EXPECT_NE(refusal(4, [&](Rank) { return wrong; }), "");
  wrong.symmetry = translation_symmetry(5);
  EXPECT_NE(refusal(4, [&](Rank) { return wrong; }), "");
}

TEST(GivenSchedule, IsCheckedAgainstItsPortLimitsAndStatedSizes) {
  const auto said = [](const Schedule& schedule) { return refusal(4, [&](Rank) { return schedule; }); };
  Schedule direct = make_schedule(Problem::alltoall(4, 48), "direct");
  EXPECT_EQ(said(direct), "");
  direct.parameters["ports"] = Count{1};
  EXPECT_THAT(said(direct), HasSubstr("port-limit: "));
  direct.parameters.clear();
  direct.port_limit = 2;
  EXPECT_THAT(said(direct), HasSubstr("port-limit: "));
  direct.port_limit.reset();
  direct.stated_output_bytes = {192, 192, 100, 192};
  EXPECT_THAT(said(direct), HasSubstr("buffer-size: "));
  direct.stated_output_bytes = {192};
  EXPECT_THAT(said(direct), HasSubstr("states 1 sizes of buffers for 4 ranks"));
}

TEST(GivenSchedule, IsRefusedIfItIsIncomplete) {
  EXPECT_THAT(refusal(2, [](Rank) { return Schedule{.problem = Problem::alltoall(2, 8), .algorithm = "none"}; }),
              HasSubstr("this schedule makes no programs"));
  const Schedule ring = make_schedule(Problem::alltoall(2, 8), "ring");
  Schedule same_for_all = ring;
  same_for_all.program = [&](Rank) { return ring.program(0); };
  EXPECT_THAT(refusal(2, [&](Rank) { return same_for_all; }), HasSubstr("asked for the program of rank 1"));
  EXPECT_THAT(refusal(3, [&](Rank) { return ring; }), HasSubstr("the problem has 2 ranks and the group 3"));
  const Schedule sum = make_schedule(problem_of(Collective::allreduce, 2, 8), "recursive-doubling");
  EXPECT_THAT(refusal(2, [&](Rank) { return sum; }), HasSubstr("allreduce needs an operator"));
}

}  // namespace
}  // namespace quadrille
