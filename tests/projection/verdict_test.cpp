// SPDX-License-Identifier: BSD-3-Clause
// The first sentence of a projection, and when it speaks.
#include "projection/verdict.hpp"

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

std::string sentence(const ProjectedRun& vendor, const Band& gain, double shorter, double worthwhile) {
  const ProjectionVerdict verdict =
      verdict_of({.runs = {vendor, vendor}, .gain = gain, .gains = {}, .shorter = shorter, .worthwhile = worthwhile});
  Projection projection{.vendor = vendor, .gain = gain, .verdict = verdict};
  if (verdict == ProjectionVerdict::not_known && !is_of_messages(vendor))
    projection.remedy = remedy_of({}, projection, [] { return Band{0.05, 0.02, 0.11}; });
  return verdict_text(projection);
}

TEST(Verdict, IsASentence) {
  const ProjectedRun busy = run_of(10, 40);
  EXPECT_EQ(sentence(busy, {0.14, 0.09, 0.17}, 0.99, 0.98), "run it by `quadrille wrap`: 14 % shorter [9, 17]");
  EXPECT_EQ(sentence(busy, {-0.05, -0.08, -0.01}, 0.02, 0.01), "nothing to gain [-8, -1] %: our choice would be longer");
  EXPECT_EQ(sentence(run_of(30, 20), {0.004, 0.001, 0.006}, 1, 0), "nothing to gain [0, 1] %: your ranks wait for each other");
  EXPECT_EQ(sentence(busy, {0.004, 0.001, 0.006}, 1, 0.05), "nothing to gain [0, 1] %: the network is the limit");
  EXPECT_EQ(sentence(run_of(1, 2), {0, 0, 0}, 0, 0), "nothing to gain [0, 0] %: 2 % of the run is in collectives");
}

TEST(Verdict, IsNotKnownUnlessNearlyAllDrawsAgree) {
  const ProjectedRun busy = run_of(10, 40);
  EXPECT_EQ(sentence(busy, {0.04, -0.12, 0.2}, 0.6, 0.55),
            "not known: the band [-12, 20] % contains 0; measure the machine by `quadrille calibrate --time 60` (2 minutes), which "
            "would narrow it to about [2, 11] %");
  EXPECT_EQ(sentence(busy, {0.08, 0.01, 0.2}, 0.94, 0.9).find("not known: the band [1, 20] % is near 0; measure"), 0u);
  EXPECT_EQ(sentence(busy, {-0.05, -0.2, 0.1}, 0.2, 0.15).find("not known: the band [-20, 10] % contains 0"), 0u);
  EXPECT_EQ(sentence(run_of(10, 20, 41), {0.14, 0.09, 0.17}, 1, 1),
            "not known: 41 % of the run is in point-to-point calls, which are not projected");
}

TEST(Verdict, NamesWhatWouldNarrowTheBand) {
  MachineCosts machine;
  Projection projection{.calls = 10};
  ProjectedRow wide{.function = "Alltoallv", .most_bytes = 512};
  wide.gain_s = {0, -1, 1};
  projection.rows = {{.function = "Bcast"}, wide};
  const auto remedy = [&] { return remedy_of(machine, projection, [] { return Band{0.05, 0.02, 0.11}; }); };
  machine.residuals = {{}};
  EXPECT_EQ(remedy(),
            "measure the node sizes of the run by `quadrille calibrate --time 60` (2 minutes), which would narrow it to "
            "about [2, 11] %");
  projection.corrected_calls = 10;
  EXPECT_EQ(remedy(), "most of the doubt is in Alltoallv with blocks of 512 B, which `quadrille race` times on the machine");
  machine.assumed["max-rate"]["node_gap_us"] = "assumed";
  EXPECT_EQ(remedy().find("measure the machine by"), 0u);
}

}  // namespace
}  // namespace quadrille::projection
