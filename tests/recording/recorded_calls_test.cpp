// SPDX-License-Identifier: BSD-3-Clause
// Packing entries and reading them again.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/recorded_calls.hpp"

namespace quadrille::recording {
namespace {

RecordedRank packed_rank(const std::vector<Entry>& entries, bool folds) {
  RecordedRank rank;
  CallPacker packer(folds);
  std::uint32_t sites = 1;
  for (const Entry& entry : entries) {
    packer.add(entry);
    sites = std::max(sites, entry.site + 1);
  }
  rank.packed = packer.finish();
  rank.calls = static_cast<Count>(entries.size());
  rank.sites.resize(sites);
  std::iota(rank.sites.begin(), rank.sites.end(), 0u);
  return rank;
}

std::vector<RecordedCall> unpacked(const RecordedRank& rank) {
  std::vector<RecordedCall> calls;
  RecordedCalls reader(rank);
  while (const auto call = reader.next()) calls.push_back(*call);
  return calls;
}

// Each time is within 2.5 % of its value after its error was compensated, so within 8 % of itself; sums are within a step.
void expect_alike(const std::vector<Entry>& entries, const std::vector<RecordedCall>& calls) {
  ASSERT_EQ(entries.size(), calls.size());
  double gaps_ns = 0, read_ns = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_EQ(entries[i].site, calls[i].site) << i;
    ASSERT_NEAR(entries[i].gap_ns, calls[i].gap_s * 1e9, 0.08 * entries[i].gap_ns + 1) << i;
    ASSERT_NEAR(entries[i].away_ns, calls[i].away_s * 1e9, 0.08 * entries[i].away_ns + 1) << i;
    ASSERT_NEAR(entries[i].duration_ns, calls[i].duration_s * 1e9, 0.08 * entries[i].duration_ns + 1) << i;
    gaps_ns += entries[i].gap_ns, read_ns += calls[i].gap_s * 1e9;
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
    const auto about = [&](double ns) { return ns * std::max(0.3, noise(random)); };
    entries.push_back({site, about(1e3 * (site + 1)), i % 97 == 0 ? about(1e6) : 0, about(2e4 + 10 * site)});
  }
  return entries;
}

TEST(RecordedCalls, ReadsWhatWasPacked) {
  for (const std::uint32_t period : {1u, 2u, 3u, 17u, 500u}) {
    const std::vector<Entry> entries = loop(period, 10'000, period);
    expect_alike(entries, unpacked(packed_rank(entries, false)));
  }
}

TEST(RecordedCalls, ReadsNoEntries) {
  EXPECT_TRUE(unpacked(packed_rank({}, false)).empty() && unpacked(packed_rank({}, true)).empty());
}

TEST(RecordedCalls, ReadsExtremeTimes) {
  const std::vector<Entry> entries{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 1e15, 1e12, 3.6e12}, {0, 0, 0, 5}, {70'000, 12, 0, 7}};
  const std::vector<RecordedCall> calls = unpacked(packed_rank(entries, false));
  expect_alike(entries, calls);
  EXPECT_EQ(calls[0].gap_s, 0);
}

TEST(RecordedCalls, ReadsRandomSites) {
  std::mt19937_64 random(1);
  std::vector<Entry> entries;
  for (int i = 0; i < 20'000; ++i)
    entries.push_back({static_cast<std::uint32_t>(random() % 1000), static_cast<double>(random() % 100'000), 0,
                       static_cast<double>(random() % 100'000)});
  for (const bool folds : {false, true}) expect_alike(entries, unpacked(packed_rank(entries, folds)));
}

// Sites follow a period of up to 4,096, so they cost almost nothing: what is left is the noise of two times.
TEST(RecordedCalls, PeriodicEntriesTakeAboutOneAndAHalfBytes) {
  for (const std::uint32_t period : {1u, 10u, 1000u, 4096u}) {
    const std::vector<Entry> entries = loop(period, 200'000, period);
    EXPECT_LT(static_cast<double>(packed_rank(entries, false).packed.size()) / static_cast<double>(entries.size()), 1.6) << period;
  }
}

// All repetitions of a fold have the means of their times.
TEST(RecordedCalls, FoldedEntriesKeepSitesAndSums) {
  for (const std::uint32_t period : {1u, 5u, 700u, 4096u}) {
    const std::vector<Entry> entries = loop(period, 40'000, period);
    const RecordedRank rank = packed_rank(entries, true);
    const std::vector<RecordedCall> calls = unpacked(rank);
    ASSERT_EQ(calls.size(), entries.size());
    double gaps_s = 0, durations_s = 0, read_gaps_s = 0, read_durations_s = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      ASSERT_EQ(calls[i].site, entries[i].site) << period << ' ' << i;
      gaps_s += entries[i].gap_ns * 1e-9, durations_s += entries[i].duration_ns * 1e-9;
      read_gaps_s += calls[i].gap_s, read_durations_s += calls[i].duration_s;
    }
    EXPECT_NEAR(read_gaps_s, gaps_s, 0.03 * gaps_s) << period;
    EXPECT_NEAR(read_durations_s, durations_s, 0.03 * durations_s) << period;
    if (period < 10) EXPECT_LT(rank.packed.size(), entries.size() / 16) << period;
  }
}

// A loop in a loop, with a site that comes now and then.
TEST(RecordedCalls, FoldsNestedLoops) {
  std::vector<Entry> entries;
  for (int outer = 0; outer < 300; ++outer) {
    for (int inner = 0; inner < 4; ++inner) entries.push_back({0, 100, 0, 1000});
    entries.push_back({1, 5000, 0, 2000});
    for (int inner = 0; inner < 100; ++inner) entries.push_back({2, 100, 0, 300});
    if (outer % 70 == 69) entries.push_back({3, 100, 0, 1e6});
  }
  const RecordedRank rank = packed_rank(entries, true);
  expect_alike(entries, unpacked(rank));
  EXPECT_LT(rank.packed.size(), entries.size() / 10);
}

// Whatever the bytes are, reading ends, with entries or with an error.
TEST(RecordedCalls, ReadsOrRefusesAnyBytes) {
  std::mt19937_64 random(2);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    RecordedRank rank = packed_rank(loop(7, 500, static_cast<unsigned>(i)), i % 2 == 0);
    for (int k = 0; k < 3; ++k) rank.packed[random() % rank.packed.size()] = static_cast<char>(random());
    if (i % 3 == 0) rank.packed.resize(random() % rank.packed.size());
    try {
      EXPECT_EQ(unpacked(rank).size(), 500u);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed);
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(TimeSteps, AreFivePercent) {
  for (double ns = 1; ns < 1e15; ns *= 1.013) {
    const double read = ns_of_step(step_of_ns(ns));
    EXPECT_NEAR(read, ns, 0.0252 * ns);
    EXPECT_EQ(step_of_ns(read), step_of_ns(ns));
  }
  EXPECT_EQ(ns_of_step(step_of_ns(0)), 0);
  EXPECT_LT(step_of_ns(1e300), 1u << step_bits);
}

}  // namespace
}  // namespace quadrille::recording
