// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchanges in arrays of any number of dimensions, and the paper's baselines: folding a short row, and
// scanning [liu2002, sections 3.1.2, 3.2.2 and 5].
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"
#include "support/why_not.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

std::vector<Problem> some_traffic(Count p) {
  std::vector<Problem> list;
  for (const TrafficKind kind : {TrafficKind::spike, TrafficKind::transpose, TrafficKind::sparse, TrafficKind::power_law})
    list.push_back(make_traffic(p, {.kind = kind, .most = 3 * p, .small = 2, .typical = 11, .density = 0.3}));
  return list;
}

// The programs are the same except for the names of stages.
void expect_same_programs(const Problem& problem, const std::string& one, const std::string& other) {
  const Schedule first = make_schedule(problem, one), second = make_schedule(problem, other);
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    Program program = first.program(rank), same = second.program(rank);
    ASSERT_EQ(program.stages.size(), same.stages.size());
    for (std::size_t i = 0; i < same.stages.size(); ++i) same.stages[i].name = program.stages[i].name;
    ASSERT_EQ(program, same) << one << " and " << other << ", rank " << rank << " of " << problem.ranks;
  }
}

// With two sides the array is a grid. With a third side of 1 the route is an ArrayRoute, and what a rank receives is
// found by replaying the route; the programs must be the same.
TEST(ArrayExchange, WithTwoSidesIsTheExchangeOnAGrid) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<Count, Count>>{{1, 1}, {1, 5}, {5, 1}, {2, 2}, {3, 4}, {4, 3}, {2, 8}, {6, 5}})
    for (const Problem& problem : some_traffic(rows * columns))
      for (const std::string rest : {"grid:counts=known", "grid:counts=headers", "four-stage:counts=gathered",
                                     "four-stage:counts=headers,grain=3", "four-stage:split=paper,grain=1"})
        for (const std::string sides : {"{}x{}", "1x{}x{}", "{}x1x{}"})
          expect_same_programs(problem, fmt::format("{},columns={}", rest, columns),
                               fmt::format("{},sides={}", rest, fmt::format(fmt::runtime(sides), rows, columns)));
}

// Every rank starts a message to each other rank of its lines, both when dealing and when collecting.
TEST(ArrayExchange, HasTheFiguresOfItsSides) {
  for (const std::vector<Count>& sides : std::vector<std::vector<Count>>{
           {6}, {1, 5, 2}, {2, 2, 2}, {2, 3, 4}, {4, 3, 2}, {3, 3, 3}, {4, 1, 4, 1}, {2, 2, 2, 2}, {4, 4, 4}, {2, 2, 2, 2, 2, 2}}) {
    const Count p = std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>());
    const Bytes load = p * p;  // all counts are p
    Count startups = 0;
    Bytes volume = 0;
    for (const Count side : sides) {
      startups += side - 1;
      volume += (side - 1) * (load / side);
    }
    const Problem problem = make_traffic(p, {.kind = TrafficKind::equal, .typical = p});
    const std::string text = fmt::format("{}", fmt::join(sides, "x"));
    for (const auto& [specification, times] : std::vector<std::pair<std::string, Count>>{
             {"grid:", 1}, {"four-stage:grain=1,", 2}, {"four-stage:grain=1,split=paper,", 2}}) {
      SCOPED_TRACE(specification + text);
      const Schedule schedule = make_schedule(problem, fmt::format("{}sides={},counts=known", specification, text));
      const Figures counted = figures(schedule);
      EXPECT_EQ(counted.c1, times * startups);
      EXPECT_EQ(counted.startups, times * startups);
      EXPECT_EQ(counted.ports, 1);
      if (specification == "four-stage:grain=1,split=paper,") continue;  // with split=paper, counts of p are cut unevenly
      EXPECT_EQ(counted.c2, times * volume);
      EXPECT_EQ(counted.traffic_out, times * volume);
      EXPECT_EQ(counted.traffic_in, times * volume);
    }
  }
}

TEST(ArrayExchange, IsVerifiedInManyArrays) {
  for (const auto& [p, sides] : std::vector<std::pair<Count, std::string>>{
           {24, "2x3x4"}, {27, "3x3x3"}, {30, "5x1x6"}, {30, "3x2x5"}, {36, "2x3x2x3"}, {64, "4x4x4"}, {64, "2x2x2x2x2x2"}})
    for (const Problem& problem : some_traffic(p))
      for (const char* specification : {"grid:counts=headers,sides=", "four-stage:grain=9,sides="}) {
        const Schedule schedule = make_schedule(problem, specification + sides);
        for (const Finding& finding : verify(schedule)) FAIL() << specification << sides << ": " << to_string(finding);
        if (p < 30) EXPECT_EQ(judge(schedule), "") << specification << sides;
      }
}

// Arrays whose last row along the first side is short, of all lengths.
TEST(ArrayExchange, IsVerifiedWithAShortLastRow) {
  for (const std::vector<Count>& sides : std::vector<std::vector<Count>>{
           {2, 4}, {3, 4}, {2, 7}, {2, 2, 2}, {2, 3, 4}, {3, 2, 4}, {2, 1, 5}, {2, 2, 2, 2}, {3, 3, 3}}) {
    const Count places = std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>());
    const std::string text = fmt::format("{}", fmt::join(sides, "x"));
    for (Count p = places - places / sides.front() + 1; p < places; ++p)
      for (const Problem& problem : some_traffic(p))
        for (const char* specification :
             {"grid:counts=headers,sides=", "four-stage:grain=3,sides=", "four-stage:split=paper,grain=1,counts=known,sides="}) {
          const Schedule schedule = make_schedule(problem, specification + text);
          for (const Finding& finding : verify(schedule, {.port_limit = 1}))
            FAIL() << specification << text << ", " << p << " ranks: " << to_string(finding);
          if (p < 9) EXPECT_EQ(judge(schedule), "") << specification << text;
        }
  }
}

// In the slots of its rank each target's data is dealt out evenly: if p divides the counts, every rank then holds 1/p of it, as in
// a grid with a short last row [liu2002, lemma 2].
TEST(ArrayExchange, DealsEvenlyWithAShortLastRow) {
  for (const auto& [p, sides] :
       std::vector<std::pair<Count, std::string>>{{11, "3x4"}, {7, "2x2x2"}, {22, "3x2x4"}, {50, "4x4x4"}}) {
    const Problem problem = make_traffic(p, {.kind = TrafficKind::transpose, .most = 4 * p, .small = p});
    const Schedule schedule = make_schedule(problem, fmt::format("four-stage:grain=1,counts=known,sides={}", sides));
    const Count passes = std::count(sides.begin(), sides.end(), 'x') + 1;
    std::vector<Bytes> held(index(p));  // what a rank has after the dealing passes
    for (Rank rank = 0; rank < p; ++rank) {
      const Program program = schedule.program(rank);
      ASSERT_EQ(program.stages.size(), index(2 * passes));
      const Count end = program.stages[index(passes)].first_round;
      Bytes& bytes_held = held[index(rank)];
      for (const Share& share : Traffic(problem).sent_by(rank)) bytes_held += share.bytes;
      for (const Round& round : program.rounds) {
        if (round.number >= end) continue;
        for (const Message& message : round.sends) bytes_held -= bytes(message.regions);
        for (const Message& message : round.receives) bytes_held += bytes(message.regions);
      }
    }
    const Bytes total = std::accumulate(held.begin(), held.end(), Bytes{0});
    for (const Bytes mine : held) EXPECT_EQ(mine, total / p) << sides;
  }
}

// 2 (N_i - 1) rounds for each side, and for rows of 4 of which the last has 3 ranks: 2 more, because two of the 3 send to the same
// rank.
TEST(ArrayExchange, NeedsFewMoreRoundsWithAShortLastRow) {
  const auto rounds = [](Count p, const std::string& sides) {
    const Problem problem = make_traffic(p, {.kind = TrafficKind::equal, .typical = 8 * p});
    return figures(make_schedule(problem, "four-stage:grain=1,counts=known,sides=" + sides)).c1;
  };
  EXPECT_EQ(rounds(12, "3x4"), 2 * (2 + 3));
  EXPECT_EQ(rounds(11, "3x4"), 2 * (2 + 3 + 2));
  EXPECT_EQ(rounds(10, "3x4"), 2 * (2 + 3 + 1));  // a valid grid, in which ranks stall
  EXPECT_EQ(rounds(9, "3x3"), 2 * (2 + 2));
  EXPECT_EQ(rounds(60, "4x4x4"), 2 * (3 + 3 + 3 + 1));
}

// With sparse counts, the cost depends on the number of entries, not on the square of the number of ranks.
TEST(ArrayExchange, CostsLittleForManyRanksWithSparseCounts) {
  const Count side = 20, p = side * side * side;
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < p; ++from)
    for (const Count distance : {1, 37, 2011}) entries.push_back({from, (from + distance) % p, 100});
  const Schedule schedule = make_schedule(Problem::alltoallv(p, std::move(entries)), "grid:sides=20x20x20,counts=known");
  // For each rank: the stages and distances at which it sends or receives, one dimension after the other, beginning
  // with the last.
  std::map<Rank, std::set<std::pair<Count, Count>>> meetings;
  for (Rank from = 0; from < p; ++from)
    for (const Count distance : {1, 37, 2011}) {
      Rank holder = from;
      for (Count stage = 0, stride = 1; stage < 3; ++stage, stride *= side) {
        const Count step = (from + distance) % p / stride % side - from / stride % side;
        if (step == 0) continue;
        const Rank next = holder + step * stride;
        for (const Rank rank : {holder, next}) meetings[rank].insert({stage, (step + side) % side});
        holder = next;
      }
    }
  for (const Rank rank : {Rank{0}, Rank{777}, p - 1}) {
    const Program program = schedule.program(rank);
    EXPECT_EQ(program.stages.size(), 3u);
    const auto busy = std::count_if(program.rounds.begin(), program.rounds.end(),
                                    [](const Round& round) { return !round.sends.empty() || !round.receives.empty(); });
    EXPECT_EQ(static_cast<std::size_t>(busy), meetings.at(rank).size());
    Bytes received = 0, sent = 0;
    for (const Round& round : program.rounds) {
      for (const Message& message : round.sends) sent += bytes(message.regions);
      for (const Message& message : round.receives) received += bytes(message.regions);
    }
    EXPECT_GE(received, 300 * 1);
    EXPECT_LE(sent, 3 * 3 * 100 * side);
  }
}

TEST(ArrayExchange, RefusesWrongSidesWithAReason) {
  const Problem problem = make_traffic(60, {.kind = TrafficKind::equal});
  const auto reason = [&](const std::string& specification) {
    return why_not(applies(problem, parse_choice(problem, specification)));
  };
  for (const std::string id : {"grid", "four-stage"}) {
    EXPECT_EQ(reason(id + ":sides=3x4x5"), "");
    EXPECT_EQ(reason(id + ":sides=3x4x5,columns=5"), "");
    for (const char* right : {"4x4x4", "7x3x3", "60", "1x60", "2x59", "60x1"})
      EXPECT_EQ(reason(id + ":sides=" + right), "") << right;
    EXPECT_EQ(reason(id + ":sides=5x4x4"),
              "an array with sides 5x4x4 has 65 to 80 ranks, because only its last row along the first "
              "side may be short, but there are 60");
    EXPECT_EQ(reason(id + ":sides=61x1"), "an array with sides 61x1 has 61 ranks, but there are 60");
    EXPECT_EQ(reason(id + ":sides=59"), "an array with sides 59 has 59 ranks, but there are 60");
    EXPECT_EQ(reason(id + ":sides=1x61"), "an array with sides 1x61 has 61 ranks, but there are 60");
    EXPECT_EQ(reason(id + ":sides=4294967296x4294967296"),
              "an array with sides 4294967296x4294967296 has 2^63 or more places, but there are 60 ranks");
    EXPECT_THAT(reason(id + ":sides=3x4x5,columns=6"),
                HasSubstr("sides=3x4x5 has rows of 5 ranks, which contradicts columns=6; give only one of the two"));
    EXPECT_EQ(number(parse_choice(problem, id + ":sides=3x4x5").parameters, "columns"), 5);
    for (const char* wrong : {"", "x", "3x", "x3", "3xx4", "3x0", "-3x4", "3X4", "3x4 ", "four", "99999999999999999999"})
      EXPECT_THROW(parse_choice(problem, id + ":sides=" + wrong), Error) << wrong;
  }
  try {
    parse_choice(problem, "grid:sides=3by4");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sides, such as 4x4x4, whose product is p"));
  }
}

// [section 3.2.2] The r ranks of the last row fold into the row above: one step before and one step after those of the
// complete rows. The last complete row then has twice the data for some of its columns.
TEST(FoldedFourStage, HasTwoMoreStepsAndTwiceTheTraffic) {
  for (const auto& [p, C] : std::vector<std::pair<Count, Count>>{{5, 2}, {7, 3}, {11, 3}, {18, 5}, {22, 5}, {23, 5}, {4, 3}}) {
    const Count R = p / C + 1, r = p % C, Q = (R - 1) * C;
    ASSERT_GT(r, 0);
    const Bytes load = p * Q;  // all counts are Q
    const Problem problem = make_traffic(p, {.kind = TrafficKind::equal, .typical = Q});
    const Schedule schedule = make_schedule(problem, fmt::format("folded-four-stage:columns={},grain=1,counts=known", C));
    SCOPED_TRACE(fmt::format("{} ranks in {} columns", p, C));
    for (const Finding& finding : verify(schedule)) FAIL() << to_string(finding);
    const Figures counted = figures(schedule);
    EXPECT_EQ(counted.c1, 2 * (C - 1) + 2 * (R - 2) + 2);
    EXPECT_EQ(counted.startups, counted.c1 - 1) << "no rank sends in both of the extra steps";
    const Bytes volume = load +                            // from the short row to the row above
                         (C - 1) * (2 * load / C) +        // along rows: a rank with the data of two ranks
                         (R - 2) * ((C + r) * load / Q) +  // along columns: the row with r such ranks
                         (C - 1) * (R * load / Q) +        // along rows: data for the R ranks of a column
                         (R - 2) * (2 * load / (R - 1)) +  // along columns: data for two of these ranks
                         load;                             // down to the short row
    EXPECT_EQ(counted.c2, volume);
  }
}

TEST(FoldedFourStage, OnAFullGridIsFourStage) {
  for (const auto& [p, columns] : std::vector<std::pair<Count, Count>>{{1, 1}, {4, 2}, {12, 4}, {25, 5}})
    for (const Problem& problem : some_traffic(p))
      for (const std::string rest : {"counts=headers", "split=paper,grain=1"})
        expect_same_programs(problem, fmt::format("folded-four-stage:columns={},{}", columns, rest),
                             fmt::format("four-stage:columns={},{}", columns, rest));
}

// The lengths of the messages sent, by round and receiver.
std::map<std::pair<Count, Rank>, Bytes> lengths_of(const Program& program) {
  std::map<std::pair<Count, Rank>, Bytes> lengths;
  for (const Round& round : program.rounds)
    for (const Message& message : round.sends) lengths[{round.number, message.peer}] = bytes(message.regions);
  return lengths;
}

Count pieces_of(const Program& program, std::string_view stage_name) {  // contiguous pieces of memory that are sent
  Count pieces = 0;
  for (const Stage& stage : program.stages)
    if (stage.name == stage_name)
      for (const Round& round : program.rounds)
        if (round.number >= stage.first_round && round.number < stage.first_round + stage.round_count)
          for (const Message& message : round.sends)
            for (const Region& region : message.regions) for_each_run(region, [&](Bytes, Bytes) { ++pieces; });
  return pieces;
}

TEST(ScanTwoPhase, HasTheMessagesOfTwoPhase) {
  for (const Count p : {1, 2, 3, 5, 8, 13})
    for (const Problem& problem : some_traffic(p))
      for (const char* counts : {"known", "gathered"}) {
        const Schedule scan = make_schedule(problem, fmt::format("scan-two-phase:grain=1,counts={}", counts)),
                       slices = make_schedule(problem, fmt::format("two-phase:grain=1,counts={}", counts));
        EXPECT_EQ(figures(scan), figures(slices)) << p;
        for (Rank rank = 0; rank < p; ++rank) EXPECT_EQ(lengths_of(scan.program(rank)), lengths_of(slices.program(rank))) << p;
      }
}

// If p divides the counts of m elements, each of the m (p - 1) elements sent is a separate piece; two-phase has
// p (p - 1) slices.
TEST(ScanTwoPhase, SendsEachElementFromASeparatePiece) {
  for (const Count p : {3, 5, 8}) {
    const Bytes elements = 4 * p, element = 6;
    const Problem problem = make_traffic(p, {.kind = TrafficKind::equal, .typical = elements * element});
    const Program scan = make_schedule(problem, fmt::format("scan-two-phase:grain={}", element)).program(1),
                  slices = make_schedule(problem, fmt::format("two-phase:grain={}", element)).program(1);
    EXPECT_EQ(pieces_of(scan, "spread"), elements * (p - 1));
    EXPECT_EQ(pieces_of(slices, "spread"), p * (p - 1));
  }
}

// Element t for rank j goes to rank i + j + t (mod 3); the last element is shorter.
TEST(ScanTwoPhase, DealsElementByElement) {
  std::vector<Bytes> counts(9, 0);
  counts[1 * 3 + 0] = 18;  // rank 1 has elements of 4 bytes at 0, 4, 8, 12 and 16 for rank 0: sent to 1, 2, 0, 1, 2
  counts[1 * 3 + 2] = 7;   // and at 18 and 22 for rank 2: sent to 0 and 1
  const Program program = make_schedule(Problem::alltoallv(3, std::move(counts)), "scan-two-phase:grain=4,counts=known").program(1);
  const auto sent = [&](std::size_t round) { return program.rounds.at(round).sends.at(0); };
  EXPECT_EQ(sent(0).peer, 2);
  EXPECT_EQ(sent(0).regions, (Regions{{Buffer::input, 4, 4, {}}, {Buffer::input, 16, 2, {}}}));
  EXPECT_EQ(sent(1).peer, 0);
  EXPECT_EQ(sent(1).regions, (Regions{{Buffer::input, 8, 4, {}}, {Buffer::input, 18, 4, {}}}));
}

TEST(ScanTwoPhase, RefusesTooManyElements) {
  const Problem problem = Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, Bytes{1} << 40}});
  const auto reason = [&](const std::string& specification) {
    return why_not(applies(problem, parse_choice(problem, specification)));
  };
  EXPECT_EQ(reason("scan-two-phase"),
            "a rank has 17179869184 elements of 64 bytes, each of which is a separate piece of memory; the limit is 4194304; use a "
            "larger grain");
  EXPECT_EQ(reason("scan-two-phase:grain=1048576"), "");

  const Problem larger = Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, Bytes{1} << 60}});
  EXPECT_EQ(
      why_not(applies(larger, parse_choice(larger, "scan-two-phase:grain=1073741824"))),
      "a rank has 1073741824 elements of 1073741824 bytes, each of which is a separate piece of memory; the limit is 4194304");
}

}  // namespace
}  // namespace quadrille
