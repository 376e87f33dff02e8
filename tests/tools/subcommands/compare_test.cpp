// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille compare and plot, and of the JSON that race writes for them.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class CompareTest : public CommandTest {
 protected:
  // Returns the JSON of a real race with its times replaced: those of a repetition are `seconds`, and slightly more from batch to
  // batch.
  Json race_with(double seconds, const Words& more = {}) const {
    Words words{"race",          "alltoall", "--ranks",     "3",       "--block",      "8B,64B",
                "--algorithm",   "direct",   "--algorithm", "bruck",   "--iterations", "1",
                "--repetitions", "1",        "--executor",  "threads", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    Json race = Json::parse(prints(words));
    for (Json& size : race["sizes"])
      for (Json& entry : size["entries"]) {
        EXPECT_EQ(entry["least_s"], entry["median_s"]) << "of one repetition";
        set_times(entry, seconds);
      }
    return race;
  }

  static void set_times(Json& entry, double seconds) {
    entry["samples_s"] = Json::array();
    for (int repetition = 0; repetition < 9; ++repetition) {
      const double middle = seconds * (1 + 0.01 * repetition);
      entry["samples_s"].push_back({middle, 0.5 * middle, 2 * middle});
    }
    entry["median_s"] = 1.04 * seconds;
    entry["least_s"] = entry["lower_s"] = seconds;
    entry["most_s"] = entry["upper_s"] = 1.08 * seconds;
  }

  std::string file_of(const std::string& name, const Json& race) const { return write(name, race.dump()).string(); }
};

TEST_F(CompareTest, ReportsWhatChanged) {
  const Json before = race_with(1e-6);
  Json after = before;
  for (Json& entry : after["sizes"][1]["entries"]) set_times(entry, 1.5e-6);
  set_times(after["sizes"][0]["entries"][0], 0.5e-6);
  const std::string a = file_of("a.json", before), b = file_of("b.json", after);
  const Json result = Json::parse(prints({"compare", a, b, "--json"}));
  ASSERT_EQ(result["changes"].size(), 4u);
  EXPECT_TRUE(result["only_in_a"].empty());
  EXPECT_TRUE(result["only_in_b"].empty());
  std::vector<std::string> verdicts;
  for (const Json& change : result["changes"]) {
    verdicts.push_back(change["verdict"]);
    EXPECT_LE(change["lower"], change["ratio"]);
    EXPECT_LE(change["ratio"], change["upper"]);
    EXPECT_GT(change["confidence"], 0.95);
    EXPECT_NEAR(change["ratio"].get<double>(), change["b_median_s"].get<double>() / change["a_median_s"].get<double>(), 1e-9)
        << "the repetitions of both races differ by a factor only";
  }
  EXPECT_EQ(verdicts, (std::vector<std::string>{"faster", "slower", "slower", "no change seen"})) << "the largest change is first";
  const std::string text = prints({"compare", a, b});
  EXPECT_NE(text.find("0.500 (0."), std::string::npos) << text;
  EXPECT_NE(text.find("3 of 4 changed; the intervals (96 % confidence)"), std::string::npos) << text;
  EXPECT_EQ(run({"compare", a, b, "--fail-above", "1.1"}).exit_code, 1);
  EXPECT_EQ(run({"compare", a, b, "--fail-above", "1.6"}).exit_code, 0);
  EXPECT_EQ(run({"compare", b, a, "--fail-above", "1.9"}).exit_code, 1)
      << "in the other order the faster candidate has become slower";
  EXPECT_EQ(prints({"compare", a, a}).find("slower"), std::string::npos);
  EXPECT_NE(prints({"compare", "-", a}, before.dump()).find("\nA: stdin"), std::string::npos);
}

TEST_F(CompareTest, MatchesCandidatesBySteps) {
  const Json before = race_with(1e-6);
  Json after = before;
  after["sizes"].erase(1);
  Json& entries = after["sizes"][0]["entries"];
  const std::string first = entries[0]["algorithm"];
  entries[0]["same_as"].push_back(first);
  entries[0]["algorithm"] = "another:name=1";  // an algorithm with the same steps
  entries[1]["policy"] = "dataflow";
  const Json result = Json::parse(prints({"compare", file_of("a.json", before), file_of("b.json", after), "--json"}));
  ASSERT_EQ(result["changes"].size(), 1u);
  EXPECT_EQ(result["changes"][0]["algorithm"], first);
  EXPECT_EQ(result["only_in_a"].size(), 3u);
  ASSERT_EQ(result["only_in_b"].size(), 1u);
  EXPECT_EQ(result["only_in_b"][0]["policy"], "dataflow");
}

TEST_F(CompareTest, MarksFewRepetitions) {
  const Json before = race_with(1e-6);
  Json after = before;
  for (Json& size : after["sizes"])
    for (Json& entry : size["entries"]) {
      set_times(entry, 9e-6);
      entry["samples_s"] = Json::array({{9e-6}});
    }
  const Outcome outcome = run({"compare", file_of("a.json", before), file_of("b.json", after), "--fail-above", "1.1"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("too few repetitions"), std::string::npos) << outcome.out;
}

TEST_F(CompareTest, LeavesOutWrongData) {
  const Json before = race_with(1e-6);
  Json after = before;
  after["sizes"][0]["entries"][1]["checked"] = false;
  const Outcome outcome = run({"compare", file_of("a.json", before), file_of("b.json", after), "--json"});
  EXPECT_EQ(Json::parse(outcome.out)["changes"].size(), 3u);
  EXPECT_NE(outcome.talk.find("its data was wrong in '"), std::string::npos) << outcome.talk;
}

TEST_F(CompareTest, RefusesFilesThatAreNotRaces) {
  const Json good = race_with(1e-6);
  const std::string a = file_of("a.json", good);
  refuses({"compare"}, "name two files");
  refuses({"compare", a}, "name two files");
  refuses({"compare", a, a, a}, "name two files");
  refuses({"compare", "-", "-"}, "only one of the two files can be stdin");
  refuses({"compare", a, "/nowhere/b.json"}, "cannot read");
  refuses({"compare", a, write("b.json", "no json").string()}, "it is no JSON object");
  refuses({"compare", a, write("b.json", "[1, 2]").string()}, "it is no JSON object");
  refuses({"compare", a, write("b.json", "{}").string()}, "key 'collective' not found");
  refuses({"compare", a, a, "--fail-above", "x"}, "is a factor");
  refuses({"compare", a, a, "--fail-above", "-1"}, "is a factor");
  const auto refuses_with = [&](const std::string& pointer, const Json& value, const std::string& hint) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    refuses({"compare", a, file_of("b.json", bad)}, hint);
    refuses({"compare", file_of("b.json", bad), a}, hint);
  };
  refuses_with("/ranks", "three", "is not a result of 'quadrille race --json'");
  refuses_with("/sizes", Json::array(), "it has no sizes");
  refuses_with("/sizes/0/best", 7, "the best candidate is none of the candidates");
  refuses_with("/sizes/0/block_bytes", -1, "a size is negative");
  refuses_with("/sizes/1/entries/0/samples_s", Json::array(), "a candidate has no samples");
  refuses_with("/sizes/1/entries/0/samples_s/0", Json::array(), "a repetition has no samples");
  refuses_with("/sizes/1/entries/0/median_s", -1e-6, "not a number above 0");
  refuses_with("/collective", "allgather", "the collective is");
  refuses_with("/ranks", 4, "the number of ranks is");
  refuses_with("/cold", true, "the state of the caches is");
}

TEST_F(CompareTest, PlotsRacesAmongSeveralRanks) {
  const Json two = race_with(1e-6, {"--plot", file("own.svg").string()});
  Json four = two;
  four["ranks"] = 4;
  for (Json& size : four["sizes"]) size["best"] = 1;
  const std::string own = contents(file("own.svg"));
  const std::string picture = prints({"plot", file_of("four.json", four), file_of("two.json", two)});
  for (const std::string& each : {own, picture}) {
    EXPECT_EQ(each.rfind("<svg ", 0), 0u);
    EXPECT_TRUE(each.ends_with("</svg>\n"));
    EXPECT_EQ(each.find("nan"), std::string::npos);
    EXPECT_EQ(each.find("inf"), std::string::npos);
    for (const char* part : {"bruck", "direct", ">64 B<", "time / best time", "prefers-color-scheme: dark"})
      EXPECT_NE(each.find(part), std::string::npos) << part;
  }
  const std::size_t first = picture.find(">p = 3<"), second = picture.find(">p = 4<");
  EXPECT_LT(first, second) << "rows are in the order of ranks";
  EXPECT_NE(second, std::string::npos);
  EXPECT_EQ(prints({"plot", file("two.json").string(), "--curves", "1", "-o", file("one.svg").string()}), "");
  const auto points = [](const std::string& svg) {
    std::size_t count = 0;
    for (std::size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at + 1)) ++count;
    return count;
  };
  EXPECT_LT(points(contents(file("one.svg"))), points(own)) << "one candidate instead of two";
}

TEST_F(CompareTest, RefusesPlotsOfRacesThatDoNotFit) {
  const Json race = race_with(1e-6);
  Json other = race;
  other["collective"] = "allgather";
  other["ranks"] = 5;
  const std::string a = file_of("a.json", race);
  refuses({"plot"}, "name files");
  refuses({"plot", a, a}, "have 3 ranks");
  refuses({"plot", a, file_of("b.json", other)}, "one plot shows one collective");
  refuses({"plot", a, "--curves", "9"}, "the limit is 8");
  refuses({"plot", a, "--curves", "0"}, "at least 1");
  refuses({"plot", "-", "-"}, "only one of the files can be stdin");
}

}  // namespace
}  // namespace quadrille
