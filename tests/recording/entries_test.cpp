// SPDX-License-Identifier: BSD-3-Clause
// Entries as units, folding them, and reading both.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/entries.hpp"
#include "recording/folding.hpp"

namespace quadrille::recording {
namespace {

RecordedRank made_rank(const std::vector<Entry>& entries, bool folds) {
  RecordedRank rank;
  EntryCoder coder;
  for (const Entry& entry : entries) {
    while (coder.sites() <= entry.site) coder.add_site();
    coder.code(entry, [&](Unit unit) { rank.entries.append(reinterpret_cast<const char*>(&unit), sizeof unit); });
  }
  if (folds) rank.entries = folded(rank.entries);
  rank.calls = static_cast<Count>(entries.size());
  rank.sites.resize(coder.sites());
  std::iota(rank.sites.begin(), rank.sites.end(), 0u);
  return rank;
}

std::vector<RecordedCall> calls_of(const RecordedRank& rank) {
  std::vector<RecordedCall> calls;
  RecordedCalls reader(rank);
  while (const auto call = reader.next()) calls.push_back(*call);
  return calls;
}

// Each time is within 3.2 % of its value after its error was compensated, so within 7 % of itself; sums are within a step.
void expect_alike(const std::vector<Entry>& entries, const std::vector<RecordedCall>& calls) {
  ASSERT_EQ(entries.size(), calls.size());
  double gaps_ns = 0, read_ns = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_EQ(entries[i].site, calls[i].site) << i;
    const auto expect_near = [i](std::uint64_t written, double read_s) {
      const auto ns = static_cast<double>(written);
      EXPECT_NEAR(ns, read_s * 1e9, 0.07 * ns + 1) << i;
    };
    expect_near(entries[i].gap, calls[i].gap_s);
    expect_near(entries[i].away, calls[i].away_s);
    expect_near(entries[i].duration, calls[i].duration_s);
    gaps_ns += static_cast<double>(entries[i].gap), read_ns += calls[i].gap_s * 1e9;
  }
  if (entries.size() > 1000) EXPECT_NEAR(gaps_ns, read_ns, 0.002 * gaps_ns);
}

// A loop of `period` different sites whose times vary by a fifth.
std::vector<Entry> loop(std::uint32_t period, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, 0.2);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    const auto site = static_cast<std::uint32_t>(i % period);
    const auto about = [&](double ns) { return static_cast<std::uint64_t>(ns * std::max(0.3, noise(random))); };
    entries.push_back({site, about(1e3 * (site + 1)), i % 97 == 0 ? about(1e6) : std::uint64_t{0}, about(2e4 + 10 * site)});
  }
  return entries;
}

TEST(RecordedCalls, ReadsWhatWasWritten) {
  for (const std::uint32_t period : {1u, 2u, 3u, 17u, 500u}) {
    const std::vector<Entry> entries = loop(period, 10'000, period);
    expect_alike(entries, calls_of(made_rank(entries, false)));
  }
}

TEST(RecordedCalls, ReadsNoEntries) {
  EXPECT_TRUE(calls_of(made_rank({}, false)).empty() && calls_of(made_rank({}, true)).empty());
}

TEST(RecordedCalls, ReadsExtremeTimes) {
  const std::vector<Entry> entries{{0, 0, 0, 0},
                                   {1, 1, 1, 1},
                                   {2, 1'000'000'000'000'000, 1'000'000'000'000, 3'600'000'000'000},
                                   {0, 0, 0, 5},
                                   {70'000, 12, 0, 7}};
  const std::vector<RecordedCall> calls = calls_of(made_rank(entries, false));
  expect_alike(entries, calls);
  EXPECT_EQ(calls[0].gap_s, 0);
}

TEST(RecordedCalls, ReadsRandomSites) {
  std::mt19937_64 random(1);
  std::vector<Entry> entries;
  for (int i = 0; i < 20'000; ++i)
    entries.push_back({static_cast<std::uint32_t>(random() % 1000), random() % 100'000, 0, random() % 100'000});
  for (const bool folds : {false, true}) expect_alike(entries, calls_of(made_rank(entries, folds)));
}

TEST(RecordedCalls, ShortEntriesTakeFourBytes) {
  for (const std::uint32_t period : {1u, 1000u, 2000u}) {
    std::vector<Entry> entries = loop(period, 20'000, period);
    for (Entry& each : entries) each.away = 0;
    EXPECT_EQ(made_rank(entries, false).entries.size(), 4 * entries.size()) << period;
  }
}

// Long times are exact.
TEST(RecordedCalls, LongTimesAreNotRounded) {
  const std::vector<RecordedCall> calls = calls_of(made_rank({{0, 50'000'001, 0, 7}, {0, 3, 0, 4'194'305}}, false));
  EXPECT_DOUBLE_EQ(calls[0].gap_s, 50'000'001e-9);
  EXPECT_DOUBLE_EQ(calls[0].duration_s, 7e-9);
  EXPECT_DOUBLE_EQ(calls[1].duration_s, 4'194'305e-9);
}

// All repetitions of a fold have the means of their times.
TEST(RecordedCalls, FoldedEntriesKeepSitesAndSums) {
  for (const std::uint32_t period : {1u, 5u, 700u, 4096u}) {
    const std::vector<Entry> entries = loop(period, 40'000, period);
    const RecordedRank rank = made_rank(entries, true);
    const std::vector<RecordedCall> calls = calls_of(rank);
    ASSERT_EQ(calls.size(), entries.size());
    double gaps_s = 0, durations_s = 0, read_gaps_s = 0, read_durations_s = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      ASSERT_EQ(calls[i].site, entries[i].site) << period << ' ' << i;
      gaps_s += 1e-9 * static_cast<double>(entries[i].gap), durations_s += 1e-9 * static_cast<double>(entries[i].duration);
      read_gaps_s += calls[i].gap_s, read_durations_s += calls[i].duration_s;
    }
    EXPECT_NEAR(read_gaps_s, gaps_s, 0.005 * gaps_s) << period;
    EXPECT_NEAR(read_durations_s, durations_s, 0.005 * durations_s) << period;
    if (period < 10) EXPECT_LT(rank.entries.size(), entries.size() / 2) << period;
  }
}

// A loop in a loop, with a site that comes now and then.
TEST(RecordedCalls, FoldsNestedLoops) {
  std::vector<Entry> entries;
  for (int outer = 0; outer < 300; ++outer) {
    for (int inner = 0; inner < 4; ++inner) entries.push_back({0, 100, 0, 1000});
    entries.push_back({1, 5000, 0, 2000});
    for (int inner = 0; inner < 100; ++inner) entries.push_back({2, 100, 0, 300});
    if (outer % 70 == 69) entries.push_back({3, 100, 0, 1'000'000});
  }
  const RecordedRank rank = made_rank(entries, true);
  expect_alike(entries, calls_of(rank));
  EXPECT_LT(rank.entries.size(), entries.size() / 2);
}

// Whatever the bytes are, reading ends, with entries or with an error.
TEST(RecordedCalls, ReadsOrRefusesAnyBytes) {
  std::mt19937_64 random(2);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    RecordedRank rank = made_rank(loop(7, 500, static_cast<unsigned>(i)), i % 2 == 0);
    for (int k = 0; k < 3; ++k) rank.entries[random() % rank.entries.size()] = static_cast<char>(random());
    if (i % 3 == 0) rank.entries.resize(random() % rank.entries.size());
    try {
      EXPECT_EQ(calls_of(rank).size(), 500u);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed);
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(Times, OfUnitsAreCloseToTicks) {
  for (std::uint64_t ticks = 0; ticks < (std::uint64_t{1} << 57); ticks = ticks * 101 / 100 + 1) {
    const std::uint64_t read = LongTime::ticks(LongTime::code(ticks));
    ASSERT_LE(ticks - read, ticks >> 25);
    if (ticks >= ShortTime::limit) continue;
    const std::uint64_t near = ShortTime::ticks(ShortTime::code(ticks));
    ASSERT_LE(near > ticks ? near - ticks : ticks - near, ticks >> 5) << ticks;
    ASSERT_EQ(ShortTime::code(near), ShortTime::code(ticks));
    ASSERT_LT(ShortTime::code(ticks + (ticks >> 5)), 1u << ShortTime::bits);
  }
  EXPECT_EQ(LongTime::ticks(LongTime::code(~std::uint64_t{0})), ((std::uint64_t{1} << 26) - 1) << 31);
}

}  // namespace
}  // namespace quadrille::recording
