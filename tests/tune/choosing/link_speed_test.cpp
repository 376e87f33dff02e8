// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choosing/knowledge.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

MachineCosts machine() {
  MachineCosts made;
  made.name = "fast";
  made.models["max-rate"] = {{"us_per_byte", 2e-4}, {"node_us_per_byte", 1e-4}};
  return made;
}

TEST(LinkSpeed, ReplacesFiguresThatAreClearlyTooFast) {
  const MachineCosts slow = with_measured_links(machine(), 0.08);
  const auto& figures = slow.models.find("max-rate")->second;
  EXPECT_EQ(figures.at("node_us_per_byte"), 0.08);
  EXPECT_EQ(figures.at("us_per_byte"), 0.08);
  EXPECT_EQ(slow.name, "fast with links of about 0.1 Gbit/s, as measured here");
}

TEST(LinkSpeed, LeavesFiguresThatAreAboutRight) {
  for (const double measured : {0.0, 1e-5, 1e-4, 4e-4}) {
    const MachineCosts same = with_measured_links(machine(), measured);
    EXPECT_EQ(same.name, "fast") << measured;
    EXPECT_EQ(same.models.find("max-rate")->second.at("node_us_per_byte"), 1e-4) << measured;
  }
  const MachineCosts slower = with_measured_links(machine(), 4.1e-4);
  EXPECT_EQ(slower.models.find("max-rate")->second.at("us_per_byte"), 4.1e-4);
}

}  // namespace
}  // namespace quadrille
