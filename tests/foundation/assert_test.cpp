// SPDX-License-Identifier: BSD-3-Clause
// Tests what a broken contract prints in this build, release builds included, and that the library states its contracts only by the
// macros of this header: plain assert() is off in release builds.
#include "foundation/assert.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace quadrille {
namespace {

void promise(int bytes, int room) { QUADRILLE_ASSERT(bytes <= room); }
void promise_when_hot(int bytes, int room) { QUADRILLE_HOT_ASSERT(bytes <= room); }
constexpr int half(int even) {
  QUADRILLE_ASSERT(even % 2 == 0);
  return even / 2;
}
static_assert(half(4) == 2, "constant expressions may have contracts");

TEST(Assert, ABrokenContractPrintsItsPlaceAndAborts) {
  promise(8, 8);
  EXPECT_EXIT(promise(9, 8), ::testing::KilledBySignal(SIGABRT),
              "^quadrille: broken contract: tests/foundation/assert_test\\.cpp:[0-9]+: promise: bytes <= room\n$");
}

TEST(Assert, HotContractsCostNothingInReleaseBuilds) {
  int evaluated = 0;
  QUADRILLE_HOT_ASSERT(++evaluated > 0);
#ifdef NDEBUG
  EXPECT_EQ(evaluated, 0);
  promise_when_hot(9, 8);
#else
  EXPECT_EQ(evaluated, 1);
  EXPECT_DEATH(promise_when_hot(9, 8), "promise_when_hot: bytes <= room");
#endif
}

// The folder in which the library was built must not be in its file.
TEST(Assert, FilesAreNamedFromTheTreeOn) {
  static constexpr ContractFile own("/home/me/src/quadrille/src/schedule/transform.cpp");
  static constexpr ContractFile by_ccache("../../tests/a_test.cpp");
  static constexpr ContractFile elsewhere("/home/me/main.cpp");
  static constexpr ContractFile alone("main.cpp");
  EXPECT_STREQ(own.name, "src/schedule/transform.cpp");
  EXPECT_STREQ(by_ccache.name, "tests/a_test.cpp");
  EXPECT_STREQ(elsewhere.name, "main.cpp");
  EXPECT_STREQ(alone.name, "main.cpp");
}

// How often a pattern occurs in the source files below src/.
std::size_t occurrences(const std::regex& pattern) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(QUADRILLE_SOURCE_DIR) / "src")) {
    std::ifstream file(entry.path());
    for (std::string line; entry.is_regular_file() && std::getline(file, line);)
      if (std::regex_search(line, pattern)) ++count;
  }
  return count;
}

TEST(Assert, TheLibraryStatesContractsThatReleaseBuildsCheck) {
  EXPECT_EQ(occurrences(std::regex("(^|[^_A-Za-z])assert\\(|<cassert>")), 0u);
  EXPECT_GE(occurrences(std::regex("QUADRILLE_ASSERT\\(")), 120u);
}

}  // namespace
}  // namespace quadrille
