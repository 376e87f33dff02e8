// SPDX-License-Identifier: BSD-3-Clause
// Tests of --algorithm: ranges, what is left out, and MPI libraries' choices.
#include <gtest/gtest.h>

#include <map>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Words priced(const std::string& collective, const std::string& ranks, const std::string& block,
             std::initializer_list<const char*> algorithms) {
  Words words{"price", collective, "--ranks", ranks, "--block", block, "--machine", "hdr", "--json"};
  for (const char* algorithm : algorithms) words.insert(words.end(), {"--algorithm", algorithm});
  return words;
}

TEST_F(CommandTest, TakesRangesAndChoicesOfMpiLibrariesForEachProblem) {
  const Json lists = Json::parse(prints(priced("alltoall", "16", "64B,1KiB", {"bruck:radix=2..3", "vendor:openmpi", "direct"})));
  ASSERT_EQ(lists.size(), 2u);
  for (const Json& list : lists) {
    std::map<std::string, double> seconds;
    for (const Json& each : list["candidates"]) {
      seconds[each["short_name"]] = each["blocking_s"];
      EXPECT_EQ(each.contains("note"), each["short_name"] == "vendor:openmpi");
    }
    EXPECT_EQ(seconds.size(), 4u);
    EXPECT_EQ(seconds["vendor:openmpi"], seconds[list["block_bytes"] == 64 ? "bruck" : "direct"]);
  }
}

TEST_F(CommandTest, SaysWhichChoiceOfAnMpiLibraryTheTableLacks) {
  const Json list = Json::parse(prints(priced("reduce", "300", "8KiB", {"vendor:mpich:smp", "binomial"})));
  ASSERT_EQ(list["left_out"].size(), 1u);
  EXPECT_EQ(list["left_out"][0]["algorithm"], "vendor:mpich:smp");
  EXPECT_EQ(list["left_out"][0]["reason"],
            "MPICH would run smp here; MPICH sends messages between nodes and copies through shared memory inside nodes");
  refuses(priced("reduce", "300", "8KiB", {"vendor:mpich:smp"}), "vendor:mpich:smp has no schedule: MPICH would run smp");
}

TEST_F(CommandTest, RefusesMpiLibrariesThatAreNotKnown) {
  for (const char* algorithm : {"vendor", "vendor:", "vendor:lam", "vendor::pairwise"})
    refuses(priced("alltoall", "4", "8B", {algorithm}), "vendor:openmpi, vendor:openmpi5 or vendor:mpich");
  refuses({"schedule", "alltoall", "--ranks", "4", "--algorithm", "vendor:openmpi:quick"}, "no algorithm 'quick'");
  EXPECT_EQ(prints({"schedule", "alltoall", "--ranks", "16", "--block", "64B", "--algorithm", "vendor:openmpi"}),
            prints({"schedule", "alltoall", "--ranks", "16", "--block", "64B", "--algorithm", "bruck"}));
}

}  // namespace
}  // namespace quadrille
