// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace quadrille {
namespace {

class UserFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* home = std::getenv("HOME")) home_ = home;
  }
  void TearDown() override {
    ::unsetenv("QUADRILLE_TEST_FOLDER");
    home_.empty() ? ::unsetenv("HOME") : ::setenv("HOME", home_.c_str(), 1);
  }

  static std::string folder(const char* variable, const char* home) {
    ::setenv("QUADRILLE_TEST_FOLDER", variable, 1);
    ::setenv("HOME", home, 1);
    return user_folder("QUADRILLE_TEST_FOLDER", ".cache");
  }

 private:
  std::string home_;
};

TEST_F(UserFolder, IsThatOfTheVariableOrLiesInTheHomeFolder) {
  EXPECT_EQ(folder("/own/place", "/home/me"), "/own/place");
  EXPECT_EQ(folder("", "/home/me"), "/home/me/.cache");
}

TEST_F(UserFolder, RelativePathsDoNotCount) {
  EXPECT_EQ(folder("place", "/home/me"), "/home/me/.cache");
  EXPECT_EQ(folder("place", "me"), "");
  EXPECT_EQ(folder("", ""), "");
}

}  // namespace
}  // namespace quadrille
