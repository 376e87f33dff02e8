// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille plot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class PlotTest : public CommandTest {
 protected:
  std::string simulation(const char* ranks = "4,8") const {
    return prints({"simulate", "alltoall", "--ranks", ranks, "--block", "8B,1KiB", "--machine", "sp2", "--algorithm", "bruck",
                   "--algorithm", "shift", "--json"});
  }
};

TEST_F(PlotTest, DrawsSimulations) {
  const std::string json = simulation();
  const Read picture(prints({"plot", "-"}, json));
  picture.expect_inside();
  EXPECT_THAT(picture.texts(), IsSupersetOf({"alltoall among 4, 8 ranks", "4 ranks", "8 ranks", "p = 8", "size of a block",
                                             "time of a run", "time / best time", "8 B", "1 KiB", "bruck", "shift"}));
  EXPECT_THAT(picture.texts()[1], HasSubstr("simulated by rounds with the model "));
  // The points are at the simulated times.
  const Json simulated = Json::parse(json)[0]["candidates"][0];
  const double microseconds = simulated["end_ps"].get<double>() * 1e-6;
  const std::string name = simulated["short_name"];
  const auto points = picture.explained(name + ", 8 B: ");
  ASSERT_FALSE(points.empty());
  const std::string text = points.front().child("title").text().get();
  EXPECT_NEAR(std::stod(text.substr(text.find(": ") + 2)), microseconds, microseconds / 100) << text;
}

TEST_F(PlotTest, DrawsPrices) {
  const std::string json = prints({"price", "alltoall", "--ranks", "16", "--block", "8B,1KiB", "--machine", "t3e", "--json"});
  const Read picture(prints({"plot", "-", "--curves", "2"}, json));
  EXPECT_THAT(picture.texts()[1], HasSubstr("priced with the model "));
  EXPECT_THAT(picture.texts(), IsSupersetOf({"16 ranks", "size of a block"}));
}

// An irregular problem stands at its largest share, and its text has the smallest, too.
TEST_F(PlotTest, DrawsIrregularProblems) {
  const Words pattern{"alltoallv", "--pattern", "power-law", "--ranks", "6", "--algorithm", "direct", "--json"};
  for (const Words& start : {Words{"simulate", "--machine", "sp2"}, Words{"price", "--machine", "sp2"}}) {
    Words words = start;
    words.insert(words.end(), pattern.begin(), pattern.end());
    const auto texts = Read(prints({"plot", "-"}, prints(words))).texts();
    EXPECT_THAT(texts, Contains("largest count")) << start[0];
    EXPECT_EQ(count_of(texts, " B.."), 3u) << "at two panels and the map";
  }
}

TEST_F(PlotTest, ShowsThePanelsThatAreNamed) {
  const std::string json = simulation("4");
  const auto texts = Read(prints({"plot", "-", "--panel", "times"}, json)).texts();
  EXPECT_THAT(texts, Contains("time of a run"));
  EXPECT_THAT(texts, Not(Contains("time / best time")));
  EXPECT_THAT(texts, Not(Contains("p = 4")));
  const auto others = Read(prints({"plot", "-", "--panel", "ratios", "--panel", "winners"}, json)).texts();
  EXPECT_THAT(others, Not(Contains("time of a run")));
  EXPECT_THAT(others, IsSupersetOf({"time / best time", "p = 4"}));
  refuses({"plot", "-", "--panel", "time"}, "did you mean 'times'?", json);
}

TEST_F(PlotTest, HasTheWidthOfAColumn) {
  const std::string json = simulation("4");
  const auto width = [&](const char* text) { return Read(prints({"plot", "-", "--width", text}, json)).width(); };
  EXPECT_EQ(width("84mm"), 318) << "84 / 25.4 * 96, rounded up";
  EXPECT_EQ(width("8.4cm"), 318);
  EXPECT_EQ(width("5in"), 480);
  const Read narrow(prints({"plot", "-", "--width", "84mm"}, json));
  narrow.expect_inside();
  narrow.expect_no_covered_text();
  for (const char* wrong : {"84", "mm", "-3mm", "nanmm", "wide"}) refuses({"plot", "-", "--width", wrong}, "is no width", json);
  refuses({"plot", "-", "--width", "5mm"}, "is not between 59 and 1058 mm", json);
}

// Schedules from files are one curve over the sizes if they share a name.
TEST_F(PlotTest, JoinsOwnSchedulesOfSeveralSizes) {
  Words words{"simulate", "alltoall", "--ranks", "4", "--block", "8B,16B", "--machine", "sp2", "--algorithm", "shift", "--json"};
  for (const char* size : {"8B", "16B"}) {
    Json document =
        Json::parse(prints({"schedule", "alltoall", "--algorithm", "bruck", "--ranks", "4", "--block", size, "--format", "json"}));
    document["algorithm"] = "mine";
    words.insert(words.end(), {"--schedule", write(size, document.dump()).string()});
  }
  const Json simulated = Json::parse(prints(words));
  for (const Json& problem : simulated) {
    std::vector<std::string> names;
    for (const Json& candidate : problem["candidates"]) names.push_back(candidate["short_name"].get<std::string>().substr(0, 4));
    EXPECT_THAT(names, Contains("mine"));
  }
  const Read picture(prints({"plot", "-"}, simulated.dump()));
  std::size_t entries = 0;
  for (const std::string& text : picture.texts()) entries += text.starts_with("mine") ? 1 : 0;
  EXPECT_GE(entries, 1u);
  EXPECT_EQ(count_of(picture.texts(), "16B/"), 0u);
}

// Bruck's algorithm with radix 2 takes the same time as the hypercube in this model.
TEST_F(PlotTest, DrawsEqualPredictionsAsOne) {
  const Words words{"simulate",    "alltoall", "--ranks",     "8",         "--block",     "8B,1KiB", "--machine", "sp2",
                    "--algorithm", "bruck",    "--algorithm", "hypercube", "--algorithm", "shift",   "--json"};
  const Read picture(prints({"plot", "-"}, prints(words)));
  EXPECT_EQ(count_of(picture.texts(), "bruck = hypercube") + count_of(picture.texts(), "hypercube = bruck"), 1u);
  EXPECT_THAT(picture.texts(), IsSupersetOf({"shift", "=: the same predicted time at all sizes"}));
}

Json raced(const std::vector<std::string>& same_at_8, const std::vector<std::string>& same_at_64) {
  const Json spread{{"median", 1}, {"least", 1}, {"most", 1}, {"lower", 1}, {"upper", 1}};
  const auto entry = [&](const std::string& name, const std::vector<std::string>& same_as, double seconds) {
    return Json{{"algorithm", name + ":all=1"},
                {"short_name", name},
                {"same_as", same_as},
                {"same_as_short_names", same_as},
                {"policy", "blocking"},
                {"executor", "shared"},
                {"buffers", 2},
                {"keep_step", false},
                {"checked", true},
                {"samples_s", {{seconds}}},
                {"median_s", seconds},
                {"least_s", seconds},
                {"most_s", seconds},
                {"lower_s", seconds},
                {"upper_s", seconds},
                {"ratio", nullptr},
                {"to_best", spread}};
  };
  const auto size = [&](int bytes, const std::vector<std::string>& same_as) {
    return Json{{"block_bytes", bytes},
                {"conclusion", "fastest"},
                {"best", 0},
                {"entries", {entry("bruck", same_as, 1e-6), entry("direct", {}, 2e-6)}}};
  };
  return {{"collective", "alltoall"},
          {"transport", "threads"},
          {"memory", ""},
          {"machine", {{"model", "m"}}},
          {"version", "1"},
          {"ranks", 4},
          {"nodes", 1},
          {"cold", false},
          {"sizes", {size(8, same_at_8), size(64, same_at_64)}}};
}

// An algorithm that was not raced, because its schedule is that of another one, is named with that one.
TEST_F(PlotTest, NamesAlgorithmsWithEqualSchedules) {
  const Read always(prints({"plot", "-"}, raced({"hypercube"}, {"hypercube"}).dump()));
  EXPECT_THAT(always.texts(), IsSupersetOf({"bruck = hypercube", "direct", "=: the same schedule, which was raced once"}));
  EXPECT_FALSE(always.explained("bruck = hypercube, 8 B: ").empty());
  const Read once(prints({"plot", "-"}, raced({"hypercube"}, {"hypercube", "ring"}).dump()));
  EXPECT_THAT(once.texts(), IsSupersetOf({"bruck = hypercube", "4 ranks, 64 B: bruck = ring"}));
  EXPECT_THAT(Read(prints({"plot", "-"}, raced({}, {}).dump())).texts(), Contains("bruck"));
}

TEST_F(PlotTest, CutsLongNames) {
  Json race = raced({}, {});
  for (Json& size : race["sizes"]) size["entries"][0]["short_name"] = std::string(5000, 'x');
  const Read picture(prints({"plot", "-"}, race.dump()));
  EXPECT_LE(picture.width(), 968);
  for (const std::string& text : picture.texts()) EXPECT_LT(text.size(), 100u);
  picture.expect_inside();
}

TEST_F(PlotTest, RefusesFilesOfOtherKinds) {
  const Words problem{"alltoall", "--algorithm", "bruck", "--ranks", "4"};
  Words trace = problem, schedule = problem;
  trace.insert(trace.begin(), "trace");
  schedule.insert(schedule.begin(), "schedule");
  schedule.insert(schedule.end(), {"--format", "json"});
  refuses({"plot", "-"}, "stdin holds a trace, which 'quadrille view' shows; a plot shows", prints(trace));
  refuses({"plot", "-"}, "stdin holds a trace", "[" + prints(trace) + "]");
  refuses({"plot", "-"}, "none of the results that can be drawn; a plot shows", prints(schedule));
  for (const char* other : {"[1, 2]", "7", "[]", "{}"}) refuses({"plot", "-"}, "none of the results that can be drawn", other);
}

TEST_F(PlotTest, RefusesWhatIsNoTable) {
  refuses({"plot", "-"}, "it is no JSON", "hello");
  refuses(
      {"plot", "-"}, "of this version: key 'short_name' not found",
      R"({"candidates": [{"algorithm": "a", "end_ps": 3}], "model": "m", "machine": "n", "by": "rounds", "collective": "alltoall",
              "ranks": 4, "block_bytes": 8})");
  Json twice = Json::parse(simulation("4"));
  twice.push_back(twice[0]);
  refuses({"plot", "-"}, "two problems with 4 ranks and 8 B", twice.dump());
  const std::string other = write("other.json", simulation("16"));
  const std::string priced = prints({"price", "alltoall", "--ranks", "8", "--machine", "sp2", "--json"});
  refuses({"plot", other, "-"},
          "one plot shows times of one kind; stdin has times priced with the model flat of the machine sp2, but", priced);
}

}  // namespace
}  // namespace quadrille
