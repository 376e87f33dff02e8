// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille race and run.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, RacesOfOtherCollectives) {
  for (const std::string collective : {"broadcast", "scatterv", "gather", "barrier", "allgatherv"}) {
    const std::string text = prints(
        {"race", collective, "--ranks", "3", "--repetitions", "1", "--time", "0.02s", "--executor", "threads", "--policy", "all"});
    EXPECT_NE(text.find("least: "), std::string::npos) << "one repetition is not enough to name the fastest\n" << text;
  }
}

TEST_F(CommandTest, RacesOnAGrid) {
  const Json result =
      Json::parse(prints({"race", "alltoall", "--topology", "torus:2x2", "--algorithm", "torus", "--algorithm", "shift", "--block",
                          "5B", "--repetitions", "1", "--time", "0.02s", "--executor", "threads", "--json"}));
  EXPECT_EQ(result["ranks"], 4);
  const Json& entries = result["sizes"].at(0)["entries"];
  ASSERT_GE(entries.size(), 2u);
  for (const Json& entry : entries) EXPECT_EQ(entry["checked"], true) << entry;
  EXPECT_NE(entries.dump().find("at2"), std::string::npos) << "the topology's sides are the grid";
}

TEST_F(CommandTest, RacesOnThreads) {
  const Words race{"race",          "alltoall", "--ranks", "3",     "--block",    "8B,1KiB",
                   "--repetitions", "2",        "--time",  "0.05s", "--executor", "threads"};
  const std::string text = prints(race);
  for (const std::string part : {"bruck", "least: ", "8 B a block", "1 KiB a block", "┃"})
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  Words as_json = race;
  as_json.insert(as_json.end(), {"--json", "--output", file("race.json").string(), "--policy", "all", "--algorithm", "direct",
                                 "--algorithm", "bruck"});
  EXPECT_EQ(prints(as_json), "");
  const Json result = Json::parse(contents(file("race.json")));
  EXPECT_EQ(result["transport"], "threads");
  ASSERT_EQ(result["sizes"].size(), 2u);
  for (const Json& size : result["sizes"]) {
    ASSERT_EQ(size["entries"].size(), 6u);  // two algorithms under three policies
    for (const Json& entry : size["entries"]) {
      EXPECT_EQ(entry["checked"], true);
      EXPECT_GT(entry["median_s"], 0.0);
      EXPECT_TRUE(entry["ratio"].is_null());
    }
  }
}

TEST_F(CommandTest, TracesOfRacesSayHowTheyWereExecuted) {
  const std::string traces = file("runs.json");
  prints({"race", "alltoall", "--ranks", "3", "--block", "64B", "--algorithm", "bruck", "--repetitions", "1", "--time", "0.01s",
          "--executor", "threads", "--trace", traces});
  const Json trace = Json::parse(contents(traces));
  EXPECT_EQ(trace["title"], "alltoall, bruck, 3 ranks, 64 B a block, executed by shared memory among threads, blocking");
  EXPECT_EQ(trace["times"].back()["title"], "executed by shared memory among threads, blocking");
}

TEST_F(CommandTest, RacesNameEqualCandidatesAndTheirConclusion) {
  const Words race{"race",          "alltoall", "--ranks",     "4",        "--block",     "64B",
                   "--algorithm",   "direct",   "--algorithm", "combined", "--algorithm", "ring",
                   "--repetitions", "6",        "--time",      "0.05s",    "--executor",  "threads"};
  const std::string text = prints(race);
  EXPECT_NE(text.find("\ndirect = combined  blocking"), std::string::npos) << text;
  EXPECT_NE(text.find("intervals of 97 % confidence"), std::string::npos) << text;
  const bool concluded = text.find("\nfastest: ") != std::string::npos || text.find("\ntied: ") != std::string::npos ||
                         text.find("\nnoisy, nothing to conclude; raise --time: ") != std::string::npos;
  EXPECT_TRUE(concluded) << text;
  Words as_json = race;
  as_json.push_back("--json");
  const Json size = Json::parse(prints(as_json))["sizes"][0];
  ASSERT_EQ(size["entries"].size(), 2u);
  EXPECT_EQ(size["entries"][0]["same_as"][0].get<std::string>().rfind("combined", 0), 0u);
  EXPECT_EQ(size["entries"][0]["same_as_short_names"], Json::array({"combined"}));
  EXPECT_TRUE(size["entries"][1]["same_as"].empty());
  for (const Json& entry : size["entries"]) {
    EXPECT_LE(entry["lower_s"], entry["median_s"]);
    EXPECT_LE(entry["median_s"], entry["upper_s"]);
    EXPECT_EQ(entry["clock_bound_s"], 0.0) << "threads read one clock";
  }
  EXPECT_EQ(size["entries"].at(size["best"].get<std::size_t>())["to_best"]["median"], 1.0);
}

TEST_F(CommandTest, RacesHidePredictionsThatAreFarOff) {
  const auto race_on = [&](const std::string& startup) {
    write("machine.toml",
          "name = 'm'\ndescription = 'd'\nsource = 's'\n[max-rate]\nstartup_us = 0\nus_per_byte = 0\nnode_us_per_byte = "
          "0\ninside_us_per_byte = 0\n"
          "inside_startup_us = " +
              startup + "\n");
    return Words{"race",   "barrier", "--ranks",    "2",       "--repetitions", "1",
                 "--time", "0.02s",   "--executor", "threads", "--machine",     file("machine.toml").string()};
  };
  const std::string text = prints(race_on("1e6"));
  EXPECT_EQ(text.find("  predicted  "), std::string::npos) << text;
  EXPECT_NE(text.find("predictions are hidden, because half of them are off by "), std::string::npos) << text;
  Words as_json = race_on("1e6");
  as_json.push_back("--json");
  const Json size = Json::parse(prints(as_json))["sizes"][0];
  EXPECT_GT(size["prediction_error"], 0.25);
  for (const Json& entry : size["entries"]) EXPECT_GT(entry["predicted_s"], 0.0) << "the JSON holds all predictions";
}

TEST_F(CommandTest, RacesPrintTheFiguresOfOtherBenchmarks) {
  const Words race{"race",          "allreduce", "--ranks",      "3", "--block",   "8B,1KiB", "--algorithm", "ring",
                   "--repetitions", "2",         "--iterations", "3", "--warm-up", "1",       "--executor",  "threads"};
  const auto with = [&](const Words& more) {
    Words words = race;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::string plain = prints(race), wide = prints(with({"--bandwidth", "--over-ranks"}));
  for (const char* heading : {"algbw GB/s", "busbw GB/s", "least rank", "most rank"}) {
    EXPECT_EQ(plain.find(heading), std::string::npos) << plain;
    EXPECT_NE(wide.find(heading), std::string::npos) << wide;
  }
  EXPECT_NE(plain.find("2 repetitions of 3 runs"), std::string::npos) << plain;
  const Json result = Json::parse(prints(with({"--json"})));
  EXPECT_EQ(result["memory"], "private");
  EXPECT_EQ(result["cold"], false);
  EXPECT_EQ(result["warm_up"], 1);
  EXPECT_EQ(result["nodes"], 1);
  for (const Json& size : result["sizes"]) {
    const Json& entry = size["entries"].at(0);
    ASSERT_EQ(entry["samples_s"].size(), 2u);
    EXPECT_EQ(entry["samples_s"][0].size(), 5u);
    const double block = size["block_bytes"], median = entry["median_s"];
    EXPECT_NEAR(entry["algorithm_bandwidth_bytes_per_s"].get<double>() * median, block, 1e-6);
    EXPECT_NEAR(entry["bus_bandwidth_bytes_per_s"].get<double>() * median, block * 4 / 3, 1e-6);
    EXPECT_LE(entry["least_over_ranks_s"], entry["most_over_ranks_s"]);
  }
}

TEST_F(CommandTest, RacesWriteCsv) {
  const std::string csv = prints({"race", "alltoall", "--ranks", "2", "--block", "8B,16B", "--algorithm", "clustered",
                                  "--repetitions", "1", "--iterations", "1", "--executor", "threads", "--csv"});
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    if (csv[i] == '"')
      quoted = !quoted;
    else if (csv[i] == ',' && !quoted)
      rows.back().emplace_back();
    else if (csv.compare(i, 2, "\r\n") == 0 && !quoted)
      rows.emplace_back(1), ++i;
    else
      rows.back().back() += csv[i];
  }
  rows.pop_back();  // the empty text after the last line end
  ASSERT_EQ(rows.size(), 3u) << csv;
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size()) << csv;
  const auto column = [&](const std::string& name) {
    const auto at = std::find(rows[0].begin(), rows[0].end(), name);
    EXPECT_NE(at, rows[0].end()) << name;
    return static_cast<std::size_t>(at - rows[0].begin());
  };
  EXPECT_EQ(rows[1][column("block_bytes")], "8");
  EXPECT_EQ(rows[2][column("block_bytes")], "16");
  EXPECT_NE(rows[1][column("algorithm")].find("clustered:adapters=1,"), std::string::npos) << "with commas, so quoted";
  EXPECT_GT(std::stod(rows[1][column("median_s")]), 0);
  EXPECT_EQ(rows[1][column("ratio_median")], "") << "no vendor";
}

// A shell sends the signal as soon as the second size, which would take minutes, is measured.
TEST_F(CommandTest, RacesThatASignalEndsWriteWhatTheyHave) {
  const auto stopped = [&](const Words& launcher, const Words& form) {
    Words words{
        "bash", "-c",
        "export QUADRILLE_PROGRESS_SECONDS=0.01; \"$@\" 2> talk & child=$!; until grep -qs 'size 2 of 3' talk; do sleep 0.02; "
        "kill -0 $child || exit 1; done; kill -TERM $child; wait $child; code=$?; grep stopped talk >&2; exit $code",
        "bash"};
    words.insert(words.end(), launcher.begin(), launcher.end());
    words.insert(words.end(), {QUADRILLE_COMMAND, "race", "alltoall", "--block", "8B,4MiB,1KiB", "--algorithm", "direct",
                               "--machine", "epyc", "--repetitions", "200", "--iterations", "20", "-o", "result"});
    words.insert(words.end(), form.begin(), form.end());
    Words all{"env", "-C", place_.string()};
    all.insert(all.end(), words.begin(), words.end());
    for (const char* before : {"result", "talk"}) fs::remove(file(before));
    const Outcome outcome = run_program(all);
    EXPECT_EQ(outcome.exit_code, 128 + 15) << outcome.talk;
    EXPECT_EQ(outcome.talk, "stopped by signal 15 after 1 of 3 sizes\n");
    return contents(file("result"));
  };
  const Words threads{"--ranks", "2", "--executor", "threads"};
  const auto with = [&](const Words& more) {
    Words words = threads;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  for (const Json& result :
       {Json::parse(stopped({}, with({"--json"}))), Json::parse(stopped({QUADRILLE_COMMAND, "run", "-n", "2"}, {"--json"}))}) {
    EXPECT_EQ(result["partial"], "stopped by signal 15 after 1 of 3 sizes");
    ASSERT_EQ(result["sizes"].size(), 1u);
    EXPECT_EQ(result["sizes"][0]["block_bytes"], 8);
  }
  const std::string csv = stopped({}, with({"--csv"}));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << csv;
  EXPECT_NE(csv.find(",partial\r\n"), std::string::npos) << csv;
  EXPECT_TRUE(csv.ends_with(",true\r\n")) << csv;
  EXPECT_TRUE(stopped({}, threads).ends_with("\npartial: stopped by signal 15 after 1 of 3 sizes\n"));
}

TEST_F(CommandTest, RacesRefuseContradictoryMeasurements) {
  const auto with = [](const Words& more) {
    Words words{"race", "alltoall", "--ranks", "2", "--executor", "threads"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  refuses(with({"--time", "1s", "--iterations", "3"}), "--time and --iterations exclude each other");
  refuses(with({"--iterations", "0"}), "it must be at least 1");
  refuses(with({"--iterations", "9999999"}), "9999999 iterations are too many");
  refuses(with({"--warm-up", "-1"}), "it must be at least 0");
  refuses(with({"--json", "--csv"}), "exclude each other");
  refuses(with({"--curves", "3"}), "name its file");
  refuses(with({"--curves", "9", "--plot", file("a.svg").string()}), "the limit is 8");
  refuses(with({"--plot", file("a").string(), "--output", file("a").string()}), "need two files");
  refuses(with({"--algorithm", "direct", "--plot", "/nowhere/a.svg"}), "/nowhere");
  EXPECT_FALSE(fs::exists(file("a.svg")));
}

TEST_F(CommandTest, RunStartsRanksAndReturnsTheirExitCode) {
  const Outcome race = run({"run", "-n", "3", QUADRILLE_COMMAND, "race", "alltoall", "--block", "8B", "--algorithm", "direct",
                            "--repetitions", "1", "--time", "0.01s", "--json"});
  EXPECT_EQ(race.exit_code, 0) << race.talk;
  const Json report = Json::parse(race.out);
  EXPECT_EQ(report["transport"], "shared");
  EXPECT_EQ(report["ranks"], 3);
  EXPECT_EQ(report["sizes"][0]["entries"][0]["executor"], "shared");
  EXPECT_EQ(run({"run", "-n", "4", "--", "sh", "-c", "exit $((QUADRILLE_RANK == 2 ? 7 : 0))"}).exit_code, 7);
  EXPECT_EQ(run({"run", "sh", "-c", "exit 0"}).exit_code, 0);
}

TEST_F(CommandTest, RunStopsTheOthersWhenARankIsKilled) {
  // The others sleep for ever, so the command ends only if it stops them.
  EXPECT_EQ(run({"run", "-n", "3", "sh", "-c", "[ $QUADRILLE_RANK = 1 ] && kill -9 $$; exec sleep infinity"}).exit_code, 128 + 9);
}

TEST_F(CommandTest, RunRefusesInOneSentence) {
  for (const Words& words : {Words{"run"}, Words{"run", "-n", "0", "true"}, Words{"run", "-n", "2", "/nowhere/at/all"},
                             Words{"run", "-n", "100000", "true"}, Words{"run", "-n"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 2) << words.back();
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
  }
}

}  // namespace
}  // namespace quadrille
