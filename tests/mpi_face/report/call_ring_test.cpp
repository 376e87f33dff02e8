// SPDX-License-Identifier: BSD-3-Clause
// The last calls of a rank: what is kept, and what a reader gets while they are written.
#include "mpi_face/report/call_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "mpi_face/report/record.hpp"
#include "mpi_face/report/record_read.hpp"
#include "mpi_face/watch/seen_record.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {
namespace {

// A call whose members all follow from one number.
RingEntry call_of(std::uint64_t k) {
  const auto small = static_cast<std::int32_t>(k % 1'000'000);
  return {.begin_ticks = k,
          .site = k,
          .number = k,
          .bytes = small,
          .communicator = RingEntry::no_communicator,
          .function = 0,
          .root = small,
          .operation = small,
          .element = small};
}

TEST(CallRing, IsFalseWithoutAPage) {
  WatchPage page{};
  EXPECT_FALSE(CallRing(nullptr, false));
  EXPECT_TRUE(CallRing(&page, false));
}

TEST(CallRing, KeepsTheLastCalls) {
  WatchPage page{};
  const CallRing ring(&page, false);
  for (std::uint64_t k = 0; k < 1000; ++k) ring.begin_collective(call_of(k));
  for (std::uint64_t k = 0; k < 20; ++k) ring.begin_message(call_of(5000 + k));
  EXPECT_EQ(page.collectives, 1000u);
  EXPECT_EQ(page.messages, 20u);
  for (std::uint64_t k = 1000 - 64; k < 1000; ++k) {
    const RingEntry& entry = page.last_collectives[k % 64];
    EXPECT_EQ(entry.sequence, 2 * k + 2);
    EXPECT_EQ(entry.begin_ticks, k);
    EXPECT_EQ(entry.site, k);
    EXPECT_EQ(entry.number, k);
    EXPECT_EQ(entry.bytes, static_cast<std::int64_t>(k));
    EXPECT_EQ(entry.communicator, RingEntry::no_communicator);
    EXPECT_EQ(entry.root, static_cast<std::int32_t>(k));
    EXPECT_EQ(entry.operation, static_cast<std::int32_t>(k));
    EXPECT_EQ(entry.element, static_cast<std::int32_t>(k));
    EXPECT_EQ(entry.has_left, 0);
  }
  for (std::uint64_t k = 4; k < 20; ++k) EXPECT_EQ(page.last_messages[k % 16].number, 5000 + k);
}

TEST(CallRing, ALaterCallInTheSameEntryHasNotLeft) {
  WatchPage page{};
  const CallRing ring(&page, false);
  RingEntry& first = ring.begin_message(call_of(1));
  ring.leave(first, 77);
  EXPECT_EQ(first.has_left, 1);
  EXPECT_EQ(page.left_ticks, 77u);
  for (std::uint64_t k = 2; k < 17; ++k) ring.leave(ring.begin_message(call_of(k)), 100 + k);
  EXPECT_EQ(page.left_ticks, 116u);
  EXPECT_EQ(&ring.begin_message(call_of(17)), &first);
  EXPECT_EQ(first.has_left, 0);
}

TEST(CallRing, ThreadsLoseNoCallIfItIsShared) {
  WatchPage page{};
  const CallRing ring(&page, true);
  constexpr std::uint64_t threads = 4, calls = 50'000;
  std::uint64_t number = 0;
  std::vector<std::thread> all;
  for (std::uint64_t thread = 0; thread < threads; ++thread)
    all.emplace_back([&] {
      for (std::uint64_t k = 0; k < calls; ++k) {
        ring.leave(ring.begin_collective(call_of(k)), k);
        ring.leave(ring.begin_message(call_of(k)), k);
        ring.next(number);
      }
    });
  for (std::thread& each : all) each.join();
  EXPECT_EQ(page.collectives, threads * calls);
  EXPECT_EQ(page.messages, threads * calls);
  EXPECT_EQ(number, threads * calls);
}

class WrittenRingTest : public testing::OwnFolder {
 protected:
  // Reads by `read` for a while, in which a thread writes calls without pause.
  template <class Read>
  void read_meanwhile(const CallRing& ring, Read read) {
    std::atomic<bool> stops = false;
    std::thread writer([&] {
      for (std::uint64_t k = 1; !stops; ++k) {
        RingEntry& entry = ring.begin_collective(call_of(k));
        if (k % 2 == 0) ring.leave(entry, k);
      }
    });
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
         std::chrono::steady_clock::now() < end;)
      read();
    stops = true;
    writer.join();
  }
};

// Returns true if the entry has values of two different calls. Each call is written with values that follow from one number.
bool is_mixed(const WatchedCall& call) {
  const auto small = static_cast<std::int64_t>(call.number % 1'000'000);
  return call.bytes != small || call.root != small || call.place != std::to_string(call.number) ||
         (call.has_left && call.number % 2 == 1);
}

TEST_F(WrittenRingTest, AReaderOfTheFileGetsNoMixedEntry) {
  constexpr std::string_view functions[] = {"Bcast"};
  Record record({.path = (place_ / "run.rank-0.counters").string(), .functions = functions, .is_watched = true});
  std::size_t seen = 0, mixed = 0;
  std::uint64_t newest = 0;
  read_meanwhile(record.ring(), [&] {
    const SeenRank rank = seen_rank(
        read_watched_record(record.path()), ticks(), [](std::uint64_t site) { return std::to_string(site); }, nullptr);
    for (const WatchedCall& each : rank.calls) {
      newest = std::max(newest, each.number);
      mixed += is_mixed(each);
      ++seen;
    }
  });
  EXPECT_EQ(mixed, 0u) << "of " << seen;
  EXPECT_GT(seen, 1000u);
  EXPECT_GT(newest, 64u);
}

TEST_F(WrittenRingTest, AReaderOfThePageGetsNoMixedEntry) {
  const auto page = std::make_unique<WatchPage>();
  std::size_t inside = 0, mixed = 0;
  read_meanwhile(CallRing(page.get(), false), [&] {
    const CallInProgress call = call_in_progress(*page);
    mixed += call.begin_ticks != call.site;
    inside += call.is_inside;
  });
  EXPECT_EQ(mixed, 0u);
  EXPECT_GT(inside, 1000u);
}

}  // namespace
}  // namespace quadrille::mpi_face
