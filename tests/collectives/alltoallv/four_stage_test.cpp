// SPDX-License-Identifier: BSD-3-Clause
// The balance of exchanges on grids [liu2002, lemmas and theorem 1, corrected]: how much each rank holds after each
// pass, and the lengths of messages, including those to the rank itself.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using Matrix = std::vector<std::vector<double>>;  // [rank][rank], or [rank][target]

Matrix square(Count p) { return Matrix(static_cast<std::size_t>(p), std::vector<double>(static_cast<std::size_t>(p), 0)); }
double& at(Matrix& matrix, Rank i, Rank j) { return matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }
double at(const Matrix& matrix, Rank i, Rank j) { return matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }
double sum(const std::vector<double>& row) { return std::accumulate(row.begin(), row.end(), 0.0); }
double row_sum(const Matrix& matrix, Rank i) { return sum(matrix[static_cast<std::size_t>(i)]); }
double column_sum(const Matrix& matrix, Rank j) {
  double total = 0;
  for (const auto& row : matrix) total += row[static_cast<std::size_t>(j)];
  return total;
}

struct Pass {
  std::string name;
  Matrix messages;  // [from][to]; the diagonal is data that stays
  Matrix held;      // [rank][target], after the pass
};

// Follows every byte from rank to rank through the rounds of a schedule.
class BlockPaths {
 public:
  explicit BlockPaths(const Schedule& schedule) : p_(schedule.problem.ranks) {
    std::vector<Program> programs;
    Matrix held = square(p_);
    const Traffic traffic(schedule.problem);
    for (Rank rank = 0; rank < p_; ++rank) {
      programs.push_back(schedule.program(rank));
      auto& memory = memories_.emplace_back();
      memory[0].reserve(static_cast<std::size_t>(input_bytes(schedule.problem, rank)));
      for (Rank to = 0; to < p_; ++to) {
        memory[0].insert(memory[0].end(), static_cast<std::size_t>(traffic.bytes(rank, to)), to);
        at(held, rank, to) = static_cast<double>(traffic.bytes(rank, to));
      }
      memory[1].resize(static_cast<std::size_t>(output_bytes(schedule.problem, rank)));
      memory[2].resize(static_cast<std::size_t>(programs.back().scratch_bytes));
    }
    for (const Stage& stage : programs[0].stages) {
      Pass pass{stage.name, square(p_), held};
      for (Count number = stage.first_round; number < stage.first_round + stage.round_count; ++number) play(programs, number, pass);
      for (Rank rank = 0; rank < p_; ++rank) at(pass.messages, rank, rank) = row_sum(held, rank) - row_sum(pass.messages, rank);
      held = pass.held;
      passes.push_back(std::move(pass));
    }
  }

  std::vector<Pass> passes;

 private:
  using Targets = std::vector<Rank>;  // the target of each byte

  Targets read(Rank rank, const Regions& regions) const {
    Targets targets;
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        const Targets& buffer = memories_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(region.buffer)];
        targets.insert(targets.end(), buffer.begin() + offset, buffer.begin() + offset + length);
      });
    return targets;
  }

  void write(Rank rank, const Regions& regions, const Targets& targets) {
    auto next = targets.begin();
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        Targets& buffer = memories_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(region.buffer)];
        std::copy(next, next + length, buffer.begin() + offset);
        next += length;
      });
  }

  void play(const std::vector<Program>& programs, Count number, Pass& pass) {
    std::map<std::pair<Rank, Rank>, Targets> under_way;
    std::vector<const Round*> rounds;
    for (const Program& program : programs)
      for (const Round& round : program.rounds)
        if (round.number == number) {
          for (const Local& local : round.locals) write(program.rank, local.target, read(program.rank, local.source));
          for (const Message& message : round.sends) {
            const Targets targets = read(program.rank, message.regions);
            for (const Rank target : targets) {
              --at(pass.held, program.rank, target);
              ++at(pass.held, message.peer, target);
            }
            at(pass.messages, program.rank, message.peer) += static_cast<double>(targets.size());
            under_way[{program.rank, message.peer}] = targets;
          }
        }
    for (const Program& program : programs)
      for (const Round& round : program.rounds)
        if (round.number == number)
          for (const Message& message : round.receives)
            write(program.rank, message.regions, under_way.at({message.peer, program.rank}));
  }

  Count p_;
  std::vector<std::array<Targets, 3>> memories_;
};

struct Setting {
  RankArray array;
  Matrix counts;
  double load;  // L
  BlockPaths trace;

  double incoming(Rank target) const { return column_sum(counts, target); }
  double outgoing(Rank source) const { return row_sum(counts, source); }
  double p() const { return static_cast<double>(array.ranks()); }
};

Setting run(const Problem& problem, Count columns, const std::string& split = "chain") {
  Matrix counts = square(problem.ranks);
  for (Rank from = 0; from < problem.ranks; ++from)
    for (Rank to = 0; to < problem.ranks; ++to) at(counts, from, to) = static_cast<double>(Traffic(problem).bytes(from, to));
  return {RankArray(problem.ranks, columns), counts, static_cast<double>(Traffic(problem).heaviest()),
          BlockPaths(make_schedule(problem, fmt::format("four-stage:columns={},split={},grain=1,counts=known", columns, split)))};
}

std::vector<Rank> feeders(const RankArray& array, Rank rank) {
  std::vector<Rank> list;
  for (Rank other = 0; other < array.ranks(); ++other)
    if (array.relay(other, array.column_of(rank)) == rank) list.push_back(other);
  return list;
}

double feeder_count(const RankArray& array, Rank rank) { return static_cast<double>(feeders(array, rank).size()); }

// Perfect balance: messages and contents as real numbers.
struct Ideal {
  std::array<Matrix, 4> messages;
  std::array<std::vector<double>, 4> contents;
};

Ideal ideal_of(const Setting& setting) {
  const RankArray& array = setting.array;
  const Count p = array.ranks();
  Ideal ideal;
  for (Matrix& matrix : ideal.messages) matrix = square(p);
  for (auto& contents : ideal.contents) contents.assign(static_cast<std::size_t>(p), 0);
  for (Rank rank = 0; rank < p; ++rank) {
    const auto own = static_cast<std::size_t>(rank);
    const auto h = static_cast<double>(array.height(array.column_of(rank)));
    double fed = 0, mine = 0;
    for (const Rank feeder : feeders(array, rank)) {
      fed += setting.outgoing(feeder);
      at(ideal.messages[0], feeder, rank) = h * setting.outgoing(feeder) / setting.p();
    }
    for (Count row = 0; row < array.height(array.column_of(rank)); ++row) {
      const Rank mate = array.rank_at(row, array.column_of(rank));
      at(ideal.messages[1], rank, mate) = fed / setting.p();
      mine += setting.incoming(mate);
      at(ideal.messages[3], rank, mate) = feeder_count(array, rank) * setting.incoming(mate) / setting.p();
    }
    for (const Rank feeder : feeders(array, rank)) at(ideal.messages[2], feeder, rank) = mine / setting.p();
    ideal.contents[0][own] = h * fed / setting.p();
    for (Rank target = 0; target < p; ++target) ideal.contents[1][own] += setting.incoming(target) / setting.p();
    ideal.contents[2][own] = feeder_count(array, rank) * mine / setting.p();
    ideal.contents[3][own] = setting.incoming(rank);
  }
  return ideal;
}

std::vector<Count> valid_columns(Count p) {
  std::vector<Count> list;
  for (Count columns = 2; columns < p; ++columns)  // one row, or one column, has only two passes
    if (RankArray::is_valid(p, columns)) list.push_back(columns);
  return list;
}

Problem random_problem(Count p, Bytes most, Bytes multiple, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Bytes> counts(static_cast<std::size_t>(p * p));
  const bool empty_rows = seed % 2 == 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = empty_rows && (i / static_cast<std::size_t>(p)) % 3 == 0
                    ? 0
                    : static_cast<Bytes>(random() % static_cast<std::uint64_t>(most + 1)) * multiple;
  return Problem::alltoallv(p, std::move(counts));
}

// Lemmas 2 and 3 and theorem 1: if p divides all counts, the balance is perfect.
TEST(FourStage, IsPerfectlyBalancedIfTheRanksDivideAllCounts) {
  for (const Count p : {4, 6, 7, 9, 11, 12, 14, 18, 23})
    for (const Count columns : valid_columns(p))
      for (const char* split : {"chain", "paper"}) {
        SCOPED_TRACE(fmt::format("p={} columns={} split={}", p, columns, split));
        const Setting setting = run(random_problem(p, 2, p, static_cast<std::uint64_t>(p + columns)), columns, split);
        const RankArray& array = setting.array;
        ASSERT_EQ(setting.trace.passes.size(), 4u);
        const Ideal ideal = ideal_of(setting);
        const auto r = static_cast<double>(array.rows()), c = static_cast<double>(columns);
        const double most = std::max(r * c, array.is_ragged() ? (r - 1) * (c + 1) : 0);
        for (std::size_t pass = 0; pass < 4; ++pass) {
          const auto& [name, messages, held] = setting.trace.passes[pass];
          for (Rank x = 0; x < p; ++x) {
            ASSERT_NEAR(row_sum(held, x), ideal.contents[pass][static_cast<std::size_t>(x)], 1e-6) << name << ' ' << x;
            if (pass == 0 || pass == 2) ASSERT_LE(row_sum(held, x), most * setting.load / setting.p() + 1e-6);
            if (pass == 1 || pass == 3) ASSERT_LE(row_sum(held, x), setting.load + 1e-6);
            for (Rank y = 0; y < p; ++y) {
              ASSERT_NEAR(at(messages, x, y), at(ideal.messages[pass], x, y), 1e-6) << name << ' ' << x << ' ' << y;
              if (pass == 1) ASSERT_NEAR(at(held, x, y), setting.incoming(y) / setting.p(), 1e-6) << "lemma 2";
            }
          }
        }
      }
}

struct Excess {
  std::array<double, 4> message{}, content{};
};

Excess excess_of(const Setting& setting) {
  const Ideal ideal = ideal_of(setting);
  Excess excess;
  for (std::size_t pass = 0; pass < 4; ++pass)
    for (Rank x = 0; x < setting.array.ranks(); ++x) {
      excess.content[pass] = std::max(
          excess.content[pass], row_sum(setting.trace.passes[pass].held, x) - ideal.contents[pass][static_cast<std::size_t>(x)]);
      for (Rank y = 0; y < setting.array.ranks(); ++y)
        excess.message[pass] =
            std::max(excess.message[pass], at(setting.trace.passes[pass].messages, x, y) - at(ideal.messages[pass], x, y));
    }
  return excess;
}

// Bounds for the paper's grid and arbitrary counts.
TEST(FourStage, IsOffBalanceByNoMoreThanTheBoundsForAnyCounts) {
  for (const Count p : {4, 5, 7, 9, 13, 18, 20, 25, 31}) {
    const Count columns = RankArray::paper_columns(p);
    const auto n = static_cast<double>(p), c = static_cast<double>(columns);
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      for (const Bytes most : {1, 3, 20}) {
        SCOPED_TRACE(fmt::format("p={} seed={} most={}", p, seed, most));
        const Excess excess = excess_of(run(random_problem(p, most, 1, seed), columns));
        const std::array<double, 4> message{2, 3, 3 * c, n + 2 * c}, content{2 * c + 2, 3 * c + 2, n + 2 * c, 0};
        for (std::size_t pass = 0; pass < 4; ++pass) {
          EXPECT_LE(excess.message[pass], message[pass] + 1e-6) << "pass " << pass;
          EXPECT_LE(excess.content[pass], content[pass] + 1e-6) << "pass " << pass;
        }
      }
  }
}

// The closed forms of the bounds, for every valid grid.
TEST(FourStage, IsOffBalanceByNoMoreThanTheClosedFormsOnAnyGrid) {
  for (Count p = 4; p <= 16; ++p)
    for (const Count columns : valid_columns(p)) {
      const RankArray array(p, columns);
      const auto n = static_cast<double>(p), C = static_cast<double>(columns), R = static_cast<double>(array.rows()),
                 r = static_cast<double>(array.short_row());
      const auto delta = [&](Count column) {
        if (!array.is_ragged()) return 1 - 1 / C;
        return column < array.short_row() ? 2 - (r + 1) * R / n : (R - 1) * (C + r - 1) / n;
      };
      std::array<double, 4> bound{0, 0, 0, n - C};
      for (Rank rank = 0; rank < p; ++rank) {
        const Count column = array.column_of(rank);
        const auto h = static_cast<double>(array.height(column)), w = feeder_count(array, rank);
        bound[0] = std::max(bound[0], delta(column));
        bound[1] = std::max(bound[1], 1 - 1 / h + w * delta(column) / h);
        bound[2] = std::max(bound[2], h - 1 + n * delta(column) / h);
      }
      if (array.is_ragged())
        bound[3] = std::max(n - C + 2 * r * (C - r) / R + R - 1 + n * delta(0) / R, r * (R - 1) + 2 * r * (C - r) * (R - 1) / R);
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        for (const Bytes most : {1, 4}) {
          const Excess excess = excess_of(run(random_problem(p, most, 1, seed), columns));
          for (std::size_t pass = 0; pass < 4; ++pass)
            EXPECT_LE(excess.message[pass], bound[pass] + 1e-6)
                << fmt::format("p={} columns={} seed={} most={} pass={}", p, columns, seed, most, pass);
        }
    }
}

// The start slots of the paper (split=paper) pile data up on few ranks; the chain does not.
TEST(FourStage, ChainBalancesWhereThePapersSplitDoesNot) {
  for (const Count s : {3, 4, 5, 6})
    for (Count d = 0; d < s; d += s - 1) {
      const Count p = s * s;
      std::vector<Bytes> counts(static_cast<std::size_t>(p * p), 0), ones(counts.size(), 1);
      for (Rank i = 0; i < p; ++i)
        for (Rank j = d; j < p; j += s) counts[static_cast<std::size_t>(i * p + j)] = i % s == 0 ? s + 1 : 1;
      const Problem piling = Problem::alltoallv(p, std::move(counts)), flat = Problem::alltoallv(p, std::move(ones));
      const auto excess = [&](const Problem& problem, const char* split) { return excess_of(run(problem, s, split)).message[2]; };
      const auto n = static_cast<double>(p), root = static_cast<double>(s);
      EXPECT_NEAR(excess(piling, "paper"), 2 * n - 2 * root, 1e-6) << p;
      EXPECT_NEAR(excess(piling, "chain"), 0, 1e-6) << p;
      EXPECT_NEAR(excess(flat, "paper"), n - root, 1e-6) << p;
    }
}

TEST(FourStage, HasTheContentsOfTheWorkedExampleOfFiveRanks) {
  std::vector<Bytes> counts(25, 5);
  counts[3] = 40;
  const Setting setting = run(Problem::alltoallv(5, std::move(counts)), 2);
  const auto& [first, second, third, fourth] =
      std::tie(setting.trace.passes[0], setting.trace.passes[1], setting.trace.passes[2], setting.trace.passes[3]);
  for (const auto& [from, to, length] : std::vector<std::tuple<Rank, Rank, double>>{
           {0, 0, 36}, {0, 1, 24}, {1, 0, 15}, {1, 1, 10}, {2, 2, 15}, {2, 3, 10}, {3, 2, 15}, {3, 3, 10}, {4, 1, 10}, {4, 4, 15}})
    EXPECT_EQ(at(first.messages, from, to), length) << from << ' ' << to;
  for (const auto& [from, to, length] :
       std::vector<std::tuple<Rank, Rank, double>>{{1, 1, 22}, {1, 3, 22}, {0, 0, 17}, {0, 2, 17}, {0, 4, 17}})
    EXPECT_EQ(at(second.messages, from, to), length) << from << ' ' << to;
  for (Rank rank = 0; rank < 5; ++rank)
    for (Rank target = 0; target < 5; ++target) EXPECT_EQ(at(second.held, rank, target), target == 3 ? 12 : 5);
  EXPECT_EQ(at(fourth.messages, 1, 3), 36);
  EXPECT_EQ(at(fourth.messages, 3, 3), 24);
}

// A cyclic shift has nearly the largest volume that four passes can have.
TEST(FourStage, NearlyAttainsItsBoundOnVolume) {
  for (const auto& [p, volume] : std::vector<std::pair<Count, Bytes>>{{16, 48}, {18, 74}, {61, 252}, {64, 224}}) {
    std::vector<TrafficEntry> entries;
    for (Rank i = 0; i < p; ++i) entries.push_back({i, (i + 1) % p, p});
    EXPECT_EQ(figures(make_schedule(Problem::alltoallv(p, std::move(entries)), "four-stage:columns=paper,grain=1,counts=known")).c2,
              volume)
        << p;
  }
}

// S and V as the paper counts them: all steps, including messages to the rank itself.
struct Counted {
  Count steps = 0;
  double volume = 0;
  double after_row_hop = 0;  // the largest content after the row pass of collecting
};

Counted counted_with_own(const Problem& problem, const std::string& specification) {
  const Count p = problem.ranks;
  const BlockPaths trace(make_schedule(problem, specification));
  const RankArray array(p, RankArray::paper_columns(p));
  Counted counted;
  for (const Pass& pass : trace.passes) {
    const bool rows = pass.name.find("row") != std::string::npos, columns = pass.name.find("column") != std::string::npos;
    const Count steps = rows ? array.row_steps() + 1 : columns ? array.column_steps() + 1 : p;
    counted.steps += steps;
    for (Count step = 1; step <= steps; ++step) {
      double longest = 0;
      for (Rank rank = 0; rank < p; ++rank) {
        const std::optional<Rank> to = rows      ? array.row_receiver(rank, step)
                                       : columns ? array.column_receiver(rank, step)
                                                 : (rank + step) % p;
        if (to) longest = std::max(longest, at(pass.messages, rank, *to));
      }
      counted.volume += longest;
    }
    if (pass.name == "collect along rows")
      for (Rank rank = 0; rank < p; ++rank) counted.after_row_hop = std::max(counted.after_row_hop, row_sum(pass.held, rank));
  }
  return counted;
}

TEST(FourStage, HasTheStepsAndTheVolumeOfTheAnalysis) {
  const auto expect = [](const Problem& problem, const char* specification, Count steps, double volume) {
    const Counted counted = counted_with_own(problem, specification);
    EXPECT_EQ(counted.steps, steps) << specification;
    EXPECT_EQ(counted.volume, volume) << specification;
    return counted;
  };
  const Problem square = make_traffic(64, {.kind = TrafficKind::transpose, .most = 1024});
  expect(square, "shift", 64, 15360);
  expect(square, "two-phase:grain=1,counts=known", 128, 2048);
  EXPECT_EQ(expect(square, "grid:columns=paper,counts=known", 16, 16384).after_row_hop, 8192);
  EXPECT_EQ(expect(square, "four-stage:columns=paper,grain=1,counts=known", 32, 4096).after_row_hop, 1024);
  const Problem ragged = make_traffic(61, {.kind = TrafficKind::transpose, .most = 976});
  expect(ragged, "shift", 61, 20496);
  expect(ragged, "two-phase:grain=1,counts=known", 122, 1952);
  expect(ragged, "grid:columns=paper,counts=known", 17, 16592);
  expect(ragged, "four-stage:columns=paper,grain=1,counts=known", 34, 4576);
  const Problem uniform = make_traffic(64, {.kind = TrafficKind::equal, .typical = 16});
  expect(uniform, "shift", 64, 1024);
  expect(uniform, "two-phase:grain=1,counts=known", 128, 2048);
  expect(uniform, "grid:columns=paper,counts=known", 16, 2048);
  expect(uniform, "four-stage:columns=paper,grain=1,counts=known", 32, 4096);
}

// The passes under perfect balance, dimension by dimension, as real numbers; messages to the rank itself are included.
std::vector<Pass> ideal_passes(const Problem& problem, const std::vector<Count>& sides) {
  const Count p = problem.ranks;
  Matrix held = square(p);
  for (Rank from = 0; from < p; ++from)
    for (const Share& share : Traffic(problem).sent_by(from)) at(held, from, share.peer) = static_cast<double>(share.bytes);
  std::vector<Pass> passes;
  for (const bool deals : {true, false}) {
    Count stride = 1;
    for (auto side = sides.rbegin(); side != sides.rend(); stride *= *side, ++side) {
      const auto coordinate = [&](Rank rank) { return rank / stride % *side; };
      Pass pass{"", square(p), square(p)};
      for (Rank x = 0; x < p; ++x)
        for (Rank target = 0; target < p; ++target)
          for (Count c = 0; c < *side; ++c) {
            if (!deals && c != coordinate(target)) continue;
            const Rank y = x + (c - coordinate(x)) * stride;
            const double part = at(held, x, target) / (deals ? static_cast<double>(*side) : 1);
            at(pass.messages, x, y) += part;
            at(pass.held, y, target) += part;
          }
      held = pass.held;
      passes.push_back(std::move(pass));
    }
  }
  return passes;
}

// If p divides the counts, the balance is exact. For other counts, the chain rounds once for each rank and pass. So dealing along a
// dimension of length N leaves a rank at most N - 1 units above an even share, for any run of targets. Collecting along a dimension
// of length N adds up N such errors.
TEST(FourStage, IsBalancedInAnyNumberOfDimensions) {
  for (const std::vector<Count>& sides :
       std::vector<std::vector<Count>>{{2, 2, 2}, {2, 3, 2}, {3, 2, 4}, {2, 2, 2, 2}, {3, 3, 3}, {5, 4}, {7}}) {
    const Count p = std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>());
    const std::string text = fmt::format("{}", fmt::join(sides, "x"));
    for (const Bytes multiple : {Bytes{1}, p})
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        SCOPED_TRACE(fmt::format("{} counts that are multiples of {}", text, multiple));
        const Problem problem = random_problem(p, 3, multiple, seed);
        const std::vector<Pass> ideal = ideal_passes(problem, sides);
        const BlockPaths trace(make_schedule(problem, fmt::format("four-stage:sides={},grain=1,counts=known", text)));
        ASSERT_EQ(trace.passes.size(), ideal.size());
        double above = 0;  // bound on the units that a rank holds above an even share
        for (std::size_t pass = 0; pass < ideal.size(); ++pass) {
          const bool deals = pass < sides.size();
          const auto side = static_cast<double>(sides[sides.size() - 1 - pass % sides.size()]);
          const double message_above = deals ? above / side + 1 : above;
          above = deals ? above + side - 1 : above * side;
          const double tolerance = multiple == p ? 0 : 1;
          for (Rank x = 0; x < p; ++x)
            for (Rank y = 0; y < p; ++y) {
              ASSERT_LE(at(trace.passes[pass].messages, x, y), at(ideal[pass].messages, x, y) + tolerance * message_above + 1e-6);
              if (multiple == p) ASSERT_NEAR(at(trace.passes[pass].held, x, y), at(ideal[pass].held, x, y), 1e-6) << pass;
            }
          for (Rank x = 0; x < p && pass + 1 < ideal.size(); ++x)
            ASSERT_LE(row_sum(trace.passes[pass].held, x), row_sum(ideal[pass].held, x) + tolerance * above + 1e-6) << pass;
        }
      }
  }
}

// Each message of the first phase exceeds 1/p of all data of its sender by at most (p - 1) / 2 bytes. The same holds in the second
// phase for all data of its receiver.
TEST(TwoPhase, IsOffBalanceByNoMoreThanHalfTheRanks) {
  for (const Count p : {2, 3, 4, 6, 9, 13})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Problem problem = random_problem(p, 5, 1, seed);
      const BlockPaths trace(make_schedule(problem, "two-phase:grain=1,counts=known"));
      const Traffic traffic(problem);
      const auto n = static_cast<double>(p);
      for (Rank x = 0; x < p; ++x)
        for (Rank y = 0; y < p; ++y) {
          EXPECT_LE(at(trace.passes[0].messages, x, y), static_cast<double>(traffic.sent_bytes(x)) / n + (n - 1) / 2 + 1e-9);
          EXPECT_LE(at(trace.passes[1].messages, x, y), static_cast<double>(traffic.received_bytes(y)) / n + (n - 1) / 2 + 1e-9);
        }
    }
}

// Attains the bound of the test above.
TEST(TwoPhase, CanBeOffBalanceByHalfTheRanks) {
  for (const Count p : {2, 3, 5, 8, 13}) {
    std::vector<TrafficEntry> entries;
    double total = 0;
    for (Rank to = 0; to < p; ++to) {
      entries.push_back({0, to, (p - to) % p + 1});
      total += static_cast<double>((p - to) % p + 1);
    }
    const BlockPaths trace(make_schedule(Problem::alltoallv(p, std::move(entries)), "two-phase:grain=1,counts=known"));
    EXPECT_NEAR(at(trace.passes[0].messages, 0, 0) - total / static_cast<double>(p), static_cast<double>(p - 1) / 2, 1e-9);
  }
}

}  // namespace
}  // namespace quadrille
