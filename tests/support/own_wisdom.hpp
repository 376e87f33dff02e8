// SPDX-License-Identifier: BSD-3-Clause
// A folder for the wisdom of one test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "support/own_folder.hpp"

namespace quadrille::testing {

class OwnWisdom : public OwnFolder {
 protected:
  void SetUp() override {
    OwnFolder::SetUp();
    if (const char* before = std::getenv("QUADRILLE_WISDOM")) before_ = before;
    keep_wisdom_in((place_ / "").string());
  }
  void TearDown() override {
    if (before_)
      keep_wisdom_in(*before_);
    else
      ::unsetenv("QUADRILLE_WISDOM");
    OwnFolder::TearDown();
  }

  static void keep_wisdom_in(const std::string& place) { ::setenv("QUADRILLE_WISDOM", place.c_str(), 1); }

 private:
  std::optional<std::string> before_;
};

}  // namespace quadrille::testing
