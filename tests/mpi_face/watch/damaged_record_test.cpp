// SPDX-License-Identifier: BSD-3-Clause
// Reading the last calls of ranks from damaged files, and from many files.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <random>

#include "foundation/system/files.hpp"
#include "mpi_face/watch/verdict.hpp"
#include "quadrille/error.hpp"
#include "support/watched_record.hpp"

namespace quadrille::mpi_face {
namespace {

using namespace quadrille::testing;

// Fails unless all that was read of a damaged file can be used.
void check(const SeenRank& rank, Count world_size) {
  EXPECT_LE(rank.state, SeenRank::State::unknown);
  EXPECT_LE(rank.calls.size(), 81u);
  EXPECT_LE(rank.communicators.size(), rank.calls.size());
  for (const WatchedCall& each : rank.calls) EXPECT_LT(each.communicator, static_cast<int>(rank.communicators.size()));
  for (const SeenCommunicator& communicator : rank.communicators)
    for (const Rank each : communicator.world_ranks) EXPECT_TRUE(each >= 0 && each < world_size) << each;
  SeenRank again;
  EXPECT_TRUE(from_bytes(to_bytes(rank), again));
  const SeenRank ranks[] = {rank};
  if (const auto verdict = find_hang(ranks, world_size, {1})) EXPECT_FALSE(text_of(*verdict).empty());
}

class DamagedRecordTest : public WatchedRecordTest {
 protected:
  void SetUp() override {
    WatchedRecordTest::SetUp();
    const std::uint64_t counts = put<std::int32_t>({1, 2, 3, 4});
    const std::vector<Rank> pair{2, 0};
    const auto number = static_cast<std::uint32_t>(record_->add_communicator("pair", pair));
    for (std::uint64_t k = 1; k <= 100; ++k) {
      begin_and_leave(call("Allreduce", k, {.bytes = 64, .root = -1, .operation = 4, .element = 9}));
      begin_and_leave(call("Bcast", k, {.bytes = 8, .communicator = number, .element = 9}));
      record_->ring().leave(record_->ring().begin_message(call("Send", 0, {.bytes = 8, .root = 1, .operation = 7})), ticks());
    }
    const RingEntry last = call("Alltoallv", 101, {.bytes = -1, .root = -1});
    page().lists = {
        .number = 101, .sent = counts, .received = counts, .sent_bytes = 8, .received_bytes = 8, .number_bytes = 4, .ranks = 4};
    begin(last);
    file_ = Descriptor(::open(path().c_str(), O_RDWR | O_CLOEXEC));
    const RecordPlaces places(record_->header());
    const std::uint64_t runs = places.runs + record_->header().runs.used * sizeof(RecordRun);
    regions_ = {{0, sizeof(RecordHeader)},
                {places.functions, places.functions + 4 * sizeof(RecordFunction)},
                {places.communicators, places.communicators + 2 * sizeof(RecordCommunicator)},
                {places.runs, (runs + 7) / 8 * 8},
                {places.watch, places.watch + sizeof(WatchPage)}};
  }

  void write(std::uint64_t at, std::uint64_t word) { ASSERT_EQ(::pwrite(file_.number(), &word, 8, static_cast<off_t>(at)), 8); }
  std::uint64_t word(std::uint64_t at) const {
    std::uint64_t word = 0;
    EXPECT_EQ(::pread(file_.number(), &word, 8, static_cast<off_t>(at)), 8);
    return word;
  }

  void read() {
    try {
      const RankRecord record = read_watched_record(path());
      check(seen_rank(record, ticks(), nullptr, reader()), record.header.world_size);
      ++readable_;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed);
      ++refused_;
    }
  }

  Descriptor file_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> regions_;  // first byte, and the byte after the last
  int readable_ = 0, refused_ = 0;
};

TEST_F(DamagedRecordTest, EachWordMayBeWrong) {
  std::mt19937_64 random(1);
  for (const auto& [begin, end] : regions_)
    for (std::uint64_t at = begin; at < end; at += 8) {
      const std::uint64_t good = word(at);
      for (const std::uint64_t bad : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63, good ^ 1,
                                      good ^ std::uint64_t{1} << 32, random() >> random() % 64}) {
        write(at, bad);
        read();
      }
      write(at, good);
      if (HasFailure()) FAIL() << "byte " << at << " of the region from " << begin;
    }
  EXPECT_GT(readable_, 1000);
  EXPECT_GT(refused_, 100);
}

TEST_F(DamagedRecordTest, SeveralWordsMayBeWrong) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> good;
    for (std::uint64_t changes = 1 + random() % 20; changes > 0; --changes) {
      const auto& [begin, end] = regions_[random() % 5 == 0 ? random() % 4 : 4];
      const std::uint64_t at = begin + random() % ((end - begin) / 8) * 8;
      good.emplace_back(at, word(at));
      write(at, random() >> random() % 64);
    }
    read();
    for (; !good.empty(); good.pop_back()) write(good.back().first, good.back().second);
  }
  EXPECT_GT(readable_, 500);
  EXPECT_GT(refused_, 100);
}

// A file without the parts that a watcher does not read, and without room for more items.
std::string compact(const std::string& bytes) {
  RecordHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const RecordPlaces from(header);
  header.reasons = header.counters = {};
  header.traffic = 0;
  for (RecordPart* part : {&header.functions, &header.communicators, &header.runs}) part->room = part->used;
  const RecordPlaces to(header);
  header.file_bytes = to.end;
  std::string small(to.end, '\0');
  const auto take = [&](std::uint64_t target, std::uint64_t source, std::size_t length) {
    small.replace(target, length, bytes, source, length);
  };
  std::memcpy(small.data(), &header, sizeof header);
  take(to.functions, from.functions, header.functions.used * sizeof(RecordFunction));
  take(to.communicators, from.communicators, header.communicators.used * sizeof(RecordCommunicator));
  take(to.runs, from.runs, header.runs.used * sizeof(RecordRun));
  take(to.watch, from.watch, sizeof(WatchPage));
  return small;
}

// Prints how long it takes; the goal is a second.
class ManyRecordsTest : public WatchedRecordTest {};

TEST_F(ManyRecordsTest, AVerdictOn4096Ranks) {
  constexpr Count world_size = 4096;
  constexpr Rank odd = 1234;
  record_ = std::make_unique<Record>(
      RecordOptions{.path = path(), .world_rank = 2, .world_size = world_size, .functions = watched_functions, .is_watched = true});
  record_->add_communicator("MPI_COMM_WORLD", first_ranks(world_size));
  for (std::uint64_t number = 1; number <= 100; ++number) begin_and_leave(call("Allreduce", number, {.bytes = 8}));
  RingEntry& last = begin(call("Allreduce", 101, {.site = 88, .bytes = 8}));
  const auto contents = [&] {
    std::ifstream in(path());
    return compact({std::istreambuf_iterator<char>(in), {}});
  };
  std::string usual = contents();
  last.function = number_of("Bcast"), last.site = 91;
  std::string other = contents();
  const auto file = [&](Rank rank) { return (place_ / fmt::format("rank-{}.counters", rank)).string(); };
  for (Rank rank = 0; rank < world_size; ++rank) {
    std::string& bytes = rank == odd ? other : usual;
    const std::int64_t number = rank;
    std::memcpy(bytes.data() + offsetof(RecordHeader, world_rank), &number, sizeof number);
    std::ofstream(file(rank)) << bytes;
  }

  const auto begin = std::chrono::steady_clock::now();
  std::vector<SeenRank> ranks;
  for (Rank rank = 0; rank < world_size; ++rank)
    ranks.push_back(seen_rank(read_watched_record(file(rank)), last.begin_ticks + seconds(12), nullptr, nullptr));
  const auto is_read = std::chrono::steady_clock::now();
  const auto verdict = find_hang(ranks, world_size, {10});
  const auto end = std::chrono::steady_clock::now();
  ASSERT_TRUE(verdict);
  const auto milliseconds = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };
  fmt::print("4,096 ranks: {:.0f} ms to read, {:.0f} ms for the verdict\n", milliseconds(is_read - begin),
             milliseconds(end - is_read));
  EXPECT_EQ(verdict->cause, HangVerdict::Cause::order);
  EXPECT_EQ(verdict->number, 101u);
  for (const ShownGroup& each : verdict->findings)
    if (each.is_cause) EXPECT_THAT(each.ranks, ::testing::ElementsAre(odd));
}

}  // namespace
}  // namespace quadrille::mpi_face
