// SPDX-License-Identifier: BSD-3-Clause
// Tests of what quadrille compare concludes from two runs of a program.
#include <gmock/gmock.h>

#include "support/run_files.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string dynamic = "OMPI_MCA_coll_tuned_use_dynamic_rules=1", forced = "OMPI_MCA_coll_tuned_allreduce_algorithm=1";

class RunComparisonTest : public RunFiles {
 protected:
  // What is printed, without the breaks of lines.
  std::string said(const Words& words) const {
    std::string text = prints(words);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
};

TEST_F(RunComparisonTest, NamesTheCallsThatGotSlowerAndTheSetting) {
  const std::string a = record("a", {}), b = record("b", {.allreduce_us = 40, .settings = {forced, dynamic}});
  const Json result = compare(a, b);
  const Json& first = result["changes"][0];
  EXPECT_EQ(first["function"], "Allreduce (sum f64)");
  EXPECT_NEAR(first["change_s"].get<double>(), calls * 30.6e-6, 0.03 * calls * 30e-6);
  EXPECT_NEAR(first["ratio"]["median"].get<double>(), 4, 0.1);
  EXPECT_LE(first["ratio"]["lower"], first["ratio"]["median"]);
  EXPECT_TRUE(first["is_marked"]);
  EXPECT_FALSE(result["changes"][1]["is_marked"]);
  EXPECT_EQ(result["switch"], forced);
  const std::string text = said({"compare", a, b});
  EXPECT_THAT(text, AllOf(HasSubstr("most of it in Allreduce (sum f64), 64 B on MPI_COMM_WORLD: +1.23 ms, a call takes 4.0"),
                          HasSubstr("In B, unset " + forced), HasSubstr("1 of 2 changed")));
  EXPECT_THAT(said({"compare", b, a}), AllOf(HasSubstr("In A, unset "), HasSubstr("-1.23 ms")));
  EXPECT_THAT(said({"compare", a, a}), AllOf(HasSubstr("no calls changed by more than the noise"), HasSubstr("0 of 2 changed")));
  EXPECT_EQ(run({"compare", a, b, "--fail-above", "3"}).exit_code, 1);
  EXPECT_EQ(run({"compare", a, b, "--fail-above", "5"}).exit_code, 0);
  EXPECT_EQ(run({"compare", b, a, "--fail-above", "1.1"}).exit_code, 0);
}

TEST_F(RunComparisonTest, NamesComputingAndLateRanks) {
  const std::string a = record("a", {}), slow = record("slow", {.allreduce_us = 11, .computing_us = 90});
  EXPECT_THAT(said({"compare", a, slow}), AllOf(HasSubstr("most of it computing: +2.40 ms"), Not(HasSubstr("In B,"))));
  const std::string late = record("late", {.late_us = {90, 0, 0}});
  EXPECT_THAT(said({"compare", a, late}), HasSubstr("most of it waiting for late ranks: +2.4"));
  EXPECT_FALSE(compare(a, late)["changes"][0]["is_marked"]) << "the calls themselves are as fast as before";
}

TEST_F(RunComparisonTest, TakesIntervalsFromSeveralRuns) {
  for (int i = 0; i < 3; ++i) {
    record("a/" + std::to_string(i), {.allreduce_us = 10.0 + 5 * i});
    record("same/" + std::to_string(i), {.allreduce_us = 12.0 + 5 * i});
    record("b/" + std::to_string(i), {.allreduce_us = 40.0 + i});
  }
  const Json other = compare(file("a"), file("b")), same = compare(file("a"), file("same"));
  EXPECT_EQ(other["a"]["runs"].size(), 3u);
  EXPECT_TRUE(other["changes"][0]["is_marked"]);
  EXPECT_NEAR(other["changes"][0]["ratio"]["confidence"].get<double>(), 0.9, 1e-9);
  EXPECT_GT(other["ratio"]["lower"], 1);
  for (const Json& change : same["changes"]) EXPECT_FALSE(change["is_marked"]) << "runs of one side differ by more";
  EXPECT_EQ(compare(file("a/0"), file("same/0"))["changes"][0]["is_marked"], true) << "within these two runs it differs";
  EXPECT_THAT(said({"compare", file("a"), file("b")}), HasSubstr("Intervals are of the runs."));
}

TEST_F(RunComparisonTest, RefusesRunsThatCannotBeCompared) {
  const std::string a = record("a", {}), four = record("four", {.late_us = {0, 0, 0, 0}, .hosts = {"h", "h", "h", "h"}});
  refuses({"compare", a, four}, "3 ranks");
  record("mixed/0", {}), record("mixed/1", {.settings = {dynamic}});
  refuses({"compare", a, file("mixed")}, "their MPI or its settings differ");
}

}  // namespace
}  // namespace quadrille
