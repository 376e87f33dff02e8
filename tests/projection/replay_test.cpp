// SPDX-License-Identifier: BSD-3-Clause
// Replays of made programs: random ones compared with full simulations of each call, and small ones whose times are known.
#include "projection/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "projection/call_problem.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/vendor_choice.hpp"
#include "support/made_recording.hpp"

namespace quadrille::projection {
namespace {

using testing::MadeRecording;

// One port, so that exits are exactly those of a simulation by events.
MachineCosts one_port() {
  MachineCosts machine{.name = "one port", .description = "made up", .source = "none"};
  machine.models["linear"] = {{"startup_us", 5}, {"transfer_us_per_byte", 0.01}, {"ports", 1}};
  return machine;
}

ProjectionOptions options_on(const MachineCosts& machine) { return {.machine = machine, .vendor = "openmpi"}; }

double part(const RankTimes& times, ProjectedPart part) { return times.parts[static_cast<std::size_t>(part)]; }

// A random program: calls in an order in which they could happen, each on one communicator.
struct RandomProgram {
  struct Call {
    std::size_t communicator;
    std::uint32_t site;
    std::vector<double> gaps_us;  // of the members
  };
  MadeRecording recording{6};
  std::vector<std::vector<Rank>> members{{0, 1, 2, 3, 4, 5}, {0, 2, 4}, {5, 3, 1}, {1, 2, 3, 4}};
  std::vector<Call> calls;

  explicit RandomProgram(unsigned seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
    for (std::size_t i = 1; i < members.size(); ++i) recording.communicator(members[i]);
    std::vector<std::vector<std::uint32_t>> sites(members.size());
    for (std::size_t on = 0; on < members.size(); ++on)
      for (const RecordedSite& site :
           {RecordedSite{.function = "Alltoall", .block_bytes = 100},
            RecordedSite{.function = "Bcast", .root = 1, .block_bytes = 3000},
            RecordedSite{.function = "Allreduce", .type_bytes = 8, .block_bytes = 80},
            RecordedSite{.function = "Gather", .root = 2, .block_bytes = 40}, RecordedSite{.function = "Barrier"}}) {
        RecordedSite own = site;
        own.communicator = on;
        sites[on].push_back(recording.site(own));
      }
    for (int i = 0; i < 60; ++i) {
      const std::size_t on = draw(members.size());
      Call call{on, sites[on][draw(sites[on].size())], {}};
      for (const Rank rank : members[on]) {
        call.gaps_us.push_back(static_cast<double>(draw(200)));
        recording.add(rank, call.site, {.gap_us = call.gaps_us.back(), .duration_us = 1});
      }
      calls.push_back(std::move(call));
    }
  }
};

// Exits of one call by a simulation of all its messages whose ranks begin at the entries, at the price's pace.
std::vector<double> simulated_exits(const Recording& recording, const RandomProgram::Call& call, const std::vector<double>& entries,
                                    bool is_vendor) {
  const std::vector<std::uint32_t> sites(entries.size(), call.site);
  const Problem problem = *problem_of_call(recording, sites, std::vector<Count>(entries.size(), 0));
  const MachineCosts machine = one_port();
  const MachinePrices prices(machine);
  const Choice choice = is_vendor ? *vendor_equivalent("openmpi", problem, *vendor_algorithm("openmpi", problem))
                                  : std::get<Choice>(prices.decide(problem).chosen.algorithm);
  const Schedule schedule = make_schedule(problem, choice);
  const Policy policy = prices.price(problem, choice).policy;
  const MessageTimes times = message_times(*find_model("linear"), machine);
  const double pace = prices.price(problem, choice).seconds / seconds_of(simulate_events(schedule, times, {.policy = policy}).end);
  const double first = *std::min_element(entries.begin(), entries.end());
  std::vector<Picoseconds> begins;
  for (const double entry : entries) begins.push_back(std::llround((entry - first) / pace * 1e12));
  std::vector<double> exits;
  for (const Picoseconds end : simulate_events(schedule, times, {.policy = policy, .rank_begins = begins}).rank_ends)
    exits.push_back(first + pace * seconds_of(end));
  return exits;
}

TEST(Replay, AgreesWithSimulationsOfAllCalls) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    const RandomProgram program(seed);
    const Recording recording = program.recording.made();
    std::vector<std::vector<double>> gaps(6);  // as recorded, in steps
    for (std::size_t rank = 0; rank < 6; ++rank) {
      RecordedCalls calls(recording.ranks[rank]);
      while (const auto call = calls.next()) gaps[rank].push_back(call->gap_s);
    }
    const ProjectionOptions options = options_on(one_port());
    CallPrices prices(recording, options);
    const Replayed replayed = replay(recording, options, prices);
    EXPECT_EQ(replayed.calls, 60);
    EXPECT_TRUE(replayed.stuck.empty());
    for (const bool is_vendor : {true, false}) {
      std::vector<double> now(6, 0);
      std::vector<std::size_t> next(6, 0);
      std::map<std::uint32_t, int> made;  // calls by site; here each site is a kind of its own
      for (const RandomProgram::Call& call : program.calls) {
        const std::vector<Rank>& members = program.members[call.communicator];
        std::vector<double> entries;
        for (const Rank rank : members) entries.push_back(now[index(rank)] + gaps[index(rank)][next[index(rank)]++]);
        const bool is_early = ++made[call.site] <= 3;  // the library's on both sides
        const std::vector<double> exits = simulated_exits(recording, call, entries, is_vendor || is_early);
        for (std::size_t i = 0; i < members.size(); ++i) now[index(members[i])] = exits[i];
      }
      for (std::size_t rank = 0; rank < 6; ++rank) {
        const RankTimes& times = replayed.ranks[is_vendor ? 0 : 1][rank];
        EXPECT_NEAR(times.now_s, now[rank], 1e-9) << "seed " << seed << ", rank " << rank << (is_vendor ? ", vendor" : ", ours");
        double sum = 0;
        for (const double each : times.parts) sum += each;
        EXPECT_NEAR(sum, times.now_s, 1e-9);
      }
    }
  }
}

// Programs of four ranks with one kind of call.
class KnownPrograms : public ::testing::Test {
 protected:
  const Replayed& replayed(const ProjectionOptions& options) {
    recording_ = program_.made();
    options_ = options;
    prices_.emplace(recording_, options_);
    return replayed_ = replay(recording_, options_, *prices_);
  }
  const Replayed& replayed() { return replayed(options_on(one_port())); }
  double price_s() const { return prices_->calls().front().priced->by[0]->price.seconds; }

  MadeRecording program_{4};
  const RecordedSite reduction_{.function = "Allreduce", .type_bytes = 8, .block_bytes = 8};
  Recording recording_;
  ProjectionOptions options_;
  std::optional<CallPrices> prices_;
  Replayed replayed_;
};

TEST_F(KnownPrograms, EqualGapsLetNobodyWait) {
  const auto site = program_.site(reduction_);
  for (int call = 0; call < 10; ++call)
    for (Rank rank = 0; rank < 4; ++rank) program_.add(rank, site, {.gap_us = 300, .duration_us = 77});
  for (const RankTimes& times : replayed().ranks[0]) {
    EXPECT_NEAR(part(times, ProjectedPart::waiting), 0, 1e-12);
    EXPECT_NEAR(part(times, ProjectedPart::collectives), 10 * price_s(), 1e-12);
    EXPECT_NEAR(part(times, ProjectedPart::computing), 3e-3, 1e-4);
  }
}

TEST_F(KnownPrograms, OneLateRankLetsTheOthersWait) {
  const auto site = program_.site(reduction_);
  for (int call = 0; call < 10; ++call)
    for (Rank rank = 0; rank < 4; ++rank) program_.add(rank, site, {.gap_us = rank == 2 ? 900.0 : 300.0});
  const auto& ranks = replayed().ranks[1];
  const double late = part(ranks[2], ProjectedPart::computing) - part(ranks[0], ProjectedPart::computing);
  EXPECT_NEAR(late, 6e-3, 5e-4);
  // What rank 0 does with rank 1 meanwhile is no waiting; it takes less than one message.
  EXPECT_LE(part(ranks[0], ProjectedPart::waiting), late);
  EXPECT_GE(part(ranks[0], ProjectedPart::waiting), late - 10 * 5e-6);
  EXPECT_NEAR(part(ranks[2], ProjectedPart::waiting), 0, 1e-12);
  ProjectionOptions evenly = options_on(one_port());
  evenly.without_late_ranks = true;
  for (const RankTimes& times : replayed(evenly).ranks[1]) {
    EXPECT_NEAR(part(times, ProjectedPart::waiting), 0, 1e-12);
    EXPECT_NEAR(part(times, ProjectedPart::computing), 4.5e-3, 3e-4);
  }
}

TEST_F(KnownPrograms, ComputingHidesNonblockingCalls) {
  const RecordedSite like{.kind = RecordedKind::start, .function = "Iallreduce", .type_bytes = 8, .block_bytes = 8};
  RecordedSite waiting = like;
  waiting.kind = RecordedKind::completion;
  const auto start = program_.site(like), completion = program_.site(waiting);
  for (Rank rank = 0; rank < 4; ++rank) {
    program_.add(rank, start, {.gap_us = 100});
    program_.add(rank, completion, {.gap_us = 1000, .duration_us = 5});  // hidden
    program_.add(rank, start);
    program_.add(rank, start);
    program_.add(rank, completion);  // the first of both
    program_.add(rank, completion);
  }
  for (const RankTimes& times : replayed().ranks[0]) EXPECT_NEAR(part(times, ProjectedPart::collectives), price_s(), 1e-12);
  EXPECT_EQ(replayed().calls, 3);
  EXPECT_LT(price_s(), 1e-3);
}

TEST_F(KnownPrograms, MessagesAndCommunicatorsTakeWhatWasRecorded) {
  const auto messages = program_.site({.kind = RecordedKind::point_to_point});
  const auto making = program_.site({.kind = RecordedKind::making, .function = "Intercomm_create"});
  const auto others = program_.site({.kind = RecordedKind::others});
  program_.communicator({0, -1});
  const auto abroad = program_.site({.function = "Barrier", .communicator = 1});
  program_.add(0, messages, {.gap_us = 10, .duration_us = 20, .away_us = 40});
  program_.add(0, making, {.duration_us = 80});
  program_.add(0, others, {.duration_us = 160});
  program_.add(0, abroad, {.duration_us = 320});
  const RankTimes& times = replayed().ranks[0][0];
  EXPECT_NEAR(part(times, ProjectedPart::computing), 10e-6, 0.3e-6);
  EXPECT_NEAR(part(times, ProjectedPart::point_to_point), 20e-6, 0.6e-6);
  EXPECT_NEAR(part(times, ProjectedPart::other), 120e-6, 4e-6);
  EXPECT_NEAR(part(times, ProjectedPart::collectives), 480e-6, 15e-6);
  EXPECT_EQ(replayed_.unmatched[abroad].calls, 1);
}

// Who comes last to the making of a communicator waits for nobody there; its time was recorded without waiting.
TEST_F(KnownPrograms, MakingACommunicatorIsWaitingForOthers) {
  const auto site = program_.site({.kind = RecordedKind::making, .function = "Comm_split"});
  for (Rank rank = 0; rank < 4; ++rank)
    program_.add(rank, site, {.gap_us = rank == 3 ? 500.0 : 100.0, .duration_us = rank == 3 ? 20.0 : 420.0});
  const Replayed& found = replayed();
  EXPECT_EQ(found.calls, 0);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_NEAR(part(found.ranks[0][rank], ProjectedPart::other), 20e-6, 1e-6);
    EXPECT_NEAR(part(found.ranks[0][rank], ProjectedPart::waiting), rank == 3 ? 0 : 400e-6, 25e-6);
    EXPECT_EQ(part(found.ranks[0][rank], ProjectedPart::collectives), 0);
  }
}

TEST_F(KnownPrograms, RanksWithoutFurtherEntriesStopTheReplay) {
  const auto site = program_.site(reduction_);
  for (int call = 0; call < 5; ++call)
    for (Rank rank = 0; rank < 4; ++rank)
      if (rank != 3 || call < 2) program_.add(rank, site, {.gap_us = 10});
  EXPECT_EQ(replayed().calls, 2);
  EXPECT_EQ(replayed_.stuck, (std::vector<Rank>{0, 1, 2}));
  EXPECT_EQ(replayed_.missed, (std::vector<Rank>{3}));
}

// Ranks compute 1, 2, 3 and 6 units on two cores. Until 2 they get half a core each, then two thirds, and so on: 2, 3.5, 4.5, 7.5.
TEST_F(KnownPrograms, RanksShareCores) {
  const auto site = program_.site({.kind = RecordedKind::making, .function = "Finalize"});
  for (Rank rank = 0; rank < 4; ++rank)
    program_.add(rank, site, {.gap_us = rank == 3 ? 6000.0 : 1000 * static_cast<double>(rank + 1)});
  ProjectionOptions options = options_on(one_port());
  options.total_cores = 2;
  constexpr double expected_ms[] = {2, 3.5, 4.5, 7.5};
  for (const auto& ranks : replayed(options).ranks)
    for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_NEAR(ranks[rank].now_s * 1e3, expected_ms[rank], 0.2) << rank;
}

TEST_F(KnownPrograms, EnoughCoresChangeNothing) {
  const RandomProgram program(5);
  const Recording recording = program.recording.made();
  ProjectionOptions options = options_on(one_port());
  CallPrices prices(recording, options), shared_prices(recording, options);
  const Replayed free = replay(recording, options, prices);
  options.total_cores = 5;  // of six, and one always waits for another at the first exchange
  const Replayed shared = replay(recording, options, shared_prices);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    EXPECT_GE(shared.ranks[0][rank].now_s, free.ranks[0][rank].now_s - 1e-9);
    EXPECT_LE(shared.ranks[0][rank].now_s, 1.25 * free.ranks[0][rank].now_s);
  }
  EXPECT_EQ(shared.calls, free.calls);
}

// The pieces of a rank by one side follow each other without gaps, and their sums are its parts.
TEST(Pieces, MakeUpTheTimesOfAllRanks) {
  for (const Count cores : {0, 4}) {
    const RandomProgram program(6);
    const Recording recording = program.recording.made();
    ProjectionOptions options = options_on(one_port());
    options.total_cores = cores;
    BySide<std::vector<RankTimes>> sums;
    for (auto& side : sums) side.resize(6);
    options.pieces.watch = [&](const ProjectedPiece& piece) {
      RankTimes& sum = sums[static_cast<std::size_t>(piece.side)][index(piece.rank)];
      EXPECT_EQ(piece.begin_s, sum.now_s);
      EXPECT_GT(piece.end_s, piece.begin_s);
      const bool is_call = piece.part == ProjectedPart::collectives;
      EXPECT_EQ(piece.algorithm.empty(), !piece.site || piece.last_rank < 0);
      if (is_call) EXPECT_FALSE(piece.algorithm.empty());
      sum.parts[static_cast<std::size_t>(piece.part)] += piece.end_s - piece.begin_s;
      sum.now_s = piece.end_s;
    };
    CallPrices prices(recording, options);
    const Replayed replayed = replay(recording, options, prices);
    for (std::size_t side = 0; side < sides; ++side)
      for (std::size_t rank = 0; rank < 6; ++rank) {
        EXPECT_EQ(sums[side][rank].now_s, replayed.ranks[side][rank].now_s);
        for (std::size_t part = 0; part < projected_parts; ++part)
          EXPECT_NEAR(sums[side][rank].parts[part], replayed.ranks[side][rank].parts[part], 1e-12);
      }
  }
}

// Three calls, with gaps of 100 us before them. The second and the third begin in the window from 90 us to 250 us.
TEST_F(KnownPrograms, PiecesOfAWindowAreThoseRecordedThen) {
  const auto site = program_.site(reduction_);
  for (int call = 0; call < 3; ++call)
    for (Rank rank = 0; rank < 4; ++rank) program_.add(rank, site, {.gap_us = rank == 3 ? 110.0 : 100.0});
  ProjectionOptions options = options_on(one_port());
  std::map<Rank, int> computed;
  options.pieces = {.watch =
                        [&](const ProjectedPiece& piece) {
                          if (piece.part == ProjectedPart::computing) ++computed[piece.rank];
                          if (piece.part == ProjectedPart::waiting) EXPECT_EQ(piece.last_rank, 3);
                        },
                    .from_s = 90e-6,
                    .to_s = 250e-6};
  replayed(options);
  EXPECT_EQ(computed, (std::map<Rank, int>{{0, 4}, {1, 4}, {2, 4}, {3, 4}})) << "of two calls, by both sides";
}

}  // namespace
}  // namespace quadrille::projection
