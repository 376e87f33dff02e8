// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille project, with recordings made by tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/goal_text.hpp"
#include "support/made_recording.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ProjectTest : public CommandTest {
 protected:
  // Eight ranks with 50 exchanges of 64 B after 5 us, and one call that nobody knows.
  void SetUp() override {
    CommandTest::SetUp();
    const auto exchange = program_.site({.function = "Alltoall", .block_bytes = 64});
    const auto counts = program_.site({.function = "Alltoallv", .block_bytes = 36, .counts = {1, 2, 3, 4, 5, 6, 7, 8}});
    for (Rank rank = 0; rank < 8; ++rank) {
      for (int i = 0; i < 50; ++i) program_.add(rank, exchange, {.gap_us = 5, .duration_us = 40});
      program_.add(rank, counts, {.gap_us = 1, .duration_us = 9});
    }
    folder_ = place_ / "run";
    fs::create_directory(folder_);
    program_.write(folder_);
  }

  Words words(const Words& more = {}) const {
    Words all{"project", folder_, "--node-sizes", "4x2", "--machine", "ethernet100"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  MadeRecording program_{8};
  std::string folder_;
};

TEST_F(ProjectTest, PrintsPartsRowsAndASentence) {
  const std::string text = prints(words());
  EXPECT_THAT(text,
              AllOf(HasSubstr("./app: 8 ranks on 2 nodes of ethernet100\n51 collective calls replayed."), HasSubstr("Open MPI 4.1"),
                    HasSubstr("waiting for late ranks"), HasSubstr("Alltoallv"), HasSubstr("8 ranks on 2 nodes"), HasSubstr("%")));
  EXPECT_EQ(text.find("as recorded"), std::string::npos);
}

TEST_F(ProjectTest, PrintsJson) {
  const Json json = Json::parse(prints(words({"--json", "--computing", "2", "--choose", "alltoall=shift"})));
  EXPECT_EQ(json["calls"], 51);
  EXPECT_EQ(json["changes"], Json({"computing times 2", "alltoall by shift"}));
  EXPECT_EQ(json["rows"][0]["ours"]["algorithm"], "shift");
  EXPECT_NEAR(json["vendor"]["computing_s"]["value"], 502e-6, 20e-6);
  EXPECT_LE(json["gain"]["low"], json["gain"]["high"]);
  EXPECT_FALSE(json["sentence"].get<std::string>().empty());
}

TEST_F(ProjectTest, PlacesRanks) {
  const auto nodes = [&](const Words& all) { return Json::parse(prints(all))["nodes"].get<int>(); };
  const auto vendor_s = [&](const Words& all) {
    return Json::parse(prints(all))["vendor"]["collectives_s"]["value"].get<double>();
  };
  EXPECT_EQ(nodes({"project", folder_, "--machine", "ethernet100", "--json"}), 1) << "the host of the recording";
  EXPECT_EQ(nodes(words({"--json", "--placement", "cyclic"})), 2);
  const std::string cyclic = write("cyclic", "# by hand\n0 1 0 1\n0 1 0 1\n");
  const std::string one = write("one", "0 0 0 0 0 0 0 0\n");
  const Words by_file{"project", folder_, "--machine", "ethernet100", "--json", "--placement"};
  const auto with = [&](const std::string& file) {
    Words all = by_file;
    all.push_back(file);
    return all;
  };
  EXPECT_EQ(vendor_s(with(cyclic)), vendor_s(words({"--json", "--placement", "cyclic"})));
  EXPECT_LT(vendor_s(with(one)), vendor_s(with(cyclic)));
}

TEST_F(ProjectTest, DrawsBars) {
  const std::string picture = file("parts.svg");
  prints(words({"--plot", picture}));
  EXPECT_THAT(contents(picture), AllOf(HasSubstr("<svg"), HasSubstr("waiting for late ranks"), HasSubstr("ours")));
}

TEST_F(ProjectTest, RefusesWrongUse) {
  refuses({"project", folder_}, "name a machine");
  refuses({"project", folder_ + "/none", "--machine", "hdr"}, "cannot be read");
  refuses({"project", folder_, "--machine", "hrd"}, "hdr");
  refuses(words({"--vendor", "openmp"}), "openmpi");
  refuses(words({"--choose", "alltoall"}), "COLLECTIVE=ALGORITHM");
  refuses(words({"--choose", "alltoall=bruk"}), "bruck");
  refuses(words({"--choose", "alltoall=bruck", "--choose", "alltoall=shift"}), "two algorithms");
  refuses(words({"--computing", "-1"}), "computing is a factor");
  refuses(words({"--total-cores", "0"}), "at least 1");
  refuses(words({"--plot", "parts.json"}), "json");
  refuses({"project", folder_, "--machine", "hdr", "--node-sizes", "8x8"}, "64 ranks");
  refuses({"project", folder_, "--machine", "hdr", "--placement", "cyclic"}, "--node-sizes");
  refuses({"project", folder_, "--machine", "hdr", "--placement", write("few", "0 1\n")}, "places 2 ranks, not 8");
  const std::string other = file("other");
  fs::create_directory(other);
  program_.write(other, 6);
  refuses({"project", other, "--machine", "hdr"}, "2 of 8 ranks are missing");
}

TEST_F(ProjectTest, WritesGoal) {
  const std::string file = place_ / "run.goal";
  const auto messages = [&](const Words& more) {
    Words all{"--goal", file, "--choose", "alltoall=bruck"};
    all.insert(all.end(), more.begin(), more.end());
    prints(words(all));
    return GoalText(contents(file)).replay().messages.size();
  };
  const std::size_t vendor = messages({}), ours = messages({"--goal-side", "ours"});
  EXPECT_NE(vendor, ours) << "the library exchanges in 7 rounds, bruck in 3";
  EXPECT_EQ(vendor, messages({"--goal-side", "vendor"}));
  refuses(words({"--goal", file, "--goal-side", "our"}), "ours");
  refuses(words({"--goal-side", "ours"}), "--goal FILE");
  refuses(words({"--goal", file, "--total-cores", "2"}), "--total-cores");
}

}  // namespace
}  // namespace quadrille
