// SPDX-License-Identifier: BSD-3-Clause
// Pooling the races of several launches, and merging files with equal and different launches.
#include "tune/wisdom/wisdom_pool.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "support/wisdom_samples.hpp"

namespace quadrille {
namespace {

using namespace testing;

constexpr const char* noon = "12:00:00.000";
const Situation cell = situation(64, 4);

WisdomRace race(const std::vector<WisdomEntry>& entries, const std::string& time, const std::string& date = "2026-11-22") {
  return {.date = date, .time = time, .repetitions = 10, .entries = entries};
}

Wisdom of(std::vector<WisdomRace> races) {
  Wisdom wisdom{machine, {}, {}, {}};
  wisdom.add({.situation = cell, .races = std::move(races)});
  return wisdom;
}

const WisdomRecord& only(const Wisdom& wisdom) { return wisdom.records.at(0); }

double microseconds(const Wisdom& wisdom, const std::string& algorithm) {
  for (const WisdomEntry& each : only(wisdom).entries)
    if (specification(each.way.algorithm) == algorithm) return each.timing.median_s * 1e6;
  return 0;
}

TEST(WisdomPool, WithOneLaunchIsThatLaunch) {
  const Wisdom wisdom = of({race({entry("shift", 3), entry("direct", 2)}, noon)});
  EXPECT_EQ(only(wisdom).entries, (std::vector{entry("direct", 2), entry("shift", 3)}));
  EXPECT_EQ(only(wisdom).repetitions, 10);
  EXPECT_EQ(only(wisdom).date, "2026-11-22");
}

// The times are like those of a broadcast by `chain` with more ranks than cores: fast in some launches, slow in others.
TEST(WisdomPool, PrefersASteadyWayToOneThatIsFastInOneLaunch) {
  Wisdom wisdom = of({race({entry("shift", 13.9), entry("direct", 25)}, noon)});
  EXPECT_EQ(only(wisdom).entries.front().way.algorithm, parse_candidate(Collective::alltoall, "shift"));
  wisdom.merge(of({race({entry("direct", 27), entry("shift", 66)}, "13:00:00.000")}));
  const WisdomRecord& both = only(wisdom);
  EXPECT_EQ(both.entries.front().way.algorithm, parse_candidate(Collective::alltoall, "direct"));
  EXPECT_NEAR(both.entries[0].timing.median_s, 26e-6, 1e-12);
  EXPECT_NEAR(both.entries[0].timing.lower_s, 12.5e-6, 1e-12) << "the interval spans the launches";
  EXPECT_NEAR(both.entries[0].timing.upper_s, 54e-6, 1e-12);
  EXPECT_NEAR(both.entries[1].timing.median_s, 39.95e-6, 1e-12);
  EXPECT_EQ(both.races.size(), 2u);
  EXPECT_EQ(both.repetitions, 20);
}

// If races were not scaled, the slow launch would outweigh the others.
TEST(WisdomPool, ScalesALaunchInWhichAllIsSlow) {
  const auto launch = [](double slow, double direct, const std::string& time) {
    return race({entry("direct", slow * direct), entry("shift", slow * 10), entry("bruck:radix=2", slow * 20),
                 entry("vendor", slow * 30, Executor::mpi)},
                time);
  };
  const Wisdom wisdom = of({launch(1, 8, "12:00:00.000"), launch(1, 8, "13:00:00.000"), launch(10, 11, "14:00:00.000")});
  EXPECT_EQ(only(wisdom).entries.front().way.algorithm, parse_candidate(Collective::alltoall, "direct"));
  EXPECT_NEAR(microseconds(wisdom, "vendor") / microseconds(wisdom, "shift"), 3, 1e-9);
  EXPECT_NEAR(microseconds(wisdom, "direct") / microseconds(wisdom, "shift"), 0.9, 1e-9);
}

TEST(WisdomPool, PrefersUndisturbedRaces) {
  WisdomRace disturbed = race({entry("direct", 20), entry("shift", 10)}, "13:00:00.000");
  disturbed.others = 1.3;
  EXPECT_EQ(only(of({disturbed})).entries.front().way.algorithm, parse_candidate(Collective::alltoall, "shift"))
      << "a disturbed race counts if there is no other";
  const Wisdom wisdom = of({race({entry("direct", 2), entry("shift", 3)}, "12:00:00.000"), disturbed});
  EXPECT_EQ(only(wisdom).entries.front().way.algorithm, parse_candidate(Collective::alltoall, "direct"));
  EXPECT_NEAR(microseconds(wisdom, "shift"), 3, 1e-9);
  EXPECT_EQ(only(wisdom).races.size(), 2u);
  EXPECT_EQ(parse_wisdom(wisdom_text(wisdom), "it"), wisdom);
}

TEST(WisdomPool, LeavesOutWaysThatRanLessOften) {
  const Wisdom wisdom = of({race({entry("direct", 2), entry("shift", 1), entry("vendor", 9, Executor::mpi)}, "12:00:00.000"),
                            race({entry("direct", 2), entry("vendor", 9, Executor::mpi)}, "13:00:00.000")});
  EXPECT_EQ(microseconds(wisdom, "shift"), 0);
  EXPECT_NEAR(microseconds(wisdom, "direct"), 2, 1e-9);
  // One launch raced executor mpi only, the other shared only: no way ran in more races than the others of its executor.
  const Wisdom apart =
      of({race({entry("direct", 2)}, "12:00:00.000"), race({entry("direct", 9, Executor::mpi)}, noon, "2026-11-23")});
  EXPECT_EQ(only(apart).entries.size(), 2u);
}

TEST(WisdomPool, KeepsTheLastRacesOfNinetyDays) {
  std::vector<WisdomRace> races;
  for (int hour = 10; hour < 20; ++hour) races.push_back(race({entry("direct", hour)}, fmt::format("{}:00:00.000", hour)));
  EXPECT_EQ(only(of(races)).races.size(), most_races);
  EXPECT_EQ(only(of(races)).races.front().time, "12:00:00.000");
  const auto kept = [](const std::string& older, const std::string& newer) {
    return only(of({race({entry("direct", 1)}, noon, newer), race({entry("direct", 1)}, noon, older)})).races.size();
  };
  EXPECT_EQ(kept("2026-08-24", "2026-11-22"), 2u);
  EXPECT_EQ(kept("2026-08-23", "2026-11-22"), 1u);
  EXPECT_EQ(kept("2025-12-31", "2026-01-01"), 2u);
}

TEST(WisdomPool, CountsALaunchThatTwoFilesHaveOnce) {
  const WisdomRace first = race({entry("direct", 2), entry("shift", 4)}, "12:00:00.000");
  const Wisdom one = of({first}), left = of({first, race({entry("direct", 4), entry("shift", 3)}, "13:00:00.000")}),
               right = of({first, race({entry("direct", 6), entry("shift", 5)}, "14:00:00.000")});
  Wisdom both = left;
  both.merge(right);
  EXPECT_EQ(only(both).races.size(), 3u);
  EXPECT_NEAR(microseconds(both, "direct"), 4, 1e-9);
  Wisdom again = both;
  for (const Wisdom& known : {one, left, right, both}) again.merge(known);
  EXPECT_EQ(again, both);
  EXPECT_THROW(of({first, first}), Error);
  // Races of one day without a time count as the same race, and the newer file's version is kept.
  Wisdom untimed = of({race({entry("direct", 2)}, "")});
  untimed.merge(of({race({entry("direct", 3)}, "")}));
  EXPECT_EQ(only(untimed).races.size(), 1u);
  EXPECT_NEAR(microseconds(untimed, "direct"), 3, 1e-9);
}

TEST(WisdomPool, DoesNotDependOnTheOrderOfMerging) {
  std::mt19937 random(26);
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<Wisdom> files;
    std::vector<WisdomRace> all;
    for (int i = 0; i < 12; ++i) {
      const auto time = [&](const char* way) {
        return entry(way, static_cast<double>(1 + random() % 50), random() % 4 ? Executor::shared : Executor::hybrid);
      };
      std::vector<WisdomEntry> entries{time("direct")};
      for (const char* way : {"shift", "bruck:radix=2", "vendor"})
        if (random() % 4 > 0) entries.push_back(time(way));
      all.push_back(
          race(entries, fmt::format("{:02}:00:00.000", i), fmt::format("2026-{:02}-{:02}", 6 + random() % 6, 1 + random() % 28)));
    }
    for (WisdomRace& each : all)
      if (random() % 3 == 0) each.others = 1;
    for (int i = 0; i < 3; ++i) {
      std::vector<WisdomRace> some;
      for (const WisdomRace& each : all)
        if (random() % 2) some.push_back(each);
      if (!some.empty()) files.push_back(of(some));
    }
    if (files.size() < 3) continue;
    Wisdom left = files[0], right = files[2], tail = files[1];
    left.merge(files[1]);
    left.merge(files[2]);
    right.merge(files[1]);
    right.merge(files[0]);
    tail.merge(files[2]);
    Wisdom associated = files[0];
    associated.merge(tail);
    EXPECT_EQ(left, right);
    EXPECT_EQ(left, associated);
    const std::string text = wisdom_text(left);
    EXPECT_EQ(wisdom_text(parse_wisdom(text, "it")), text);
  }
}

TEST(WisdomPool, IsHandedOutAsOneRace) {
  Wisdom wisdom = of(
      {race({entry("shift", 13.9), entry("direct", 25)}, noon), race({entry("direct", 27), entry("shift", 66)}, "13:00:00.000")});
  const Wisdom single = condensed(wisdom);
  EXPECT_EQ(only(single).races.size(), 1u);
  EXPECT_EQ(only(single).entries, only(wisdom).entries);
  EXPECT_EQ(only(parse_wisdom(wisdom_text(single), "it")).entries.front().way, only(wisdom).entries.front().way);
}

}  // namespace
}  // namespace quadrille
