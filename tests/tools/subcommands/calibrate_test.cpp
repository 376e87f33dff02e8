// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille calibrate.
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, CalibratesAndPricesByThat) {
  refuses({"price", "alltoall", "--ranks", "4", "--machine", "this-machine"}, "quadrille calibrate");
  EXPECT_NE(prints({"calibrate", "--ranks", "2", "--time", "0.05"}).find("a round of an exchange"), std::string::npos);
  EXPECT_NE(prints({"price", "alltoall", "--ranks", "4", "--machine", "this-machine"}).find("Fastest: "), std::string::npos);
  const std::string own = file("own.toml").string();
  const Json report = Json::parse(prints({"calibrate", "--ranks", "2", "--time", "0.05", "--output", own, "--json"}));
  EXPECT_GT(report["fits"][0]["samples"].size(), 3u);
  EXPECT_GE(report["fits"][0]["worst_error"].get<double>(), 0);
  EXPECT_NE(contents(own).find("# a round of an exchange: off by "), std::string::npos) << contents(own);
  EXPECT_NE(
      contents(own).find(
          "'  # when they were measured\nnode_sizes = [2]  # ranks of each node, when they were measured\nalltoall = [\n  {by "
          "= 'ours', block = 16, ratio = "),
      std::string::npos)
      << contents(own);
  EXPECT_EQ(report["residuals"][0]["collective"], "alltoall");
  EXPECT_EQ(report["residual_node_sizes"], Json({2}));
  EXPECT_GT(report["residuals"][0]["ratio"].get<double>(), 0);
  const std::string printed = prints({"calibrate", "--ranks", "2", "--time", "0.05", "--output", own});
  EXPECT_NE(printed.find("measured / predicted"), std::string::npos);
  EXPECT_EQ(printed.find("[residuals]"), std::string::npos) << "a table is printed instead";
  EXPECT_EQ(
      prints({"calibrate", "--ranks", "2", "--time", "0.05", "--output", own, "--without-residuals"}).find("measured / predicted"),
      std::string::npos);
  EXPECT_EQ(contents(own).find("[residuals]"), std::string::npos);
  EXPECT_NE(prints({"price", "alltoall", "--ranks", "4", "--machine", own}).find("Fastest: "), std::string::npos);
  refuses({"calibrate", "--ranks", "1"}, "at least 2");
  refuses({"calibrate", "--ranks", "100000"}, "too many");
  refuses({"calibrate", "--time", "soon"}, "is not a time");
  refuses({"calibrate", "--executor", "thread"}, "did you mean 'threads'?");
  refuses({"calibrate", "--executor", "mpi"}, "no processes to exchange with");
  refuses({"calibrate", "--output", "-"}, "name a file for the figures");
  refuses({"calibrate", "--output", file("nowhere/own.toml").string()}, "No such file");
}

}  // namespace
}  // namespace quadrille
