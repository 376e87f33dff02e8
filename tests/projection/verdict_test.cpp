// SPDX-License-Identifier: BSD-3-Clause
// The sentence at the end of a projection.
#include "projection/projection.hpp"

#include <gtest/gtest.h>

namespace quadrille::projection {
namespace {

// A run of 100 s with these parts; the rest is computing.
ProjectedRun run_of(double waiting, double inside, double messages = 0) {
  ProjectedRun run;
  run.total.value = 100;
  run.parts[0].value = 100 - waiting - inside - messages;
  run.parts[1].value = waiting, run.parts[2].value = inside, run.parts[3].value = messages;
  return run;
}

std::string sentence(const ProjectedRun& vendor, const Band& gain) {
  Projection projection{.vendor = vendor, .gain = gain, .verdict = verdict_of(vendor, gain)};
  return verdict_text(projection);
}

TEST(Verdict, IsASentence) {
  const ProjectedRun busy = run_of(10, 40);
  EXPECT_EQ(sentence(busy, {0.14, 0.09, 0.17}), "run it by `quadrille wrap`: 14 % [9, 17] shorter");
  EXPECT_EQ(sentence(busy, {0.02, -0.04, 0.07}),
            "perhaps: 2 % [-4, 7] shorter by `quadrille wrap`, which these figures do not settle");
  EXPECT_EQ(sentence(busy, {-0.05, -0.08, -0.01}), "nothing to gain: our choice would be 5 % [1, 8] longer");
  EXPECT_EQ(sentence(run_of(30, 20), {0.004, 0.001, 0.006}), "nothing to gain: your ranks wait for each other");
  EXPECT_EQ(sentence(busy, {0.004, 0.001, 0.006}), "nothing to gain: the network is the limit");
  EXPECT_EQ(sentence(run_of(1, 2), {0, 0, 0}), "nothing to gain: 2 % of the run is in collectives");
  EXPECT_EQ(sentence(run_of(10, 20, 41), {0.14, 0.09, 0.17}), "no verdict: 41 % of the run is in point-to-point calls");
}

}  // namespace
}  // namespace quadrille::projection
