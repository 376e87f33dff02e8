// SPDX-License-Identifier: BSD-3-Clause
// Sessions that a program runs on threads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <set>

#include "quadrille/groups.hpp"
#include "quadrille/tune.hpp"
#include "support/own_wisdom.hpp"
#include "support/simulated_time.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

// Options that take little time.
TuneOptions quick(std::vector<Collective> collectives, std::vector<Bytes> sizes = {8}) {
  return {.collectives = std::move(collectives), .sizes = std::move(sizes), .seconds_per_cell = 0.001, .ways = 2};
}

class Session : public OwnWisdom {
 protected:
  void SetUp() override {
    OwnWisdom::SetUp();
    keep_wisdom_in(file());
  }

  const SimulatedTime time_{1};  // of measurements, too; the ranks share a core, as those with cores of their own spin

  std::string file() const { return (place_ / "own.wisdom").string(); }
  Wisdom kept() const { return read_any_wisdom(file()); }

  // Returns the result of rank 0.
  static TuneResult tuned(const TuneOptions& options, Count ranks = 2) {
    TuneResult result;
    run_threads(ranks, [&](Communicator& communicator) {
      TuneResult mine = tune(communicator, options);
      if (communicator.rank() == 0) result = std::move(mine);
    });
    return result;
  }

  static std::string refusal(const TuneOptions& options, Count ranks = 2) {
    std::string sentence;
    std::mutex mutex;
    run_threads(ranks, [&](Communicator& communicator) {
      try {
        tune(communicator, options);
      } catch (const Error& error) {
        const std::lock_guard lock(mutex);
        EXPECT_EQ(error.code(), ErrorCode::misuse);
        if (sentence.empty() || communicator.rank() == 0) sentence = error.what();
      }
    });
    return sentence;
  }
};

std::multiset<CellState> states(const TuneResult& result) {
  std::multiset<CellState> all;
  for (const TuneCell& cell : result.cells) all.insert(cell.state);
  return all;
}

using States = std::multiset<CellState>;

TEST_F(Session, KeepsItsResultsAndTheNextOneContinues) {
  const TuneResult first = tuned(quick({Collective::barrier, Collective::gather}));
  EXPECT_EQ(states(first), (States{CellState::measured, CellState::measured}));
  EXPECT_EQ(first.ranks, 2);
  EXPECT_EQ(first.file, file());
  EXPECT_FALSE(first.wrong_data || first.out_of_time);
  EXPECT_EQ(first.stopped, 0);
  const Wisdom wisdom = kept();
  ASSERT_EQ(wisdom.records.size(), 2u);
  EXPECT_FALSE(wisdom.executors.empty()) << "prices are fitted first";
  for (const TuneCell& cell : first.cells) {
    ASSERT_FALSE(cell.record.entries.empty());
    EXPECT_EQ(cell.record.situation, cell.situation());
    EXPECT_EQ(wisdom.find(cell.situation())->entries.size(), cell.record.entries.size());
  }

  const TuneResult second = tuned(quick({Collective::barrier, Collective::gather}, {8, 64}));
  EXPECT_EQ(states(second), (States{CellState::known, CellState::known, CellState::measured}));
  EXPECT_FALSE(second.cells[0].record.entries.empty()) << "known cells have their records, too";
  TuneOptions again = quick({Collective::barrier});
  again.again = true;
  EXPECT_EQ(states(tuned(again)), States{CellState::measured});
  EXPECT_EQ(kept().records.size(), 3u);
}

TEST_F(Session, MeasuresUntilEnoughLaunchesHave) {
  TuneOptions twice = quick({Collective::gather});
  twice.launches = 2;
  std::vector<std::string> found;
  for (const TuneOptions& options : {quick({Collective::gather}), twice, twice}) {
    const TuneCell cell = tuned(options).cells.at(0);
    found.push_back(fmt::format("{} {}", cell.state == CellState::measured ? "measured" : "known", cell.record.races.size()));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"measured 1", "measured 2", "known 2"}));
}

TEST_F(Session, MeasuresAgainWhatIsTooOld) {
  tuned(quick({Collective::gather}));
  Wisdom old = kept();
  for (WisdomRace& race : old.records.at(0).races) race.date = "2020-01-01";
  old.records[0].date = "2020-01-01";
  std::ofstream(file()) << wisdom_text(old);
  TuneOptions options = quick({Collective::gather});
  options.days = 1'000'000;
  EXPECT_EQ(states(tuned(options)), States{CellState::known});
  options.days = 90;
  EXPECT_EQ(states(tuned(options)), States{CellState::measured});
}

// The wisdom has times of executor mpi only, as after a session for that executor alone.
TEST_F(Session, MeasuresAgainIfAnExecutorIsMissing) {
  const TuneOptions options = quick({Collective::gather});
  tuned(options);
  Wisdom partial = kept();
  WisdomRace& first = partial.records.at(0).races.at(0);
  for (WisdomEntry& entry : first.entries) entry.way.executor = Executor::mpi;
  first.others = 1;  // marked as disturbed: else the second race would not count if other programs disturb it
  std::ofstream(file()) << wisdom_text(partial);
  EXPECT_EQ(states(tuned(options)), States{CellState::measured});
  const Wisdom both = kept();
  ASSERT_EQ(both.records.at(0).races.size(), 2u);
  for (const WisdomEntry& entry : both.records[0].races[1].entries) EXPECT_EQ(entry.way.executor, Executor::shared);
  EXPECT_EQ(states(tuned(options)), States{CellState::known});
}

TEST_F(Session, MeasuresCountsThatAllRanksKnowAndOwnOnes) {
  const TuneResult result = tuned(quick({Collective::alltoallv}));
  EXPECT_EQ(result.count(CellState::measured) + result.count(CellState::known), 6u);
  std::set<bool> known;
  for (const WisdomRecord& record : kept().records) known.insert(record.situation.counts_known);
  EXPECT_EQ(known.size(), 2u);
}

TEST_F(Session, ReportsItsProgressOnRank0) {
  TuneOptions options = quick({Collective::gather}, {8, 64});
  std::vector<std::string> told;
  options.begin = [&](std::size_t open, std::size_t cells) { told.push_back(fmt::format("{} of {}", open, cells)); };
  options.progress = [&](const TuneProgress& progress) {
    EXPECT_EQ(progress.cell != nullptr, progress.work == TuneProgress::racing);
    const std::string now = progress.cell ? fmt::format("{} of {}: {} B{}", progress.number, progress.cells, progress.cell->size,
                                                        progress.seconds_left ? ", left" : "")
                                          : "fits";
    if (told.back() != now) told.push_back(now);
    if (!progress.cell) return;
    EXPECT_GT(progress.ways, 0u);
    EXPECT_LT(progress.repetition, progress.repetitions);
  };
  options.wrong = [](const TuneCell&, const std::string& sentence) { ADD_FAILURE() << sentence; };
  tuned(options);
  EXPECT_EQ(told, (std::vector<std::string>{"2 of 2", "fits", "1 of 2: 8 B", "2 of 2: 64 B, left"}));
}

TEST_F(Session, EndsWhenAnyRankWantsToStop) {
  std::atomic<int> asked = 0;
  TuneOptions options = quick({Collective::gather}, {8, 64});
  options.stop = [&] { return ++asked > 3 && asked % 3 == 0 ? 15 : 0; };  // one of three ranks, before the second cell
  const TuneResult result = tuned(options, 3);
  EXPECT_EQ(states(result), (States{CellState::open, CellState::measured}));
  EXPECT_EQ(result.stopped, 15);
  EXPECT_EQ(kept().records.size(), 1u) << "what was measured is kept";
}

TEST_F(Session, EndsWhenItsTimeIsOver) {
  TuneOptions options = quick({Collective::gather});
  options.seconds = 0.001;  // less than the fits take
  const TuneResult result = tuned(options);
  EXPECT_EQ(states(result), States{CellState::open});
  EXPECT_TRUE(result.out_of_time);
  options.seconds = 1000;
  EXPECT_EQ(states(tuned(options)), States{CellState::measured});
}

TEST_F(Session, LeavesOutWhatIsTooLarge) {
  const TuneResult result = tuned(quick({Collective::gather}, {8, Bytes{1} << 46}));
  EXPECT_EQ(states(result), (States{CellState::measured, CellState::left_out}));
  for (const TuneCell& cell : result.cells) EXPECT_EQ(cell.reason.empty(), cell.state == CellState::measured) << cell.reason;
}

TEST_F(Session, RefusesOptionsOutOfRangeOnAllRanks) {
  const auto refused = [](const auto& change) {
    TuneOptions options = quick({Collective::barrier});
    change(options);
    return refusal(options);
  };
  EXPECT_THAT(refused([](TuneOptions& options) { options.launches = 0; }), HasSubstr("launches is from 1 to 8"));
  EXPECT_THAT(refused([](TuneOptions& options) { options.launches = 9; }), HasSubstr("launches is from 1 to 8"));
  EXPECT_EQ(refused([](TuneOptions& options) { options.launches = 8, options.seconds = 1e-9; }), "");
  EXPECT_THAT(refused([](TuneOptions& options) { options.seconds_per_cell = 0; }), HasSubstr("0 seconds"));
  EXPECT_THAT(refused([](TuneOptions& options) { options.ways = 0; }), HasSubstr("one way"));
  EXPECT_THAT(refused([](TuneOptions& options) { options.days = -1; }), HasSubstr("-1 days"));
  EXPECT_THAT(refused([](TuneOptions& options) { options.executors = {Executor::automatic}; }), HasSubstr("leave the list empty"));
  EXPECT_THAT(refused([](TuneOptions& options) { options.vendor = true; }), HasSubstr("MPI"));
  EXPECT_THAT(refusal(quick({Collective::barrier}), 1), HasSubstr("a single rank has nothing to choose"));
}

TEST_F(Session, RefusesIfNothingCanBeStored) {
  keep_wisdom_in("off");
  EXPECT_THAT(refusal(quick({Collective::barrier})), HasSubstr("no place to keep wisdom"));
  std::ofstream(file()) << "no wisdom at all\n";
  keep_wisdom_in(file());
  EXPECT_THAT(refusal(quick({Collective::barrier})), HasSubstr("own.wisdom"));
  keep_wisdom_in(file() + "/below");
  EXPECT_THAT(refusal(quick({Collective::barrier})), HasSubstr("cannot be"));
}

}  // namespace
}  // namespace quadrille
