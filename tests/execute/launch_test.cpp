// SPDX-License-Identifier: BSD-3-Clause
// Starting ranks from a program, and finding oneself to be one.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {
namespace {

TEST(RunRanks, ReturnsTheFirstFailure) {
  EXPECT_EQ(run_ranks(3, {"true"}), 0);
  EXPECT_EQ(run_ranks(3, {"sh", "-c", "test $QUADRILLE_RANK != 1 || exit 5"}), 5);
}

// Somebody else in the process may wait for any child, and so for ranks.
TEST(RunRanks, EndsWhereAnotherWaitsForItsChildren) {
  std::atomic<bool> over{false};
  std::thread thief([&] {
    while (!over) ::waitpid(-1, nullptr, 0);
  });
  try {
    EXPECT_EQ(run_ranks(8, {"sleep", "0.2"}), 0);  // the thief was never the first
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_NE(std::string(error.what()).find("is lost"), std::string::npos) << error.what();
  }
  over = true;
  thief.join();
}

}  // namespace
}  // namespace quadrille
