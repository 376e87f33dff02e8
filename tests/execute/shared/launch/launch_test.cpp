// SPDX-License-Identifier: BSD-3-Clause
// Tests run_ranks, which starts ranks from a program, and shared_world, by which a process joins its group.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "execute/shared/group_space.hpp"
#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {
namespace {

TEST(RunRanks, ReturnsTheFirstFailure) {
  EXPECT_EQ(run_ranks(3, {"true"}), 0);
  EXPECT_EQ(run_ranks(3, {"sh", "-c", "test $QUADRILLE_RANK != 1 || exit 5"}), 5);
}

// Another thread of the process may wait for any child. That does no harm, because the ranks are children of the guard.
TEST(RunRanks, WorksIfAnotherThreadWaitsForAnyChild) {
  std::atomic<bool> over{false};
  std::thread thief([&] {
    while (!over) ::waitpid(-1, nullptr, 0);
  });
  EXPECT_EQ(run_ranks(8, {"true"}), 0);
  EXPECT_EQ(run_ranks(8, {"sh", "-c", "test $QUADRILLE_RANK != 1 || exit 5"}), 5);
  over = true;
  thief.join();
}

TEST(RunRanks, RefusesInvalidNumbersOfRanks) {
  for (const Count ranks : {Count{-1}, Count{0}, Count{1} << 40, Count{1} << 62}) EXPECT_THROW(run_ranks(ranks, {"true"}), Error);
}

// The environment variables may hold anything. A descriptor that is not a head file must be neither closed nor changed.
TEST(SharedWorld, RefusesInvalidEnvironmentVariables) {
  const Descriptor segment = make_head_file(2);
  const std::string genuine = std::to_string(segment.number()),
                    wrapped = std::to_string((std::int64_t{1} << 32) + segment.number());
  const int flags_of_talk = ::fcntl(2, F_GETFD);
  struct Case {
    std::string rank, ranks, segment;
  };
  for (const Case& wrong : {Case{"0", "2", "2"},
                            {"0", "2", "-1"},
                            {"0", "2", "1000000"},
                            {"0", "2", wrapped},
                            {"0", "2", ""},
                            {"0", "2", genuine + " "},
                            {"2", "2", genuine},
                            {"-1", "2", genuine},
                            {"", "2", genuine},
                            {"0x0", "2", genuine},
                            {"0", "3", genuine},
                            {"0", "0", genuine},
                            {"0", "4611686018427387904", genuine},
                            {"0", "99999999999999999999", genuine},
                            {"99999999999999999999", "2", genuine}}) {
    ::setenv("QUADRILLE_RANK", wrong.rank.c_str(), 1);
    ::setenv("QUADRILLE_RANKS", wrong.ranks.c_str(), 1);
    ::setenv("QUADRILLE_HEAD", wrong.segment.c_str(), 1);
    try {
      shared_world();
      ADD_FAILURE() << fmt::format("taken: '{}' '{}' '{}'", wrong.rank, wrong.ranks, wrong.segment);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::misuse);
      EXPECT_NE(std::string(error.what()).find("'quadrille run'"), std::string::npos) << error.what();
    }
    EXPECT_EQ(::fcntl(2, F_GETFD), flags_of_talk);
    EXPECT_EQ(::fcntl(segment.number(), F_GETFD), FD_CLOEXEC);
  }
  for (const char* variable : {"QUADRILLE_RANK", "QUADRILLE_RANKS", "QUADRILLE_HEAD"}) ::unsetenv(variable);
}

}  // namespace
}  // namespace quadrille
