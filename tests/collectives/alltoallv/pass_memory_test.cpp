// SPDX-License-Identifier: BSD-3-Clause
// Memory of the exchanges in passes [liu2002, theorem 1, and the bounds for any counts]: a rank's output and scratch
// memory together. The input, which the paper includes in its two areas, is not written.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "collectives/slices/slice_passes.hpp"
#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

enum class Kind { equal, spike, transpose, sparse };
constexpr Kind kinds[] = {Kind::equal, Kind::spike, Kind::transpose, Kind::sparse};

// All counts are multiples of `unit`.
Problem traffic(Count p, Kind kind, Bytes unit) {
  const auto made = [&](TrafficKind pattern, Bytes small) {
    return make_traffic(p, {.kind = pattern, .most = 7 * unit, .small = small, .typical = unit});
  };
  switch (kind) {
    case Kind::equal: return made(TrafficKind::equal, 0);
    case Kind::spike: return made(TrafficKind::spike, p % 2 * unit);
    case Kind::transpose: return made(TrafficKind::transpose, 0);
    case Kind::sparse: break;
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(p));
  std::set<std::pair<Rank, Rank>> pairs;  // a third of the ranks send nothing
  for (Rank from = 0; from < p; ++from)
    for (int i = 0; from % 3 != 1 && i < 4; ++i) pairs.emplace(from, static_cast<Rank>(random() % static_cast<std::uint64_t>(p)));
  std::vector<TrafficEntry> entries;
  for (const auto& [from, to] : pairs) entries.push_back({from, to, static_cast<Bytes>(random() % 9 + 1) * unit});
  return Problem::alltoallv(p, std::move(entries));
}

// All ranks or, if there are many, some of them: among these are ranks of the last two columns, which a short last row
// does not reach.
std::vector<Rank> looked_at(Count p, const RankArray& array) {
  std::vector<Rank> ranks{0, array.columns() - 1, p - 1, p / 2 + 1};
  if (array.columns() > 1) ranks.push_back(array.rank_at(array.height(array.columns() - 2) - 1, array.columns() - 2));
  if (p > 24) return ranks;
  ranks.resize(static_cast<std::size_t>(p));
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

bool writes_input(const Program& program) {
  const auto meets = [](const Regions& regions) {
    return std::any_of(regions.begin(), regions.end(), [](const Region& region) { return region.buffer == Buffer::input; });
  };
  for (const Round& round : program.rounds) {
    for (const Local& local : round.locals)
      if (meets(local.target)) return true;
    for (const Message& message : round.receives)
      if (meets(message.regions)) return true;
  }
  return false;
}

// The memory that theorem 1 allows for both areas on any grid, as a multiple of L / p.
double theorem(const RankArray& array) {
  const auto r = static_cast<double>(array.rows()), c = static_cast<double>(array.columns());
  return 2 * std::max(r * c, array.is_ragged() ? (r - 1) * (c + 1) : 0);
}

template <class Visit>
void for_each_setting(bool divisible, Visit&& visit) {
  for (Count p = 2; p <= extent(20, 100, 100); ++p)
    for (const Kind kind : kinds) {
      if (p > 24 && (static_cast<Count>(kind) + p / 2) % 2 != 0) continue;
      const Problem problem = traffic(p, kind, divisible ? p : 3);
      for (const char* columns : {"paper", "best"}) {
        const Schedule schedule = make_schedule(problem, fmt::format("four-stage:columns={},grain=1,counts=known", columns));
        SCOPED_TRACE(fmt::format("p={} columns={} kind={}", p, columns, static_cast<int>(kind)));
        const RankArray array(p, number(schedule.parameters, "columns"));
        for (const Rank rank : looked_at(p, array)) {
          const Program program = schedule.program(rank);
          ASSERT_FALSE(writes_input(program)) << rank;
          visit(problem, std::string(columns), array, program);
        }
      }
    }
}

TEST(PassMemory, IsWithinTheoremOneIfTheRanksDivideAllCounts) {
  for_each_setting(true, [](const Problem& problem, const std::string&, const RankArray& array, const Program& program) {
    const double load = static_cast<double>(Traffic(problem).heaviest()), p = static_cast<double>(problem.ranks);
    const Bytes out = output_bytes(problem, program.rank);
    EXPECT_LE(static_cast<double>(out + program.scratch_bytes), theorem(array) * load / p + 1e-6) << program.rank;
  });
}

// Bounds for any counts, on the paper's grid. Rounding may make a message larger than its share, and so also what a rank holds.
TEST(PassMemory, IsWithinTheBoundsForAnyCounts) {
  for_each_setting(false, [](const Problem& problem, const std::string& columns, const RankArray& array, const Program& program) {
    if (columns != "paper" || problem.ranks < 4) return;
    const double load = static_cast<double>(Traffic(problem).heaviest()), p = static_cast<double>(problem.ranks),
                 c = static_cast<double>(array.columns());
    const Bytes out = output_bytes(problem, program.rank);
    EXPECT_LE(static_cast<double>(out + program.scratch_bytes), theorem(array) * load / p + (p + 2 * c) + (3 * c + 2) + 1e-6)
        << program.rank;
  });
}

// A square grid. All data passes through ranks that send nothing themselves: such a rank holds 1/p of all data after
// the second pass, and in each area its column's part of that.
TEST(PassMemory, HoldsTheContentsOfThePasses) {
  const Count p = 16;
  for (const Rank target : {Rank{2}, Rank{7}}) {
    std::vector<TrafficEntry> entries;
    for (Rank from = 0; from < p; ++from)
      if (from % 4 != 3) entries.push_back({from, target, 5 * p});  // the last column sends nothing
    const Problem problem = Problem::alltoallv(p, std::move(entries));
    const Bytes all = 12 * 5 * p;
    const Schedule schedule = make_schedule(problem, "four-stage:columns=4,grain=1,counts=known");
    for (Rank row = 0; row < 4; ++row) {
      const Rank rank = 4 * row + 3;
      const Bytes dealt = 3 * 5 * p / 4;                             // a quarter from each of three ranks of its row
      const Bytes collected = rank % 4 == target % 4 ? all / 4 : 0;  // 1/16 of all data from each of four ranks
      const Bytes own = rank == target ? all : 0, held = all / p;
      EXPECT_EQ(schedule.program(rank).scratch_bytes, std::max(dealt, collected) + std::max<Bytes>(0, held - own)) << rank;
    }
  }
}

// About L of memory if a rank receives L, and twice that if it receives nothing.
TEST(PassMemory, UsesTheOutputBeforeScratchMemory) {
  const Count p = 64;
  const Problem full = traffic(p, Kind::transpose, p);
  EXPECT_EQ(figures(make_schedule(full, "four-stage:columns=8,grain=1")).scratch, Traffic(full).heaviest());
  EXPECT_EQ(output_and_scratch(make_schedule(full, "four-stage:columns=8,grain=1")), 2 * Traffic(full).heaviest());
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p / 2; ++to) entries.push_back({from, to, p});
  // Each rank below p / 2 receives L = p * p; each rank sends half of that.
  const Problem half = Problem::alltoallv(p, std::move(entries));
  const Schedule schedule = make_schedule(half, "four-stage:columns=8,grain=1");
  EXPECT_EQ(output_and_scratch(schedule), 3 * p * p / 2);
  for (const Rank rank : {Rank{40}, Rank{63}}) {
    const Program program = schedule.program(rank);
    EXPECT_LE(program.scratch_bytes, p * p);
    EXPECT_GT(program.scratch_bytes, p * p * 3 / 4);
  }
}

// The same messages, but with separate memory for the data that arrives in each pass except the last.
Program with_an_area_each(Program program, Bytes output) {
  const Bytes size = program.scratch_bytes + output;
  const auto moved = [&](Regions& regions, std::size_t pass) {
    for (Region& region : regions) {
      if (region.buffer == Buffer::input) continue;
      region.offset += static_cast<Bytes>(pass) * size + (region.buffer == Buffer::output ? program.scratch_bytes : 0);
      region.buffer = Buffer::scratch;
    }
  };
  std::size_t pass = 0;
  for (Round& round : program.rounds) {
    while (round.number >= program.stages[pass].first_round + program.stages[pass].round_count) ++pass;
    const bool is_last = pass + 1 == program.stages.size();
    for (Local& local : round.locals) {
      moved(local.source, pass - 1);
      if (!is_last) moved(local.target, pass);
    }
    for (Message& message : round.sends) moved(message.regions, pass - 1);
    for (Message& message : round.receives)
      if (!is_last) moved(message.regions, pass);
  }
  program.scratch_bytes = static_cast<Bytes>(program.stages.size()) * size;
  return program;
}

// Reusing memory adds dependences. They delay no message, because each message has to wait as long for its sender's port anyway.
TEST(PassMemory, DelaysNothingUnderDataflow) {
  const MessageTimes times = message_times(*find_model("linear"), find_machine("sp2"));
  for (const Count p : {18, 64})
    for (const Kind kind : {Kind::spike, Kind::transpose}) {
      const Schedule schedule = make_schedule(traffic(p, kind, 40), "four-stage:columns=paper,grain=1,counts=known");
      Schedule apart = schedule;
      apart.program = [&](Rank rank) { return with_an_area_each(schedule.program(rank), output_bytes(schedule.problem, rank)); };
      EXPECT_TRUE(verify(apart).empty());
      for (const Picoseconds late : {Picoseconds{0}, Picoseconds{1'000'000'000}}) {
        const EventOptions options{.policy = Policy::dataflow, .late_ranks = 3, .late_by = late};
        EXPECT_EQ(simulate_events(schedule, times, options).end, simulate_events(apart, times, options).end) << p;
      }
    }
}

TEST(PassMemory, AreasGrowAtTheEndOfScratchMemory) {
  Bytes scratch = 0;
  GrowingArea low, beyond_output({Buffer::output, 0, 10, {}});
  const auto at = [](const GrowingArea& area, Bytes offset, Bytes length) {
    Regions regions;
    area.append_to(regions, offset, length);
    return regions;
  };
  EXPECT_EQ(low.take(5, scratch), 0);
  EXPECT_EQ(low.take(3, scratch), 5);
  EXPECT_EQ(scratch, 8);
  EXPECT_EQ(beyond_output.take(14, scratch), 0);
  EXPECT_EQ(scratch, 12);
  EXPECT_EQ(at(beyond_output, 8, 5), (Regions{{Buffer::output, 8, 2, {}}, {Buffer::scratch, 8, 3, {}}}));
  low.clear();
  EXPECT_EQ(low.take(9, scratch), 0);
  EXPECT_EQ(scratch, 13);
  EXPECT_EQ(at(low, 2, 7), (Regions{{Buffer::scratch, 2, 6, {}}, {Buffer::scratch, 12, 1, {}}}));
  beyond_output.clear();
  EXPECT_EQ(beyond_output.take(12, scratch), 0);
  EXPECT_EQ(scratch, 13);
}

}  // namespace
}  // namespace quadrille
