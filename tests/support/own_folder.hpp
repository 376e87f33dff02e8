// SPDX-License-Identifier: BSD-3-Clause
// A folder for the files of one test. It also serves as the user's folder of machines, which is empty.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace quadrille::testing {

class OwnFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "quadrille.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    place_ = name;
    ::setenv("XDG_CONFIG_HOME", name.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_CONFIG_HOME");
    std::filesystem::remove_all(place_);
  }

  std::filesystem::path place_;
};

}  // namespace quadrille::testing
