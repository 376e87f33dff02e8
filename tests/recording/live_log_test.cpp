// SPDX-License-Identifier: BSD-3-Clause
// The log of a rank: long ones, and those for which there is no space.
#include "recording/live_log.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <optional>

#include "quadrille/error.hpp"
#include "recording/read_recording.hpp"
#include "support/own_folder.hpp"

namespace quadrille::recording {
namespace {

class LiveLogTest : public testing::OwnFolder {
 protected:
  // Writes a log of so many entries, and reads it.
  RankContents log_of(Count entries) const {
    LiveLog log(place_.string(), {.world_size = 1}, {}, 1);
    log.header().ticks_per_second = 1e9;
    log.define(RecordedCommunicator{"MPI_COMM_WORLD", {0}, 0, false});
    log.define(RecordedSite{.function = "Barrier"});
    for (Count i = 0; i < entries; ++i) log.add({LiveEntry::first_site, 1000, 2000});
    return read_log(place_.string(), 0);
  }
};

// Restores the limit of a file's size.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    struct rlimit less = before_;
    less.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &less);
  }
  ~SizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  struct rlimit before_ {};
};

TEST_F(LiveLogTest, GrowsWithItsEntries) {
  const RankContents contents = log_of(100'000);
  EXPECT_EQ(contents.recorded.calls, 100'000);
  EXPECT_FALSE(contents.recorded.is_cut);
}

TEST_F(LiveLogTest, EndsWhereThereIsNoSpace) {
  const SizeLimit limit(300 << 10);
  const RankContents contents = log_of(100'000);
  EXPECT_EQ(contents.recorded.calls, 32'768);
  EXPECT_TRUE(contents.recorded.is_cut);
}

TEST_F(LiveLogTest, CannotBeMadeWithoutSpace) {
  const SizeLimit limit(1000);
  EXPECT_THROW(log_of(1), Error);
}

TEST_F(LiveLogTest, CannotBeMadeWithoutAFolder) {
  EXPECT_THROW(LiveLog((place_ / "nothing").string(), {.world_size = 1}, {}, 1), Error);
}

}  // namespace
}  // namespace quadrille::recording
