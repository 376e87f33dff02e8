// SPDX-License-Identifier: BSD-3-Clause
// Writing the counters of a rank.
#include "mpi_face/report/record.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <set>

#include "mpi_face/report/record_layout.hpp"
#include "quadrille/error.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::string_view counted_functions[] = {"Alltoall", "Bcast", "Alltoallv"};
const std::vector<Rank> four_ranks{0, 1, 2, 3};

class RecordTest : public testing::OwnFolder {
 protected:
  std::string path() const { return (place_ / "run.rank-1.counters").string(); }
  RecordOptions options() const { return {.path = path(), .world_rank = 1, .world_size = 4, .functions = counted_functions}; }
  static std::string contents(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static RecordHeader header_in(const std::string& bytes) {
    RecordHeader header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
  }
  static Counters counters_in(const std::string& bytes, std::uint32_t i) {
    Counters counters{};
    std::memcpy(&counters, bytes.data() + RecordPlaces(header_in(bytes)).counters + i * sizeof counters, sizeof counters);
    return counters;
  }
};

TEST_F(RecordTest, OutlivesAKilledProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    Record record(options());
    const int communicator = record.add_communicator("world", four_ranks);
    Counters& counters = record.counters(0, communicator, 1000);
    for (int i = 0; i < 7; ++i) count_ours(counters, 1000, 50);
    count_passed(counters, record.reason(counters, "no plan yet"), 1000, 90);
    record.enter(1, communicator, ticks());
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const std::string bytes = contents(path());
  const RecordHeader header = header_in(bytes);
  EXPECT_EQ(bytes.size(), header.file_bytes);
  EXPECT_EQ(header.end_unix_ns, 0);
  EXPECT_EQ(header.in_call, 2u) << "function 1 of communicator 0";
  EXPECT_GT(header.ticks_per_second, 1e6);
  ASSERT_EQ(header.counters.used, 4u) << "an entry for the further calls of each function, and one for these calls";
  const Counters counters = counters_in(bytes, 3);
  EXPECT_EQ(counters.ours_calls, 7u);
  EXPECT_EQ(counters.ours_ticks, 350u);
  EXPECT_EQ(counters.passed_calls, 1u);
  EXPECT_EQ(counters.bytes, 8000u);
  EXPECT_EQ(counters.size_class, 10u) << "512 to 1023 bytes";
  EXPECT_EQ(counters.passed[0].calls, 1u);
}

TEST_F(RecordTest, CountsFurtherCallsOfAFunctionTogether) {
  RecordOptions of_memory = options();
  of_memory.path.clear();
  Record record(of_memory);
  std::set<Counters*> entries;
  for (int communicator = 0; communicator < 100; ++communicator)
    for (Bytes bytes = 1; bytes < Bytes{1} << 50; bytes *= 2) entries.insert(&record.counters(2, communicator, bytes));
  EXPECT_EQ(entries.size(), Record::most_counters + 1);
  Counters& others = record.counters(2, 200, 8);
  EXPECT_TRUE(others.is_others);
  EXPECT_EQ(others.function, 2);
  EXPECT_EQ(&record.counters(2, 0, 1), &record.counters(2, 0, 1));
  EXPECT_FALSE(record.counters(2, 0, 1).is_others);
}

TEST_F(RecordTest, NumbersCommunicators) {
  Record record(options());
  const std::vector<Rank> pair{3, 1};
  EXPECT_EQ(record.add_communicator("world", four_ranks), 0);
  EXPECT_EQ(record.add_communicator("", pair), 1);
  record.free_communicator(1);
  EXPECT_EQ(record.add_communicator("", pair), 1) << "reuses the number of the freed communicator with the same members";
  EXPECT_EQ(record.add_communicator("", pair), 2);
  for (int i = 3; i < 256; ++i) EXPECT_EQ(record.add_communicator("", four_ranks), i);
  EXPECT_EQ(record.add_communicator("", pair), 256);
  EXPECT_EQ(record.add_communicator("", four_ranks), 257);
  EXPECT_EQ(record.add_communicator("", pair), 256) << "all further communicators of two ranks share a number";
  std::vector<Rank> more(5);
  for (int i = 0; i < 200; ++i, more.push_back(0)) EXPECT_LT(record.add_communicator("", more), 320);
}

TEST_F(RecordTest, KeepsThreeReasonsAndCountsFurtherOnesTogether) {
  Record record(options());
  Counters& counters = record.counters(0, 0, 8);
  PassedCalls& first = record.reason(counters, "a");
  EXPECT_EQ(&record.reason(counters, "a"), &first);
  EXPECT_NE(&record.reason(counters, "b"), &first);
  record.reason(counters, "c");
  EXPECT_EQ(&record.reason(counters, "d"), &counters.passed[3]);
  EXPECT_EQ(&record.reason(counters, "e"), &counters.passed[3]);
}

TEST_F(RecordTest, ReplacesAnOlderFileAndNothingElse) {
  {
    Record record(options());
    record.end();
  }
  const std::string old = contents(path());
  EXPECT_GT(header_in(old).end_unix_ns, 0);
  Record first(options());
  count_ours(first.counters(0, 0, 8), 8, 1);
  Record second(options());  // the second record must not change the memory of the first
  count_ours(first.counters(0, 0, 8), 8, 1);
  EXPECT_EQ(first.counters(0, 0, 8).ours_calls, 2u);
  EXPECT_EQ(header_in(contents(path())).counters.used, std::size(counted_functions));
  RecordOptions foreign = options();
  foreign.path = (place_ / "letter").string();
  std::ofstream(foreign.path) << "Dear all";
  EXPECT_THROW(Record{foreign}, Error);
  EXPECT_EQ(contents(foreign.path), "Dear all");
  foreign.path = (place_ / "nowhere/run").string();
  EXPECT_THROW(Record{foreign}, Error);
}

TEST_F(RecordTest, PacksUsedEntriesOnly) {
  Record record(options());
  const int communicator = record.add_communicator("world", four_ranks);
  count_ours(record.counters(1, communicator, 64), 64, 5);
  record.traffic()[2] = 77;
  const std::string bytes = record.packed();
  const RecordHeader header = header_in(bytes);
  EXPECT_EQ(bytes.size(), header.file_bytes);
  EXPECT_LT(bytes.size(), 20'000u);
  EXPECT_EQ(counters_in(bytes, 3).bytes, 64u);
  std::uint64_t traffic[4];
  std::memcpy(traffic, bytes.data() + RecordPlaces(header).traffic, sizeof traffic);
  EXPECT_EQ(traffic[2], 77u);
}

// The calls that took longest remain, whatever the order in which they come.
TEST_F(RecordTest, KeepsTheCostliestCalls) {
  constexpr std::uint64_t calls = 5 * RecordHeader::costly_calls;
  for (const auto& nth : std::initializer_list<std::uint64_t (*)(std::uint64_t)>{[](std::uint64_t i) { return i; },
                                                                                 [](std::uint64_t i) { return calls - 1 - i; },
                                                                                 [](std::uint64_t i) { return i * 77 % calls; }}) {
    RecordOptions of_memory = options();
    of_memory.path.clear();
    Record record(of_memory);
    for (std::uint64_t i = 0; i < calls; ++i)
      record.keep_if_costly(
          {.begin_ticks = i, .ticks = 10 + nth(i), .bytes = nth(i), .function = 1, .communicator = 0, .is_ours = 1});
    std::set<std::uint64_t> kept;
    for (const CostlyCall& call : record.header().costliest) {
      EXPECT_EQ(call.bytes + 10, call.ticks);
      kept.insert(call.bytes);
    }
    EXPECT_EQ(kept.size(), RecordHeader::costly_calls);
    EXPECT_EQ(*kept.begin(), calls - RecordHeader::costly_calls);
    EXPECT_EQ(*kept.rbegin(), calls - 1);
    EXPECT_EQ(record.header().costly_ticks, 10 + *kept.begin());
  }
}

TEST(RecordWords, AreCutBetweenCharacters) {
  char place[4];
  set_words(place, "ab\xC3\xA4");
  EXPECT_EQ(words_of(place), "ab");
  set_words(place, "abc");
  EXPECT_EQ(words_of(place), "abc");
}

}  // namespace
}  // namespace quadrille::mpi_face
