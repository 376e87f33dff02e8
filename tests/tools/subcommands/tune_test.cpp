// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille tune. tests/tune/session tests the sessions themselves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "quadrille/wisdom.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class TuneTest : public CommandTest {
 protected:
  fs::path wisdom_path() const { return file("tuned.wisdom"); }
  Wisdom wisdom() const { return parse_wisdom(contents(wisdom_path()), "tuned.wisdom"); }

  // Runs the command with wisdom in the test's own folder.
  Words with_wisdom(const Words& words, const std::string& path = {}) const {
    Words all{"env", "QUADRILLE_WISDOM=" + (path.empty() ? wisdom_path().string() : path)};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  static Words tune(const Words& words) {
    Words all{QUADRILLE_COMMAND, "tune", "--cell", "0.01", "--ways", "2"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  Json tuned(const Words& words) const {
    const Outcome outcome = run_program(with_wisdom(words));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
    return Json::parse(outcome.out);
  }

  static std::multiset<std::string> states(const Json& session) {
    std::multiset<std::string> all;
    for (const Json& cell : session["cells"]) all.insert(cell["state"]);
    return all;
  }

  void expect_refused(const Words& words, const std::string& hint) const {
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.talk;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1) << outcome.talk;
    EXPECT_NE(outcome.talk.find(hint), std::string::npos) << outcome.talk;
  }
};

// A report with an allreduce, then a longer alltoall, of two ranks, and with calls of three ranks.
std::string report_of_run() {
  const auto row = [](const char* collective, int communicator, Bytes block, double seconds) {
    return Json{{"collective", collective}, {"communicator", communicator}, {"calls", 10},
                {"rank_calls", 20},         {"block_bytes", 10 * block},    {"rank_seconds", seconds}};
  };
  Json report{{"format", "quadrille-report"},
              {"communicators", Json::array({{{"ranks", 2}}, {{"ranks", 3}}})},
              {"rows", Json::array({row("Allreduce", 0, 60, 1.0), row("Reduce_scatter", 0, 128, 0.5), row("Reduce", 0, -8, 7.0),
                                    row("Alltoall", 0, 512, 2.0), row("Bcast", 1, 8, 9.0), row("Ialltoall", 0, 8, 5.0)})}};
  return report.dump();
}

TEST_F(TuneTest, MeasuresTheCallsOfARunDearestFirst) {
  write("run.json", report_of_run());
  const Outcome outcome =
      run_program(with_wisdom(tune({"--ranks", "2", "--executor", "threads", "--json", "--from", file("run.json").string()})));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_NE(outcome.talk.find("3 of 3 cells are to be measured: about"), std::string::npos) << outcome.talk;
  EXPECT_NE(outcome.talk.find("also has calls of 3 ranks"), std::string::npos) << outcome.talk;
  const Json cells = Json::parse(outcome.out)["cells"];
  ASSERT_EQ(cells.size(), 3u) << outcome.out;
  EXPECT_EQ(cells[0]["collective"], "alltoall");
  EXPECT_EQ(cells[1]["collective"], "allreduce");
  EXPECT_EQ(cells[2]["collective"], "reduce_scatterv") << "MPI's Reduce_scatter";
  EXPECT_EQ(cells[0]["size"], 512);
  EXPECT_EQ(cells[1]["size"], 64) << "sums of numbers of 8 bytes";
  for (const Json& way : cells[0]["ways"]) {
    const std::string short_name = way["short_name"], algorithm = way["algorithm"];
    EXPECT_TRUE(algorithm.starts_with(short_name.substr(0, short_name.find(':')))) << way;
    EXPECT_LE(short_name.size(), algorithm.size());
    EXPECT_GE(way["c1"], 1);
    EXPECT_GE(way["c2"], 256);
  }
  EXPECT_EQ(cells[2]["size"], 64) << "the block bytes of a reduce_scatter with shares are the whole vector";
}

TEST_F(TuneTest, RefusesARunWithoutSuchCalls) {
  write("run.json", report_of_run());
  const std::string run = file("run.json").string();
  expect_refused(with_wisdom(tune({"--ranks", "4", "--from", run})), "start tune with 2, 3 ranks");
  expect_refused(with_wisdom(tune({"--ranks", "2,4", "--from", run})), "one number of ranks");
  expect_refused(with_wisdom(tune({"--ranks", "2", "--from", run, "--block", "8"})), "leave --block and the collectives out");
  for (const char* other : {"{}", "[", R"({"format": "other", "rows": []})",
                            R"({"format": "quadrille-report", "communicators": [],
                                "rows": [{"collective": "Barrier", "communicator": 0, "rank_seconds": 1}]})"}) {
    write("other.json", other);
    expect_refused(with_wisdom(tune({"--ranks", "2", "--from", file("other.json").string()})),
                   "is not a report as 'quadrille wrap");
  }
}

TEST_F(TuneTest, KeepsResultsAndContinuesFromThem) {
  const auto session = [&](const Words& more) {
    Words words = tune({"--ranks", "2", "--executor", "threads", "--json", "barrier"});
    words.insert(words.end(), more.begin(), more.end());
    return states(tuned(words));
  };
  using States = std::multiset<std::string>;
  EXPECT_EQ(session({"gather", "--block", "8B"}), (States{"measured", "measured"}));
  const Wisdom kept = wisdom();
  ASSERT_EQ(kept.records.size(), 2u);
  EXPECT_FALSE(kept.executors.empty()) << "prices are fitted first";
  for (const WisdomRecord& record : kept.records) {
    EXPECT_EQ(record.situation.ranks, 2);
    EXPECT_FALSE(record.entries.empty());
  }
  EXPECT_EQ(session({"gather", "--block", "8B"}), (States{"known", "known"}));
  EXPECT_EQ(wisdom(), kept);
  EXPECT_EQ(session({"gather", "--block", "8B,64B"}), (States{"known", "known", "measured"}));
  EXPECT_EQ(wisdom().records.size(), 3u);
  EXPECT_EQ(session({"--again"}), States{"measured"}) << "a barrier has one size";
  EXPECT_EQ(wisdom().records.size(), 3u);
}

TEST_F(TuneTest, CountsLaunches) {
  const auto session = [&](const Words& more) {
    Words words = tune({"--ranks", "2", "--executor", "threads", "--json", "--block", "8B", "gather"});
    words.insert(words.end(), more.begin(), more.end());
    const Json found = tuned(words);
    return fmt::format("{} {}", found["cells"][0]["state"].get<std::string>(), found["cells"][0]["launches"].get<int>());
  };
  EXPECT_EQ(session({}), "measured 1");
  EXPECT_EQ(session({"--launches", "2"}), "measured 2");
  const Wisdom two = wisdom();
  EXPECT_EQ(session({"--again"}), "measured 3");
  ASSERT_EQ(wisdom().records.at(0).races.size(), 3u);
  EXPECT_EQ(wisdom().records[0].races[0], two.records.at(0).races[0]);
  refuses({"tune", "--launches", "9"}, "--launches is from 1 to 8");
  refuses({"tune", "--launches", "0"}, "number of launches");
}

TEST_F(TuneTest, SaysWhatIsLeftOut) {
  const Json session = tuned(tune({"--ranks", "2", "--executor", "threads", "--json", "--block", "8B,64TiB", "gather"}));
  ASSERT_EQ(states(session), (std::multiset<std::string>{"left_out", "measured"}));
  for (const Json& cell : session["cells"])
    if (cell["state"] == "left_out")
      EXPECT_NE(cell["reason"], "");
    else
      EXPECT_EQ(cell["ways"][0]["buffers"], 2);
}

TEST_F(TuneTest, RunsOnLaunchedRanks) {
  Words words{QUADRILLE_COMMAND, "run", "-n", "3", "--"};
  const Words what = tune({"--block", "8B", "gather", "--json"});
  words.insert(words.end(), what.begin(), what.end());
  const Json session = tuned(words);
  EXPECT_EQ(session["transport"], "shared");
  EXPECT_EQ(states(session), std::multiset<std::string>{"measured"});
  ASSERT_EQ(wisdom().records.size(), 1u);
  EXPECT_EQ(wisdom().records[0].situation.ranks, 3);
  words.insert(words.end(), {"--ranks", "2"});
  expect_refused(with_wisdom(words), "leave --ranks out");
}

// A shell sends the signal as soon as the first result is stored.
TEST_F(TuneTest, ASignalLosesNoStoredResult) {
  const Words words = with_wisdom(tune({"--ranks", "2", "--executor", "threads"}));
  Words all{"sh", "-c",
            "file=$1; shift; \"$@\" & child=$!; until grep -q '^{\"collective\"' \"$file\" 2> /dev/null; do sleep 0.02; kill -0 "
            "$child || "
            "exit 1; done; kill -TERM $child; wait $child",
            "sh", wisdom_path().string()};
  all.insert(all.end(), words.begin(), words.end());
  const Outcome outcome = run_program(all);
  EXPECT_EQ(outcome.exit_code, 128 + 15) << outcome.talk;
  EXPECT_NE(outcome.talk.find("goes on from here"), std::string::npos) << outcome.talk;
  EXPECT_NE(outcome.out.find("alltoall"), std::string::npos) << "prints the results so far\n" << outcome.out;
  const std::size_t kept = wisdom().records.size();
  EXPECT_GE(kept, 1u);
  const Json next = tuned(tune({"--ranks", "2", "--executor", "threads", "--time", "1e-6", "--json"}));
  EXPECT_GE(states(next).count("known"), kept);
}

TEST_F(TuneTest, RefusesIfNothingCanBeStored) {
  const Words words = tune({"--ranks", "2", "--executor", "threads", "--block", "8B", "barrier"});
  expect_refused(with_wisdom(words, "off"), "no place to keep wisdom");
  expect_refused(with_wisdom(words, write("plain", "").string() + "/below"), "cannot be");
  const std::string damaged = write("damaged.wisdom", "no wisdom at all\n").string();
  expect_refused(with_wisdom(words, damaged), "damaged.wisdom");
  EXPECT_EQ(contents(damaged), "no wisdom at all\n");
}

TEST_F(TuneTest, RefusesInvalidOptions) {
  refuses({"tune", "alltoal"}, "did you mean 'alltoall'?");
  refuses({"tune", "--ranks", "1"}, "number of ranks");
  refuses({"tune", "--executor", "mpi"}, "there are no processes to run with");
  refuses({"tune", "--vendor", "--executor", "mpi"}, "leave --executor out");
  refuses({"tune", "--vendor", "--ways", "2"}, "leave --ways out");
  refuses({"tune", "reduce", "--block", "3B"}, "do not hold whole elements");
}

}  // namespace
}  // namespace quadrille
