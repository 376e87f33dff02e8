// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille project, with recordings made by tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "support/command.hpp"
#include "support/goal_text.hpp"
#include "support/made_recording.hpp"
#include "support/perfetto_text.hpp"
#include "support/source_folder.hpp"
#include "support/viewer_page.hpp"

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
    Words all{"project", folder_, "--node-sizes", "2x4", "--machine", "ethernet100"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // What the command prints. A note that takes several lines is joined to one line.
  std::string prints_unwrapped(const Words& all) {
    std::string text = prints(all);
    for (std::size_t at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ", at)) text.replace(at, 3, " ");
    return text;
  }

  MadeRecording program_{8};
  std::string folder_;
};

TEST_F(ProjectTest, PrintsPartsRowsAndASentence) {
  const std::string text = prints(words());
  EXPECT_THAT(text, ::testing::ContainsRegex("^(run it by|nothing to gain|not known)")) << "the sentence comes first";
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

// The file has residuals of alltoall, measured on the projected nodes.
TEST_F(ProjectTest, CorrectsPrices) {
  std::string machine = contents(source_folder / "machines/ethernet100.toml");
  machine +=
      "\n[residuals]\nnode_sizes = [4, 4]\nalltoall = [{by = 'vendor', block = 64, ratio = 2, spread = 0.1},"
      " {by = 'ours', block = 64, ratio = 3, spread = 0.1}]\n";
  const Words on{"project", folder_, "--node-sizes", "2x4", "--machine", write("residuals.toml", machine)};
  const auto with = [&](const Words& more) {
    Words all = on;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  EXPECT_THAT(prints(on), AllOf(HasSubstr("gain  prices\n"), HasSubstr("  corrected\n")));
  EXPECT_THAT(
      prints_unwrapped(on),
      AllOf(HasSubstr("./app: 8 ranks on 2 nodes of ethernet100\n"),
            HasSubstr("Note: the prices of 50 of 51 calls are corrected by the machine's residuals, which were measured on the "
                      "same node sizes (2x4)")));
  EXPECT_THAT(prints_unwrapped(with({"--without-correction"})),
              AllOf(HasSubstr("with no price corrected by residuals\n"), HasSubstr("Note: no price is corrected"),
                    ::testing::Not(HasSubstr("gain  prices"))));
  const Json corrected = Json::parse(prints(with({"--json"})));
  const Json as_priced = Json::parse(prints(with({"--json", "--without-correction"})));
  EXPECT_EQ(corrected["corrected_calls"], 50);
  EXPECT_EQ(as_priced["corrected_calls"], 0);
  EXPECT_EQ(as_priced["changes"], Json({"no price corrected by residuals"}));
  const auto alltoall = [](const Json& json) {
    return *std::find_if(json["rows"].begin(), json["rows"].end(), [](const Json& row) { return row["function"] == "Alltoall"; });
  };
  EXPECT_EQ(alltoall(corrected)["corrected_calls"], 50);
  EXPECT_NEAR(alltoall(corrected)["vendor"]["seconds"].get<double>() / alltoall(as_priced)["vendor"]["seconds"].get<double>(), 2,
              1e-9);
  const std::string page = file("corrected.html"), goal = file("corrected.goal"), goal_as_priced = file("as-priced.goal");
  prints(with({"--trace", page, "--goal", goal, "--goal-side", "ours"}));
  EXPECT_THAT(contents(page), HasSubstr("Prices of 50 of 51 calls are corrected by residuals."));
  prints(with({"--without-correction", "--goal", goal_as_priced, "--goal-side", "ours"}));
  EXPECT_EQ(contents(goal), contents(goal_as_priced)) << "GOAL has messages and no prices";
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

TEST_F(ProjectTest, WritesATrace) {
  const std::string trace = file("run.perfetto");
  EXPECT_THAT(prints_unwrapped(words({"--trace", trace})), HasSubstr("run.perfetto has 408 calls of all ranks, from 0 s to"));
  if (!has_protoc()) GTEST_SKIP() << "protoc is not installed (protobuf-compiler)";
  std::map<std::string, std::string> names;  // of tracks
  std::map<std::string, int> slices;         // by track and name
  std::map<std::string, std::string> times;  // when the last slice of a track begins or ends
  std::vector<std::string> processes;
  for (const PerfettoPacket& packet : perfetto_packets(trace)) {
    const std::string track = value_of(packet, "track_uuid"), time = value_of(packet, "timestamp");
    if (const std::string process = value_of(packet, "process_name"); !process.empty()) processes.push_back(process);
    if (track.empty()) {
      names[value_of(packet, "uuid")] = value_of(packet, "name");
      continue;
    }
    if (times.contains(track)) EXPECT_LE(std::stoll(times[track]), std::stoll(time));
    times[track] = time;
    if (value_of(packet, "type") == "TYPE_SLICE_BEGIN") ++slices[names[track] + " " + value_of(packet, "name")];
  }
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0], "\"Open MPI 4.1: 8 ranks on 2 nodes of ethernet100\"");
  EXPECT_EQ(times.size(), 16u) << "both sides of eight ranks";
  for (const char* rank : {"\"rank 0\"", "\"rank 7\""}) {
    EXPECT_EQ(slices[std::string(rank) + " \"computing\""], 2 * 51);
    EXPECT_EQ(slices[std::string(rank) + " \"Alltoall 64 B\""], 2 * 50);
    EXPECT_EQ(slices[std::string(rank) + " \"Alltoallv 36 B\""], 2);
  }
}

TEST_F(ProjectTest, WritesATraceAsAPage) {
  const std::string page = file("run.html");
  EXPECT_THAT(prints_unwrapped(words({"--trace", page, "--trace-window", "0..0.001"})), HasSubstr("run.html has"));
  const Json data = page_data(contents(page));
  ASSERT_EQ(data["documents"].size(), 1u);
  const Json& line = data["documents"][0];
  EXPECT_EQ(line["format"], "quadrille-timeline/1");
  EXPECT_EQ(line["title"], "./app: 8 ranks on 2 nodes of ethernet100");
  EXPECT_EQ(line["ranks"], 8);
  EXPECT_THAT(line["text"].get<std::string>(), HasSubstr("from 0 s to 0.001 s of the recorded run"));
  ASSERT_EQ(line["sides"].size(), 2u);
  for (const Json& side : line["sides"]) {
    const std::size_t pieces = side["rank"].size();
    EXPECT_GT(pieces, 8 * 2 * 20u) << "every 45 us a rank computes and exchanges";
    EXPECT_LT(pieces, 8 * 3 * 24u);
    for (const char* column : {"part", "name", "detail", "last_rank", "begin_ns", "end_ns"})
      EXPECT_EQ(side[column].size(), pieces) << column;
    for (std::size_t i = 1; i < pieces; ++i)
      if (side["rank"][i] == side["rank"][i - 1]) EXPECT_EQ(side["begin_ns"][i], side["end_ns"][i - 1]);
  }
  EXPECT_EQ(line["sides"][0]["title"], "Open MPI 4.1");
}

TEST_F(ProjectTest, TracesAWindow) {
  const std::string whole = file("whole.perfetto"), part = file("part.pftrace");
  prints(words({"--trace", whole}));
  EXPECT_THAT(prints_unwrapped(words({"--trace", part, "--trace-window", "0.001..0.0015"})),
              HasSubstr("from 0.001 s to 0.0015 s of the recorded run"));
  EXPECT_LT(contents(part).size(), contents(whole).size() / 3);
  EXPECT_THAT(contents(part), HasSubstr("rank 7"));
}

TEST_F(ProjectTest, ScalesRanks) {
  const Words more{"project", folder_, "--node-sizes", "4x4", "--machine", "ethernet100"};
  const auto with = [&](const Words& options) {
    Words all = more;
    all.insert(all.end(), options.begin(), options.end());
    return all;
  };
  EXPECT_THAT(
      prints_unwrapped(with({"--scale", "2:strong"})),
      AllOf(HasSubstr("./app: 16 ranks on 4 nodes of ethernet100, scaled from 8 to 16 (strong), with computing times 0.5\n"),
            HasSubstr("16 B  MPI_COMM_WORLD, 16 ranks on 4 nodes"), HasSubstr("Note: 16 ranks stand for the 8 recorded ones"),
            ::testing::StartsWith("scaled to 16 ranks: ")));
  const Json json = Json::parse(prints(with({"--scale", "2x4=4x4:weak", "--json"})));
  EXPECT_EQ(json["scaled"], (Json{{"from", {2, 4}}, {"to", {4, 4}}, {"blocks", "weak"}}));
  EXPECT_EQ(json["ranks"], 16);
  EXPECT_EQ(json["rows"][0]["least_bytes"], 32);
  EXPECT_THAT(json["sentence"].get<std::string>(), HasSubstr("scaled to 16 ranks: "));
  const std::string trace = file("scaled.perfetto");
  prints(with({"--scale", "2:same", "--trace", trace}));
  EXPECT_THAT(contents(trace), HasSubstr("scaled from 8 to 16 (same)"));
}

TEST_F(ProjectTest, RefusesWrongScales) {
  const auto refused = [&](const std::string& scale, const std::string& part) {
    refuses({"project", folder_, "--node-sizes", "4x4", "--machine", "hdr", "--scale", scale}, part);
  };
  refused("2", "such as 8:weak");
  refused("2:week", "weak");
  refused(":weak", "the factor of --scale");
  refused("", "such as 8:weak");
  refused("1:weak", "at least 2");
  refused("two:weak", "the factor of --scale");
  refused("99999999999:weak", "too many ranks");
  refused("1024:weak", "4096 ranks at most");
  refused("2x4=4x:weak", "a side of a grid");
  refused("=4x4:weak", "a side of a grid");
  refused("2x4=3x4:weak", "whole factors");
  refused("2x2=4x4:weak", "does not have the 8 recorded ranks");
  refused("2:weak=3", "rule of --scale");
  refused("3:weak", "the nodes '4x4' hold 16 ranks, not 24; --scale 2:weak makes 16 ranks of the 8 recorded ones");
  refuses({"project", folder_, "--machine", "hdr", "--scale", "2:weak"}, "--scale needs nodes");
}

TEST_F(ProjectTest, RefusesWrongUse) {
  refuses({"project", folder_}, "name a machine");
  refuses({"project", folder_ + "/none", "--machine", "hdr"}, "cannot be read");
  refuses({"project", folder_, "--machine", "hrd"}, "hdr");
  refuses(words({"--vendor", "openmp"}), "openmpi");
  refuses(words({"--choose", "alltoall"}), "COLLECTIVE=ALGORITHM");
  refuses(words({"--choose", "alltoall=bruk"}), "bruck");
  refuses(words({"--choose", "alltoall=bruck", "--choose", "alltoall=shift"}), "two algorithms");
  refuses(words({"--choose", "alltoall=bruck:radx=4"}), "did you mean 'radix'?");
  refuses(words({"--choose", "alltoall=bruck:radix"}), "write name=value");
  refuses(words({"--computing", "-1"}), "computing is a factor");
  refuses(words({"--total-cores", "0"}), "at least 1");
  refuses(words({"--plot", "parts.json"}), "json");
  refuses(words({"--trace", "run.json"}), "json");
  refuses(words({"--trace", "-"}), "a file of its own");
  refuses(words({"--plot", "-"}), "--plot needs a file of its own, because stdout has another text");
  refuses(words({"--goal", "-"}), "--goal needs a file of its own");
  refuses(words({"--trace", "run", "--output", "./run"}), "--trace needs a file of its own, because --output names the same");
  refuses(words({"--goal", "run", "--output", "run"}), "because --output names the same");
  refuses(words({"--goal", "./run", "--trace", "run"}), "because --goal names the same");
  refuses(words({"--goal", "run.svg"}), "would hold text, not SVG");
  refuses(words({"--plot", ""}), "the name of a file to write is empty");
  refuses(words({"--trace", "run.perfetto", "--without-late-ranks"}), "leave one of them out");
  refuses(words({"--trace-window", "1..2"}), "add --trace");
  refuses(words({"--trace", file("none.perfetto"), "--trace-window", "7..8"}), "no call was recorded from 7 s to 8 s");
  EXPECT_FALSE(fs::exists(file("none.perfetto")));
  for (const char* window : {"", "1", "2..1", "1..1", "a..b", "1..2..3", "nan..2", "1...0.5"})
    refuses(words({"--trace", "run.perfetto", "--trace-window", window}), "two times of the recorded run");
  const auto refused_on = [&](const char* nodes, const std::string& part) {
    refuses({"project", folder_, "--machine", "hdr", "--node-sizes", nodes}, part);
  };
  refused_on("8x8", "the nodes '8x8' hold 64 ranks, not 8; --scale 8:weak makes 64 ranks of the 8 recorded ones");
  refused_on("3x4", "the nodes '3x4' hold 12 ranks, not 8\n");
  refused_on("4", "the nodes '4' hold 4 ranks, not 8\n");
  refused_on("64x128", "the nodes '64x128' hold 8192 ranks, not 8\n");
  refuses({"project", folder_, "--machine", "hdr", "--placement", "cyclic"}, "--node-sizes");
  refuses(words({"--placement", "blok"}), "block or cyclic");
  refuses({"project", folder_, "--machine", "hdr", "--placement", write("few", "0 1\n")}, "places 2 ranks, not 8");
  const std::string other = file("other");
  fs::create_directory(other);
  program_.write(other, 6);
  refuses({"project", other, "--machine", "hdr"}, "2 of 8 ranks are missing");
  refuses({"project", other, "--machine", "hdr", "--scale", "2:weak", "--node-sizes", "4x4"}, "2 of 8 ranks are missing");
  program_.write(other);
  std::ofstream(other + "/rank-3.recording") << "no recording";
  refuses({"project", other, "--machine", "hdr"}, "the recording of rank 3 in");
}

// Rank 7 calls on a communicator of the first four ranks.
TEST_F(ProjectTest, RefusesRecordingsThatContradictThemselves) {
  program_.communicator({0, 1, 2, 3});
  std::vector<recording::RankContents> ranks = program_.contents();
  ranks[7].sites[0].communicator = 1;
  for (const recording::RankContents& each : ranks) MadeRecording::write(folder_, each);
  const std::string sentence = "rank 7 calls Alltoall on a communicator of which it is no member\n";
  refuses(words(), sentence);
  refuses(words({"--goal", file("run.goal")}), sentence);
  refuses(words({"--scale", "2:weak"}), sentence);
  refuses(words({"--trace", file("run.html")}), sentence);
  refuses({"recording", folder_}, sentence);
  refuses({"recording", folder_, "--json"}, sentence);
  for (const char* const name : {"run.goal", "run.html"}) EXPECT_FALSE(fs::exists(file(name))) << name;
}

// In nanoseconds they would take more than 63 bits.
TEST_F(ProjectTest, BearsTimesOfCenturies) {
  for (Rank rank = 0; rank < 8; ++rank) program_.add(rank, 0, {.gap_us = 5e13, .duration_us = 5e13});
  program_.write(folder_);
  for (Rank rank = 0; rank < 8; ++rank) {  // a processor with a slow clock, and no checksum
    std::fstream file(recording::recording_path(folder_, rank), std::ios::in | std::ios::out | std::ios::binary);
    const double ticks_per_second = 1100;
    const std::uint64_t checksum = 0;
    file.seekp(offsetof(recording::CallLogHeader, ticks_per_second));
    file.write(reinterpret_cast<const char*>(&ticks_per_second), sizeof ticks_per_second);
    file.seekp(offsetof(recording::CallLogHeader, checksum));
    file.write(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  }
  for (const char* const name : {"run.html", "run.perfetto"}) prints(words({"--trace", file(name)}));
  refuses(words({"--goal", file("run.goal")}), "rank 0 computes for more than 9e+09 s, which GOAL cannot say");
  EXPECT_FALSE(fs::exists(file("run.goal")));
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
