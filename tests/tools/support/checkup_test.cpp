// SPDX-License-Identifier: BSD-3-Clause
// Tests of what `quadrille doctor` concludes from facts about the system that tests cannot change.
#include "support/checkup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/own_folder.hpp"

namespace quadrille::command {
namespace {

using ::testing::HasSubstr;

TEST(CheckTracing, SaysWhoForbidsIt) {
  EXPECT_EQ(check_tracing(true, 1).advice, "");
  EXPECT_EQ(check_tracing(std::nullopt, 1).advice, "");
  EXPECT_THAT(check_tracing(std::nullopt, 1).value, HasSubstr("not known"));
  EXPECT_THAT(check_tracing(false, 1).advice, HasSubstr("kernel.yama.ptrace_scope is 1"));
  EXPECT_THAT(check_tracing(false, 0).advice, HasSubstr("--cap-add=SYS_PTRACE"));
  EXPECT_FALSE(check_tracing(false, 3).is_in_the_way) << "messages are copied twice then";
}

class CheckupTest : public testing::OwnFolder {
 protected:
  CheckupLine check(const std::string& file, const std::string& limit, int cores) const {
    std::ofstream(place_ / "membership") << "0::/\n";
    std::ofstream(place_ / file) << limit;
    return check_control_groups(cores, place_ / "membership", place_);
  }
};

TEST_F(CheckupTest, SharedFolderHasRoomForRanks) {
  EXPECT_EQ(check_shared_folder(place_, 1).advice, "");
  EXPECT_FALSE(check_shared_folder(place_, 1).is_in_the_way);
  EXPECT_FALSE(check_shared_folder(place_, 1 << 30).is_in_the_way) << "two ranks have room";
  EXPECT_THAT(check_shared_folder(place_, 1 << 30).advice, HasSubstr("1073741824 ranks"));
  EXPECT_TRUE(check_shared_folder(place_ / "missing", 1).is_in_the_way);
  EXPECT_THAT(check_shared_folder(place_ / "missing", 1).advice, HasSubstr("tmpfs with 8 MiB"));
}

TEST_F(CheckupTest, ControlGroupsLimitRanks) {
  EXPECT_EQ(check("cpu.max", "max 100000\n", 8).advice, "");
  EXPECT_EQ(check("cpu.max", "800000 100000\n", 8).advice, "");
  EXPECT_THAT(check("cpu.max", "750000 100000\n", 8).advice, HasSubstr("at most 7 ranks"));
  EXPECT_THAT(check("cpu.max", "50000 100000\n", 8).advice, HasSubstr("at most 1 rank "));
  EXPECT_THAT(check("cpu.max", "50000 100000\n", 8).value, HasSubstr("0.5 cores"));
  EXPECT_EQ(check("cpu.max", "max 100000\n", 8).value, "memory: no limit; processor time: no limit");
  EXPECT_THAT(check("memory.max", "500000000\n", 8).advice, HasSubstr("fewer than 8 ranks"));
  EXPECT_EQ(check("memory.max", "500000000\n", 2).advice, "");
}

TEST_F(CheckupTest, VersionOneOfControlGroups) {
  std::filesystem::create_directories(place_ / "cpu/job");
  std::ofstream(place_ / "membership") << "3:cpuacct,cpu:/job\n";
  std::ofstream(place_ / "cpu/job/cpu.cfs_quota_us") << "250000\n";
  std::ofstream(place_ / "cpu/job/cpu.cfs_period_us") << "100000\n";
  EXPECT_THAT(check_control_groups(4, place_ / "membership", place_).advice, HasSubstr("at most 2 ranks"));
  std::ofstream(place_ / "cpu/job/cpu.cfs_quota_us") << "-1\n";
  EXPECT_EQ(check_control_groups(4, place_ / "membership", place_).advice, "");
}

}  // namespace
}  // namespace quadrille::command
