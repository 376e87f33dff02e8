// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rules/vendor_rules.hpp"

#include <gtest/gtest.h>

#include "foundation/mpi_libraries.hpp"

namespace quadrille {
namespace {

TEST(RulesFormats, AreForLibrariesWithPlugIns) {
  for (const std::string& id : libraries_with_rules()) {
    const MpiLibrary* const library = find_mpi_library(id);
    EXPECT_TRUE(library && library->has_plug_in) << id;
    const RulesFormat* const format = find_rules_format(id);
    ASSERT_NE(format, nullptr) << id;
    EXPECT_TRUE(format->setting.ends_with('=')) << format->setting;
    EXPECT_TRUE(!format->by_nodes || format->by_nodes->setting.ends_with('=')) << id;
  }
  EXPECT_EQ(find_rules_format("abi"), nullptr);
  EXPECT_EQ(find_rules_format(""), nullptr);
}

TEST(RulesFormats, WriteTheFormOfTheirLibrary) {
  const RulesFormat* const format = find_rules_format("openmpi");
  ASSERT_NE(format, nullptr);
  EXPECT_FALSE(format->is_json);
  EXPECT_EQ(format->write({}).text, openmpi_rules({}).text);
  EXPECT_TRUE(find_rules_format("mpich")->is_json);
}

}  // namespace
}  // namespace quadrille
