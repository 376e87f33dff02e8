// SPDX-License-Identifier: BSD-3-Clause
// The log of a rank: long ones, and those for which there is no space.
#include "recording/call_log.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <optional>

#include "quadrille/error.hpp"
#include "recording/rank_contents.hpp"
#include "support/own_folder.hpp"

namespace quadrille::recording {
namespace {

class CallLogTest : public testing::OwnFolder {
 protected:
  // Writes a log of so many entries, and reads it.
  RankContents log_of(Count entries) const {
    CallLog log(place_.string(), {.world_size = 1}, {}, 1);
    log.header().ticks_per_second = 1e9;
    log.define(RecordedCommunicator{"MPI_COMM_WORLD", {0}, 0, false});
    log.define(RecordedSite{.function = "Barrier"});
    for (Count i = 0; i < entries; ++i) log.add({0, 1000, 0, 2000});
    return read_rank(recording_path(place_.string(), 0));
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

TEST_F(CallLogTest, GrowsWithItsEntries) {
  const RankContents contents = log_of(200'000);
  EXPECT_EQ(contents.recorded.calls, 200'000);
  EXPECT_FALSE(contents.recorded.is_cut);
}

TEST_F(CallLogTest, EndsWhereThereIsNoSpace) {
  const SizeLimit limit(300 << 10);  // a part of 65,536 units
  const RankContents contents = log_of(200'000);
  EXPECT_GT(contents.recorded.calls, 65'000);
  EXPECT_LT(contents.recorded.calls, 65'536);
  EXPECT_TRUE(contents.recorded.is_cut);
}

TEST_F(CallLogTest, CannotBeMadeWithoutSpace) {
  const SizeLimit limit(1000);
  EXPECT_THROW(log_of(1), Error);
}

TEST_F(CallLogTest, CannotBeMadeWithoutAFolder) {
  EXPECT_THROW(CallLog((place_ / "nothing").string(), {.world_size = 1}, {}, 1), Error);
}

}  // namespace
}  // namespace quadrille::recording
