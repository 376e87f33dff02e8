// SPDX-License-Identifier: BSD-3-Clause
// Tests of what `quadrille info` says about shared memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class InfoTest : public CommandTest {
 protected:
  // Returns the info of a process that a shell starts after it has run `before`.
  std::string info_after(const std::string& before, const std::string& option = "") const {
    const Outcome outcome = run_program({"sh", "-c", before + "; exec \"$0\" info " + option, QUADRILLE_COMMAND});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
    return outcome.out;
  }
  Json shared_memory_after(const std::string& before) const { return Json::parse(info_after(before, "--json"))["shared_memory"]; }
};

TEST_F(InfoTest, DescribesSharedMemory) {
  const Json memory = shared_memory_after("ulimit -v unlimited");
  EXPECT_EQ(memory["available"], true);
  EXPECT_EQ(memory["reason"], "");
  EXPECT_EQ(memory["pid_namespace"],
            fs::exists("/proc/self/ns/pid") ? std::stoull(fs::read_symlink("/proc/self/ns/pid").string().substr(5)) : 0);
  EXPECT_EQ(memory["mapped_bytes"], 2 << 20);
  EXPECT_GT(memory["heap_bytes"], 2 << 20);
  EXPECT_TRUE(memory["address_limit_bytes"].is_null());
  EXPECT_TRUE(memory["reads_private_memory"].is_boolean());
  EXPECT_EQ(memory["plan_memory_bytes"], 64 << 20);
  const std::string text = info_after("ulimit -v unlimited");
  EXPECT_THAT(text, HasSubstr("pid namespace " + memory["pid_namespace"].dump()));
  EXPECT_THAT(text, HasSubstr("2 MiB of them are mapped"));
  EXPECT_THAT(text, Not(HasSubstr("ulimit -v")));
}

TEST_F(InfoTest, TellsLimits) {
  const Json limited = shared_memory_after("ulimit -v 4194304; export QUADRILLE_PLAN_MEMORY=3MiB");
  EXPECT_EQ(limited["available"], true);
  EXPECT_EQ(limited["address_limit_bytes"], 4LL << 30);
  EXPECT_LT(limited["free_address_bytes"], 4LL << 30);
  EXPECT_GT(limited["free_address_bytes"], 2LL << 30);
  EXPECT_EQ(limited["plan_memory_bytes"], 3 << 20);
  EXPECT_THAT(info_after("ulimit -v 4194304"), HasSubstr("the limit of addresses (ulimit -v) is 4096 MiB"));
}

TEST_F(InfoTest, TellsWhyMemoryIsNotShared) {
  const Json memory = shared_memory_after("ulimit -f 1000");
  EXPECT_EQ(memory["available"], false);
  EXPECT_THAT(memory["reason"].get<std::string>(), HasSubstr("ulimit -f"));
  EXPECT_THAT(info_after("ulimit -f 1000"), HasSubstr("not shared: the limit of file sizes (ulimit -f)"));
}

TEST_F(InfoTest, RefusesAnInvalidPlanMemory) {
  const Outcome outcome = run_program({"env", "QUADRILLE_PLAN_MEMORY=much", QUADRILLE_COMMAND, "info"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.talk, HasSubstr("QUADRILLE_PLAN_MEMORY"));
}

}  // namespace
}  // namespace quadrille
