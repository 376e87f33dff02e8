// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choosing/knowledge.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

TEST(Knowledge, AWrongMachineOfTheEnvironmentIsIgnoredWithAWarning) {
  ::unsetenv("QUADRILLE_MACHINE");
  EXPECT_FALSE(machine_of_environment());
  ASSERT_TRUE(usual_preset(1));
  const std::string usual = usual_preset(1)->name;

  ::setenv("QUADRILLE_MACHINE", "epic", 1);
  EXPECT_THROW(machine_of_environment(), Error);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    const auto preset = usual_preset(1);
    EXPECT_TRUE(preset && preset->name == usual);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.rfind("quadrille: QUADRILLE_MACHINE is 'epic', but there is no machine 'epic'", 0), 0u) << said;
  EXPECT_EQ(said.find("it is ignored\n"), said.size() - std::string("it is ignored\n").size()) << "once: " << said;

  ::setenv("QUADRILLE_MACHINE", "hdr", 1);
  EXPECT_EQ(machine_of_environment()->name, usual_preset(1)->name);
  ::setenv("QUADRILLE_MACHINE", "sp2", 1);
  EXPECT_EQ(usual_preset(1)->name, "sp2") << "it has figures for the model flat";
  ::unsetenv("QUADRILLE_MACHINE");
}

}  // namespace
}  // namespace quadrille
