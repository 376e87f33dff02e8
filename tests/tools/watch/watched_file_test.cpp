// SPDX-License-Identifier: BSD-3-Clause
// The file of a rank's counters as watchers use it: which files they take, and their questions and answers.
#include "watch/watched_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

#include "support/watched_record.hpp"

namespace quadrille::command {
namespace {

using namespace quadrille::testing;

class WatchedFileTest : public WatchedRecordTest {
 protected:
  WatchedFile opened() const {
    auto file = WatchedFile::open(path());
    EXPECT_TRUE(file);
    return *file;
  }
  static std::string contents(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string other() const { return (place_ / "other.counters").string(); }
  void write(const std::string& bytes) const { std::ofstream(other()) << bytes; }

  // Whether a file is taken in which a member of the header has another value.
  template <class Value>
  bool opens_with(std::size_t member, Value value) const {
    std::string bytes = contents(path());
    std::memcpy(bytes.data() + member, &value, sizeof value);
    write(bytes);
    return WatchedFile::open(other()).has_value();
  }
};

SeenRank rank_in(const std::string& function) {
  SeenRank rank;
  rank.rank = 2;
  rank.state = SeenRank::State::in_call;
  rank.calls.emplace_back().function = function;
  return rank;
}

TEST_F(WatchedFileTest, MapsTheCountersOfARank) {
  const WatchedFile file = opened();
  EXPECT_EQ(file.path(), path());
  EXPECT_EQ(file.header().world_rank, 2);
  EXPECT_EQ(file.page().collectives, 0u);
  begin(call("Barrier", 1));
  EXPECT_EQ(file.page().collectives, 1u) << "the rank goes on writing";
  const WatchedFile copy = file;
  record_.reset();
  ::unlink(path().c_str());
  EXPECT_EQ(copy.page().last_collectives[0].number, 1u) << "the file is gone, but still mapped";
}

TEST_F(WatchedFileTest, SeesTheEndOfARank) {
  const WatchedFile file = opened();
  EXPECT_FALSE(file.has_ended());
  page().end = 1;
  EXPECT_TRUE(file.has_ended());
  page().end = 0;
  record_->end();
  EXPECT_FALSE(file.has_ended()) << "as long as the process lives";
}

TEST_F(WatchedFileTest, QuestionsHaveIncreasingNumbers) {
  WatchedFile file = opened(), same = opened();
  EXPECT_EQ(file.asked(), 0u);
  const std::uint64_t first = file.ask(false), second = same.ask(true), third = file.ask(false);
  EXPECT_LT(0u, first);
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_EQ(first & 1, 0u);
  EXPECT_EQ(second & 1, 1u);
  EXPECT_EQ(third & 1, 0u);
  EXPECT_EQ(same.asked(), third);
}

TEST_F(WatchedFileTest, AnAnswerIsToItsQuestionAndEarlierOnes) {
  WatchedFile file = opened();
  EXPECT_FALSE(file.answer(0)) << "nobody has answered";
  const std::uint64_t first = file.ask(false);
  file.write_answer(first, rank_in("Bcast"));
  ASSERT_TRUE(file.answer(first));
  EXPECT_EQ(file.answer(first)->calls.at(0).function, "Bcast");
  const std::uint64_t second = file.ask(true);
  EXPECT_FALSE(file.answer(second));
  file.write_answer(second, rank_in("Reduce"));
  ASSERT_TRUE(opened().answer(second));
  EXPECT_EQ(opened().answer(first)->calls.at(0).function, "Reduce");
  struct stat facts {};
  ASSERT_EQ(::stat(file.answer_path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(WatchedFileTest, DamagedAnswersAreNone) {
  const WatchedFile file = opened();
  file.write_answer(2, rank_in("Bcast"));
  const std::string good = contents(file.answer_path());
  for (std::size_t length = 0; length < good.size(); ++length) {
    std::ofstream(file.answer_path()) << good.substr(0, length);
    EXPECT_FALSE(file.answer(2)) << length;
  }
  std::ofstream(file.answer_path()) << good << "more";
  EXPECT_FALSE(file.answer(2));
  ::unlink(file.answer_path().c_str());
  ASSERT_EQ(::mkdir(file.answer_path().c_str(), 0700), 0);
  EXPECT_FALSE(file.answer(2));
}

// A watcher has died while it wrote.
TEST_F(WatchedFileTest, AHalfWrittenAnswerIsReplaced) {
  const WatchedFile file = opened();
  std::ofstream(file.answer_path() + ".new") << "half";
  EXPECT_FALSE(file.answer(2));
  file.write_answer(2, rank_in("Bcast"));
  EXPECT_TRUE(file.answer(2));
  EXPECT_NE(::access((file.answer_path() + ".new").c_str(), F_OK), 0);
}

TEST_F(WatchedFileTest, AReaderNeverGetsAPartOfAnAnswer) {
  const WatchedFile file = opened();
  SeenRank large = rank_in("Bcast");
  large.calls.resize(2000, large.calls[0]);
  file.write_answer(2, large);
  std::thread writer([&] {
    for (std::uint64_t number = 4; number < 400; number += 2) file.write_answer(number, number % 4 == 0 ? rank_in("Bcast") : large);
  });
  std::uint64_t last = 0;
  for (int i = 0; i < 300; ++i) last += file.answer(2).has_value();
  writer.join();
  EXPECT_EQ(last, 300u);
}

TEST_F(WatchedFileTest, RefusesForeignFiles) {
  EXPECT_FALSE(WatchedFile::open(other())) << "there is none";
  EXPECT_FALSE(WatchedFile::open(place_.string()));
  EXPECT_FALSE(WatchedFile::open("/dev/zero"));
  ASSERT_EQ(::mkfifo(other().c_str(), 0600), 0);
  EXPECT_FALSE(WatchedFile::open(other()));
  ::unlink(other().c_str());
  ASSERT_EQ(::symlink(path().c_str(), other().c_str()), 0);
  EXPECT_FALSE(WatchedFile::open(other())) << "a link";
  ::unlink(other().c_str());
  write("");
  EXPECT_FALSE(WatchedFile::open(other()));
  write(std::string(1 << 20, 'x'));
  EXPECT_FALSE(WatchedFile::open(other()));
  write(contents(path()));
  EXPECT_TRUE(WatchedFile::open(other()));
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(other().c_str(), 1234, 1234), 0);
    EXPECT_FALSE(WatchedFile::open(other())) << "another user's file";
  }
  make(false);
  EXPECT_FALSE(WatchedFile::open(path())) << "the rank is not watched";
}

TEST_F(WatchedFileTest, RefusesShortFiles) {
  const std::string good = contents(path());
  for (const std::size_t length : {std::size_t{1}, sizeof(RecordHeader) - 1, sizeof(RecordHeader), std::size_t{4096},
                                   good.size() / 2, good.size() - sizeof(WatchPage), good.size() - 1}) {
    write(good.substr(0, length));
    EXPECT_FALSE(WatchedFile::open(other())) << length;
  }
}

TEST_F(WatchedFileTest, RefusesDamagedFiles) {
  EXPECT_TRUE(opens_with(offsetof(RecordHeader, world_rank), std::int64_t{3}));
  EXPECT_FALSE(opens_with(offsetof(RecordHeader, magic), 'Q'));
  EXPECT_FALSE(opens_with(offsetof(RecordHeader, version), record_version - 1));
  EXPECT_FALSE(opens_with(offsetof(RecordHeader, watch.used), std::uint32_t{0}));
  EXPECT_FALSE(opens_with(offsetof(RecordHeader, watch.used), std::uint32_t{2}));
  for (const double rate : {0.0, -1.0, std::nan(""), 1e-300, std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(opens_with(offsetof(RecordHeader, ticks_per_second), rate)) << rate;
  EXPECT_FALSE(opens_with(offsetof(RecordHeader, file_bytes), ~std::uint64_t{0}));
  for (const std::int64_t number : {std::int64_t{-1}, std::int64_t{4}, INT64_MAX})
    EXPECT_FALSE(opens_with(offsetof(RecordHeader, world_rank), number)) << number;
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-4}, std::int64_t{2}, INT64_MAX})
    EXPECT_FALSE(opens_with(offsetof(RecordHeader, world_size), number)) << number;
  EXPECT_FALSE(opens_with(offsetof(RecordHeader, traffic), ~std::uint64_t{0}));
  EXPECT_FALSE(opens_with(offsetof(RecordHeader, traffic), std::uint64_t{1} << 61)) << "its bytes are 0 modulo 2^64";
  for (const std::size_t part :
       {offsetof(RecordHeader, functions), offsetof(RecordHeader, reasons), offsetof(RecordHeader, communicators),
        offsetof(RecordHeader, runs), offsetof(RecordHeader, counters)})
    for (const std::uint32_t room : {0u, 1u, ~0u}) EXPECT_FALSE(opens_with(part, room)) << part << ", " << room;
}

}  // namespace
}  // namespace quadrille::command
