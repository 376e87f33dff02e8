// SPDX-License-Identifier: BSD-3-Clause
// Irregular total exchange: all algorithms on all kinds of count matrices, and the figures of the paper's analysis
// [liu2002, corrected].
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/model.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

std::vector<Problem> matrices(Count p) {
  std::vector<Problem> list;
  for (const TrafficKind kind : all_traffic_kinds())
    list.push_back(make_traffic(p, {.kind = kind, .most = 5 * p + 1, .small = 1, .typical = p + 2, .density = 0.3}));
  list.push_back(Problem::alltoallv(p, std::vector<TrafficEntry>{}));                            // all counts are 0
  list.push_back(Problem::alltoallv(p, std::vector<TrafficEntry>{{p / 2, p - 1, 10 * p + 3}}));  // one large count
  list.push_back(Problem::alltoallv(p, std::vector<TrafficEntry>{{p / 3, p / 3, 3 * p}}));       // data only for the rank itself
  std::vector<TrafficEntry> odd;                                                                 // whole rows and columns are 0
  for (Rank from = 1; from < p; from += 2)
    for (Rank to = 0; to < p; to += 3) odd.push_back({from, to, (7 * from + to) % 23});
  list.push_back(Problem::alltoallv(p, std::move(odd)));
  if (p <= 8) return list;
  std::vector<Problem> some;  // with many ranks a third of the matrices, different ones for each p
  for (std::size_t i = static_cast<std::size_t>(p % 3); i < list.size(); i += 3) some.push_back(list[i]);
  return some;
}

// All numbers of columns, both splits, all radices up to 4, and windows and grains of 1, 3 and the default.
std::vector<Choice> choices(const Algorithm& algorithm, const Problem& problem) {
  std::vector<Choice> list{standard_choice(algorithm, problem)};
  for (const Parameter& parameter : algorithm.parameters) {
    const std::vector<std::string> words = all_words(parameter, problem);
    std::vector<ParameterValue> values(words.begin(), words.end());
    const Count most = values.empty() ? parameter.most(problem) : 0;
    if (parameter.name == "columns")
      for (Count value = 1; value <= most; ++value) values.emplace_back(value);
    else if (parameter.name == "radix")
      for (Count value = 2; value <= std::min<Count>(most, 4); ++value) values.emplace_back(value);
    else if (values.empty())
      for (const Count value : {1, 3})
        if (value <= most) values.emplace_back(value);
    if (parameter.name == "counts") {  // does not change the data, so not in all combinations
      for (const ParameterValue& value : values) {
        list.push_back(standard_choice(algorithm, problem));
        list.back().parameters["counts"] = value;
      }
      continue;
    }
    const std::vector<Choice> before = list;
    for (const Choice& choice : before)
      for (const ParameterValue& value : values) {
        if (choice.parameters.at(std::string(parameter.name)) == value) continue;
        list.push_back(choice);
        list.back().parameters[std::string(parameter.name)] = value;
      }
  }
  std::erase_if(list, [&](const Choice& choice) { return !applies(problem, choice); });
  return list;
}

TEST(Alltoallv, IsVerifiedForAllKindsOfMatrices) {
  for (Count p = 1; p <= extent(5, 10, 16); ++p)
    for (const Problem& problem : matrices(p))
      for (const Algorithm* algorithm : algorithms_for(Collective::alltoallv))
        for (const Choice& choice : choices(*algorithm, problem)) {
          const Schedule schedule = make_schedule(problem, choice);
          for (const Finding& finding : verify(schedule))
            FAIL() << "p=" << p << ' ' << specification(schedule) << ": " << to_string(finding);
          const Figures counted = figures(schedule);
          for (const Bound& bound : lower_bounds(problem, counted.ports, counted.c1))
            ASSERT_GE(bound.figure == "c1" ? counted.c1 : counted.c2, bound.value)
                << specification(schedule) << ' ' << bound.source;
        }
}

TEST(Alltoallv, IsVerifiedForMoreRanks) {
  for (Count p = 17; p <= extent(17, 41, 65); p += 6)
    for (const TrafficKind kind : {TrafficKind::spike, TrafficKind::transpose, TrafficKind::sparse, TrafficKind::power_law}) {
      const Problem problem = make_traffic(p, {.kind = kind, .most = 3 * p, .small = 2, .typical = 11});
      for (const Algorithm* algorithm : algorithms_for(Collective::alltoallv)) {
        if (!applies(problem, standard_choice(*algorithm, problem))) continue;
        const Schedule schedule = make_schedule(problem, algorithm->id);
        for (const Finding& finding : verify(schedule))
          FAIL() << "p=" << p << ' ' << specification(schedule) << ": " << to_string(finding);
      }
    }
}

TEST(Alltoallv, MovesTheRightBytes) {
  for (const Count p : {1, 2, 3, 5, 6, 8, 11})
    for (const Problem& problem : matrices(p))
      for (const Algorithm* algorithm : algorithms_for(Collective::alltoallv))
        if (applies(problem, standard_choice(*algorithm, problem)))
          EXPECT_EQ(judge(make_schedule(problem, algorithm->id)), "") << algorithm->id << " p=" << p;
}

TEST(Alltoallv, AcceptsWordsForGrids) {
  const Problem problem = make_traffic(24, {.kind = TrafficKind::equal});
  EXPECT_EQ(number(parse_choice(problem, "grid:columns=paper").parameters, "columns"), 5);
  EXPECT_EQ(number(parse_choice(problem, "grid:columns=best").parameters, "columns"), 4);
  EXPECT_EQ(number(parse_choice(problem, "grid").parameters, "columns"), 4);
  EXPECT_THROW(parse_choice(problem, "grid:columns=worst"), Error);
  EXPECT_EQ(applies(problem, parse_choice(problem, "four-stage:columns=7")).has_value(), RankArray::is_valid(24, 7));
}

// Ranks that forward data must all use the same counts.
TEST(Alltoallv, IsRefusedIfRanksHaveDifferentCounts) {
  run_threads(3, [](Communicator& ranks) {
    const Problem same = make_traffic(3, {.kind = TrafficKind::equal, .typical = 100});
    EXPECT_NO_THROW(plan(ranks, same, {.algorithm = "four-stage"}));
    std::vector<Bytes> counts(9, 100);
    if (ranks.rank() == 1) counts[5] = 99;
    EXPECT_THROW(plan(ranks, Problem::alltoallv(3, std::move(counts)), {.algorithm = "four-stage"}), Error);
    // The counts are the same in dense and in sparse form.
    std::vector<TrafficEntry> entries;
    for (Rank from = 0; from < 3; ++from)
      for (Rank to = 0; to < 3; ++to) entries.push_back({from, to, 100});
    EXPECT_NO_THROW(plan(ranks, ranks.rank() == 1 ? Problem::alltoallv(3, std::move(entries)) : same, {.algorithm = "grid"}));
  });
}

// For each number of ranks, one of the grids that are not the default; a different one each time.
TEST(Alltoallv, IsVerifiedOnGridsOfManyRanks) {
  for (Count p = 17; p <= 64; ++p) {
    std::vector<Count> valid;
    for (Count columns = 2; columns < p; ++columns)
      if (RankArray::is_valid(p, columns) && columns != RankArray::best_columns(p)) valid.push_back(columns);
    const Count columns = valid[static_cast<std::size_t>(7 * p) % valid.size()];
    const Problem problem = make_traffic(p, {.kind = TrafficKind::spike, .most = 40, .small = p % 2});
    for (const char* id : {"grid", "four-stage"}) {
      const Schedule schedule = make_schedule(problem, fmt::format("{}:columns={}", id, columns));
      for (const Finding& finding : verify(schedule))
        FAIL() << "p=" << p << ' ' << specification(schedule) << ": " << to_string(finding);
    }
  }
}

// Counts gathered, in headers or known: the data takes the same routes, and only control messages differ.
TEST(Alltoallv, MovesTheSameDataHoweverCountsAreKnown) {
  for (const Count p : {2, 5, 9, 16})
    for (const Problem& problem : matrices(p))
      for (const std::string id : {"grid", "four-stage", "two-phase", "folded-four-stage"}) {
        const Figures known = figures(make_schedule(problem, id + ":counts=known"));
        EXPECT_EQ(known.control_bytes, 0);
        for (const std::string how : {"gathered", "headers"}) {
          Figures told = figures(make_schedule(problem, id + ":counts=" + how));
          EXPECT_GT(told.control_bytes, 0);
          told.control_bytes = 0;
          EXPECT_EQ(told, known) << id << ' ' << how << " p=" << p;
        }
      }
}

// With 4 KiB per message, headers are at most a fifth of the data, although the data is in many slices.
TEST(Alltoallv, HasShortHeaders) {
  for (const TrafficKind kind : {TrafficKind::equal, TrafficKind::power_law}) {
    const Problem problem = make_traffic(256, {.kind = kind, .typical = 4096});
    Bytes data = 0;
    for (Rank rank = 0; rank < 256; ++rank) data += Traffic(problem).sent_bytes(rank);
    const Bytes control = figures(make_schedule(problem, "four-stage:counts=headers")).control_bytes;
    EXPECT_LE(control, data / 5) << name(kind) << ": " << control << " of " << data;
  }
}

// Bruck's concatenation: every rank gets the row of each other rank once, in ceil(log2 p) rounds.
TEST(Alltoallv, GathersEachRowOnceAtEachRank) {
  for (const Count p : {2, 3, 7, 8, 13}) {
    const Schedule schedule = make_schedule(make_traffic(p, {.kind = TrafficKind::equal, .typical = 100}), "grid:counts=gathered");
    const Bytes row = 1 + 2 * p;  // its encoded length: one byte, and for each entry a distance and a size of one byte each
    EXPECT_EQ(figures(schedule).control_bytes, p * (p - 1) * row) << p;
    Count rounds = 0;
    for (Count known = 1; known < p; known *= 2) ++rounds;
    EXPECT_EQ(schedule.program(0).stages[0].round_count, rounds);
  }
}

struct Expected {
  std::string specification;
  Count c1;
  Bytes c2;
};

void expect_figures(const Problem& problem, const std::vector<Expected>& list) {
  for (const Expected& expected : list) {
    const Figures counted = figures(make_schedule(problem, expected.specification));
    EXPECT_EQ(counted.c1, expected.c1) << expected.specification;
    EXPECT_EQ(counted.c2, expected.c2) << expected.specification;
  }
}

// The paper counts messages to the rank itself, and C1 and C2 do not. So here each pass has one step less, and less volume.
TEST(Alltoallv, HasTheFiguresOfTheAnalysis) {
  expect_figures(make_traffic(64, {.kind = TrafficKind::transpose, .most = 1024}),
                 {{"shift", 14, 14336},
                  {"two-phase:grain=1", 126, 2016},
                  {"grid:columns=paper", 14, 14336},
                  {"four-stage:columns=paper,grain=1", 28, 3584}});
  expect_figures(make_traffic(64, {.kind = TrafficKind::equal, .typical = 16}),
                 {{"shift", 63, 63 * 16},
                  {"two-phase:grain=1", 126, 126 * 16},
                  {"grid:columns=paper", 14, 2 * 7 * 128},
                  {"four-stage:columns=paper,grain=1", 28, 4 * 7 * 128}});
}

// All messages that the ranks send in the rounds of a stage: (from, to) -> bytes.
std::map<std::pair<Rank, Rank>, Bytes> messages_of_stage(const Schedule& schedule, std::size_t stage) {
  std::map<std::pair<Rank, Rank>, Bytes> messages;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    const Program program = schedule.program(rank);
    const Stage& wanted = program.stages.at(stage);
    for (const Round& round : program.rounds)
      if (round.number >= wanted.first_round && round.number < wanted.first_round + wanted.round_count)
        for (const Message& message : round.sends) messages[{rank, message.peer}] += bytes(message.regions);
  }
  return messages;
}

TEST(Alltoallv, FourStageSendsTheMessagesOfTheWorkedExample) {
  std::vector<Bytes> counts(25, 5);
  counts[3] = 40;
  const Schedule schedule =
      make_schedule(Problem::alltoallv(5, std::move(counts)), "four-stage:columns=paper,grain=1,counts=known");
  using Messages = std::map<std::pair<Rank, Rank>, Bytes>;
  // Data that stays: 0>0:36, 1>1:15, 2>2:15, 3>3:10 and 4>4:15; these are no messages.
  EXPECT_EQ(messages_of_stage(schedule, 0), (Messages{{{0, 1}, 24}, {{1, 0}, 15}, {{2, 3}, 10}, {{3, 2}, 15}, {{4, 1}, 10}}));
  const Messages second = messages_of_stage(schedule, 1);
  EXPECT_EQ(second.at({1, 3}), 22);
  EXPECT_EQ(second.at({0, 2}), 17);
  EXPECT_EQ(second.at({0, 4}), 17);
  const Messages fourth = messages_of_stage(schedule, 3);
  EXPECT_EQ(fourth.at({1, 3}), 36);
}

// Counts up to 2^62 - 1 are allowed. Larger sums are refused and do not wrap around.
TEST(Alltoallv, AcceptsSumsBelowTwoToThe62AndRefusesLargerOnes) {
  constexpr Bytes most = (Bytes{1} << 62) - 1;
  const Problem giant = Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, most - 1}, {1, 0, 1}});
  for (const char* specification :
       {"direct", "shift", "four-stage", "four-stage:grain=1073741824", "two-phase", "grid:counts=headers"})
    for (const Finding& finding : verify(make_schedule(giant, specification)))
      FAIL() << specification << ": " << to_string(finding);
  const Problem wide = Problem::alltoallv(16, std::vector<TrafficEntry>{{0, 15, most - 9}, {1, 4, 1}, {4, 3, 3}});
  EXPECT_THROW(figures(make_schedule(wide, "two-phase-bruck")), Error);
  const Model& flat = *find_model("flat");
  EXPECT_THROW(price_of(workload_for(flat, make_schedule(wide, "two-phase-bruck")), flat, find_machine("sp2")), Error);
  EXPECT_THROW(make_schedule(wide, "padded-bruck").program(1), Error);
}

}  // namespace
}  // namespace quadrille
