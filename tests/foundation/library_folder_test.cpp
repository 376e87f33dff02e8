// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/files.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(LibraryFolder, HoldsTheMachines) { EXPECT_TRUE(exists(library_folder() / "machines" / "sp1.toml")) << library_folder(); }

}  // namespace
}  // namespace quadrille
