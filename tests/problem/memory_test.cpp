// SPDX-License-Identifier: BSD-3-Clause
// Tests the limits of control groups, versions 1 and 2, with files that imitate the system's.
#include "problem/limits.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/own_folder.hpp"

namespace quadrille {
namespace {

class MemoryTest : public testing::OwnFolder {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((place_ / name).parent_path());
    std::ofstream(place_ / name) << text;
  }
  std::optional<Bytes> limit() const { return control_group_limit(place_ / "membership", place_); }
};

TEST_F(MemoryTest, TheSmallestLimitUpToTheRootHolds) {
  write("membership", "0::/job/step\n");
  EXPECT_EQ(limit(), std::nullopt);
  write("memory.max", "max\n");
  write("job/step/memory.max", "max\n");
  EXPECT_EQ(limit(), std::nullopt);
  write("job/memory.max", "3000000000\n");
  EXPECT_EQ(limit(), 3'000'000'000);
  write("job/step/memory.max", "2000000000\n");
  EXPECT_EQ(limit(), 2'000'000'000);
  write("job/step/memory.max", "4000000000\n");
  EXPECT_EQ(limit(), 3'000'000'000);
}

TEST_F(MemoryTest, VersionOneHasAFolderForMemory) {
  write("membership", "5:cpu,cpuacct:/other\n4:hugetlb,memory:/job\n0::/\n");
  write("memory.limit_in_bytes", "1\n");
  write("memory/other/memory.limit_in_bytes", "2\n");
  write("memory/job/memory.limit_in_bytes", "3000000000\n");
  write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit(), 3'000'000'000);
}

// In a container the path may be the host's, whose last group is the mount itself.
TEST_F(MemoryTest, AGroupOutsideTheMountIsTheMountItself) {
  write("membership", "0::/host/job\n");
  write("memory.max", "1000000\n");
  EXPECT_EQ(limit(), 1'000'000);
}

TEST_F(MemoryTest, NoLimitIsFoundIfFilesAreMissing) {
  EXPECT_EQ(control_group_limit(place_ / "nowhere", place_), std::nullopt);
  write("membership", "nonsense\n::\n");
  EXPECT_EQ(limit(), std::nullopt);
  EXPECT_GT(usable_memory(), 0);
}

}  // namespace
}  // namespace quadrille
