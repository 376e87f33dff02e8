// SPDX-License-Identifier: BSD-3-Clause
// Clocks that differ: the error of an estimate is within its bound, and times that compare ranks do not contain the clocks' offset.
#include "tune/race/clocks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "quadrille/groups.hpp"

namespace quadrille {
namespace {

// A clock that is ahead of the true time and runs fast.
struct FakeClock {
  Nanoseconds ahead = 0;
  double rate = 1;
  Nanoseconds at(Nanoseconds truth) const { return ahead + std::llround(rate * static_cast<double>(truth)); }
};

TEST(Clocks, OffsetsAreWrongByNoMoreThanTheirBound) {
  const FakeClock fast{37'000'000'000, 1 + 1e-4};
  std::mt19937_64 random(1);
  std::uniform_int_distribution<Nanoseconds> way(500, 50'000);
  Nanoseconds truth = 1'000'000'000;
  const auto compare = [&] {
    std::vector<PingPong> ping_pongs;
    for (int i = 0; i < 10; ++i) {
      // The two directions take different times.
      const Nanoseconds sent = truth, there = sent + way(random), received = there + way(random);
      ping_pongs.push_back({fast.at(sent), there, fast.at(received)});
      truth = received + 1000;
    }
    const ClockOffset found = offset_by(ping_pongs);
    for (const PingPong& each : ping_pongs) EXPECT_LE(found.bound, (each.received - each.sent + 1) / 2);
    return found;
  };
  for (int i = 0; i < 100; ++i) {
    const ClockOffset before = compare();
    const Nanoseconds middle = truth += 500'000'000;  // meanwhile the drift grows to 50 us
    truth += 500'000'000;
    const ClockOffset after = compare();
    for (const Nanoseconds moment : {middle - 400'000'000, middle, middle + 400'000'000})
      EXPECT_LE(std::abs(reference_time(fast.at(moment), before, after) - moment), std::max(before.bound, after.bound) + 1);
  }
}

TEST(Clocks, OfOneSourceAreNotCompared) {
  run_threads(3, [](Communicator& communicator) {
    const Clock real = monotonic_clock();
    int looks = 0;
    Clocks clocks(communicator, {real.source, [&] { return ++looks, real.now(); }});
    clocks.compare();
    clocks.compare();
    EXPECT_EQ(looks, 0);
    EXPECT_EQ(clocks.bound(), 0);
    EXPECT_EQ(clocks.reference(12345), 12345);
  });
}

// Ranks 0 and 2 are on one machine, 1 and 3 on another.
TEST(Clocks, TimesDoNotContainTheOffset) {
  // Each look at the time takes 1 us, on all ranks together.
  std::atomic<Nanoseconds> passed = 0;
  const auto truth = [&] { return passed += 1000; };
  run_threads(4, [&](Communicator& communicator) {
    const bool away = communicator.rank() % 2 == 1;
    const FakeClock fake{away ? 37'000'000'000 : 1'000, away ? 1 + 1e-4 : 1};
    Stopwatch stopwatch(communicator, {away ? "away" : "here", [&] { return fake.at(truth()); }});
    struct Interval {
      Nanoseconds start, end;
    };
    constexpr std::size_t count = 5;
    std::vector<Interval> mine(count), all(4 * count);
    const Nanoseconds first = truth();
    const std::vector<Span> spans = stopwatch.time(count, [&](std::size_t i) {
      mine[i].start = truth();
      passed += 1'000'000 * communicator.rank();
      mine[i].end = truth();
    });
    const double most = static_cast<double>(truth() - first) * 1e-9;
    communicator.all_gather(mine.data(), all.data(), static_cast<Bytes>(count * sizeof(Interval)));
    ASSERT_EQ(spans.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      Interval inside = all[i];
      for (std::size_t at = i; at < all.size(); at += count)
        inside = {std::min(inside.start, all[at].start), std::max(inside.end, all[at].end)};
      const double truth = static_cast<double>(inside.end - inside.start) * 1e-9;
      EXPECT_GT(spans[i].bound, 0);
      EXPECT_GE(spans[i].seconds, truth - spans[i].bound - 1e-8);
      EXPECT_LE(spans[i].seconds, most + spans[i].bound + 1e-8);
    }
  });
}

}  // namespace
}  // namespace quadrille
