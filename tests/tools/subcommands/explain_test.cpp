// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille explain.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <tuple>

#include "quadrille/algorithm.hpp"
#include "quadrille/explain.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/wisdom.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class ExplainTest : public CommandTest {
 protected:
  // Returns a machine file in which start-ups are expensive.
  std::string machine() const {
    return write("dear.toml",
                 "name = \"dear\"\ndescription = \"made for a test\"\nsource = \"nobody\"\n\n[max-rate]\nstartup_us = 10\n"
                 "us_per_byte = 0.001\nnode_us_per_byte = 0.0005\ninside_startup_us = 1\ninside_us_per_byte = 0.0002\n")
        .string();
  }

  Json explained(Words words) const {
    words.insert(words.begin(), "explain");
    words.push_back("--json");
    return Json::parse(prints(words));
  }

  Outcome with_wisdom(const std::string& file, Words words) const {
    words.insert(words.begin(), {"env", "QUADRILLE_WISDOM=" + file, QUADRILLE_COMMAND, "explain"});
    return run_program(words);
  }

  // Returns wisdom in which `best` was measured to be faster than shift.
  std::string wisdom_of(const Problem& problem, const std::string& best, const std::string& mpi) const {
    Wisdom wisdom;
    run_threads(1, [&](Communicator& communicator) { wisdom.machine = fingerprint(communicator); });
    wisdom.machine.mpi = mpi;
    WisdomRecord record{.situation = situation_of(problem), .date = "2026-11-20", .repetitions = 9};
    const auto add = [&](const std::string& algorithm, double seconds) {
      record.entries.push_back(
          {{.algorithm = parse_choice(problem, algorithm), .executor = Executor::shared}, {seconds, 0.9 * seconds, 1.1 * seconds}});
    };
    add(best, 2e-6);
    add("shift", 3e-6);
    wisdom.add(record);
    return write(mpi + ".wisdom", wisdom_text(wisdom)).string();
  }
};

TEST_F(ExplainTest, SaysHowManyRanksEachNodeHas) {
  const auto says = [&](const std::string& sizes, const std::string& place) {
    const std::string text = prints({"explain", "alltoall", "--node-sizes", sizes, "--machine", machine(), "--time", "0.01"});
    EXPECT_TRUE(text.starts_with("On " + place + " take ")) << text;
  };
  says("6", "one node");
  says("3x2", "3 nodes, 2 ranks each,");
  says("2x1,2x4", "4 nodes, 1 or 4 ranks each,");  // 10 ranks, which 4 does not divide
  says("2x1,2x3", "4 nodes, 1 or 3 ranks each,");  // 8 ranks, which 4 divides
  says("3,1,5", "3 nodes, 1 to 5 ranks each,");
  const Json told = explained({"alltoall", "--node-sizes", "2x1,2x3", "--machine", machine(), "--time", "0.01"});
  EXPECT_EQ(told["ranks_of_node"], 3);
  EXPECT_EQ(told["fewest_ranks_of_node"], 1);
}

// tests/tune/explain tests the explanation itself.
TEST_F(ExplainTest, PrintsTheExplanation) {
  const Words words{"alltoall", "--ranks", "8", "--all", "--mpi", "none", "--machine", machine()};
  const Json told = explained(words);
  EXPECT_EQ(told["source"], "price");
  EXPECT_EQ(told["preset"], "dear");
  EXPECT_EQ(told["assumed"], Json::object());
  const Json& candidates = told["candidates"];
  ASSERT_GE(candidates.size(), 4u);
  EXPECT_EQ(candidates[0]["algorithm"], told["chosen"]["algorithm"]);
  EXPECT_EQ(candidates[0]["predicted_s"], told["time_s"]);
  EXPECT_EQ(candidates[0]["rejected"], "");
  const auto shift =
      std::find_if(candidates.begin(), candidates.end(), [](const Json& each) { return each["algorithm"] == "shift"; });
  ASSERT_NE(shift, candidates.end());
  EXPECT_EQ((*shift)["parts"]["startups"], 7);
  EXPECT_EQ((*shift)["parts"]["rounds"], 7);
  EXPECT_EQ((*shift)["parts"]["message_bytes"], 7 * 8);
  EXPECT_NEAR((*shift)["parts"]["startups_s"].get<double>(), 7e-6, 1e-12);
  EXPECT_LE(told["lower_bound"]["time_s"].get<double>(), told["time_s"].get<double>());
  EXPECT_GE(told["by_block"]["changes"].size(), 2u);
  EXPECT_EQ(told["by_ranks"]["looked_up_to"], 128);
  Words all = words;
  all.insert(all.begin(), "explain");
  const std::string text = prints(all);
  EXPECT_NE(text.find(" start-ups in "), std::string::npos) << text;
  const std::string taken = candidates[0]["algorithm"];
  EXPECT_NE(text.find("What " + taken.substr(0, taken.find(':'))), std::string::npos) << text;
  EXPECT_NE(text.find("  round 0: Every rank "), std::string::npos) << text;
  const std::size_t line = text.find("By size of block, to within 3 %, all by shared memory: ");
  ASSERT_NE(line, std::string::npos) << text;
  EXPECT_EQ(text.substr(line, text.find("(looked", line) - line).find("memory", 50), std::string::npos) << "named once: " << text;
}

// Each figure of the sentences is that of the table, and says what its sentence says.
TEST_F(ExplainTest, ComparesTheChosenWayWithFasterAndTiedOnes) {
  std::map<std::string, int> found;
  for (const char* block : {"64B", "1KiB", "4KiB", "16KiB", "64KiB"}) {
    const std::string printed = run_program({"env", "COLUMNS=2000", QUADRILLE_COMMAND, "explain", "alltoall", "--node-sizes", "8x8",
                                             "--block", block, "--machine", "hdr", "--all", "--time", "0.001"})
                                    .out;
    const std::string text = std::regex_replace(printed, std::regex("\n  "), " ");  // sentences are wrapped
    const std::string table = text.substr(text.find("\nalgorithm "));
    for (const auto& [sentence, least, most] :
         {std::tuple("passed over for fewer rounds: ", 0.90, 0.98), {"not exact to 3 %: ", 0.97, 1.03}}) {
      const std::size_t begin = text.find(sentence);
      if (begin == std::string::npos) continue;
      ++found[sentence];
      const std::string list = text.substr(begin, text.find("). ", begin) - begin + 1);
      static const std::regex entry(R"(([a-z][^ ]*) \(([^,]*), ([0-9.]+) times as long\))");
      for (std::sregex_iterator each(list.begin(), list.end(), entry), none; each != none; ++each) {
        const double ratio = std::stod((*each)[3]);
        EXPECT_TRUE(least <= ratio && ratio <= most) << list;
        const std::size_t row = table.find('\n' + (*each)[1].str() + ' ');
        ASSERT_NE(row, std::string::npos) << text;
        EXPECT_NE(table.substr(row, table.find('\n', row + 1) - row).find((*each)[2].str()), std::string::npos) << text;
      }
    }
  }
  EXPECT_EQ(found.size(), 2u) << "both occur";
}

TEST_F(ExplainTest, ShowsBaselinesOnlyIfAllAreAskedFor) {
  Words words{"explain", "alltoall", "--topology", "torus:8x8", "--machine", "paragon", "--block", "64B", "--time", "0.01"};
  const std::string few = prints(words);
  EXPECT_NE(few.find("Baselines, which --all shows, too: submesh, subtorus.\n"), std::string::npos) << few;
  EXPECT_EQ(few.find("subtorus "), std::string::npos) << few;
  words.emplace_back("--all");
  const std::string all = prints(words);
  EXPECT_NE(all.find("subtorus (baseline)"), std::string::npos) << all;
  EXPECT_EQ(all.find("Baselines, "), std::string::npos) << all;
}

// On several nodes the executors mpi and hybrid have one price for most algorithms.
TEST_F(ExplainTest, ShowsOneExecutorOfSeveralAtOnePriceUnlessAllAreAskedFor) {
  Words words{"explain", "alltoall", "--node-sizes", "8x8", "--machine", "hdr", "--block", "1KiB", "--time", "0.01"};
  const auto rows_of = [](const std::string& text, const std::string& algorithm) {
    std::size_t rows = 0;
    for (std::size_t at = 0; (at = text.find('\n' + algorithm + "  ", at)) != text.npos; ++at) ++rows;
    return rows;
  };
  const std::string few = prints(words);
  EXPECT_EQ(rows_of(few, "hypercube"), 1u) << few;
  EXPECT_EQ(rows_of(few, "combined"), 1u) << few;
  EXPECT_EQ(few.find("does not apply"), std::string::npos) << few;
  words.emplace_back("--all");
  const std::string all = prints(words);
  EXPECT_EQ(rows_of(all, "hypercube"), 2u) << all;
  EXPECT_NE(all.find("\ntorus-direct does not apply: "), std::string::npos) << all;
}

// The network has so many ranks; other numbers of ranks are looked at without it.
TEST_F(ExplainTest, ExplainsOnATopology) {
  const Json told = explained({"alltoall", "--ranks", "8", "--topology", "torus:2x4", "--machine", machine()});
  EXPECT_EQ(told["ranks"], 8);
  EXPECT_EQ(told["by_block"]["looked_up_to"], most_block_bytes);
  EXPECT_EQ(told["by_ranks"]["looked_up_to"], 128);
  EXPECT_EQ(explained({"broadcast", "--topology", "cluster:2x4", "--machine", machine(), "--time", "0.1"})["nodes"], 2);
  const Json torus = explained({"alltoall", "--topology", "torus:8x8", "--machine", "paragon", "--block", "64B", "--time", "0.01"});
  EXPECT_EQ(torus["model"], "torus");
  EXPECT_NE(torus["model_reason"], "");
  EXPECT_EQ(torus["by_ranks"]["note"], "the model torus needs the network, which has so many ranks");
  refuses({"explain", "alltoall", "--ranks", "6", "--topology", "torus:2x4", "--machine", machine()}, "8 ranks, not 6");
}

TEST_F(ExplainTest, SaysWhichFiguresAreAssumed) {
  const std::string assuming =
      write("assuming.toml", contents(machine()) + "copy_us_per_byte = 0.0001\n[max-rate.assumed]\ncopy_us_per_byte = 'a guess'\n");
  const Words words{"alltoall", "--node-sizes", "4x4", "--time", "0.01", "--machine", assuming};
  EXPECT_EQ(explained(words)["assumed"].dump(), R"({"copy_us_per_byte":"a guess"})");
  Words all = words;
  all.insert(all.begin(), "explain");
  const std::string text = prints(all);
  EXPECT_NE(text.substr(0, text.find("\n\n")).find("assumed"), std::string::npos) << text;
  EXPECT_NE(text.find("Assumed, because no published figure was found:\n  copy_us_per_byte: a guess\n"), std::string::npos) << text;
  all.back() = machine();
  EXPECT_EQ(prints(all).find("ssumed"), std::string::npos) << "all its figures are stated";
}

TEST_F(ExplainTest, PrefersMeasuredTimes) {
  const Problem problem = Problem::alltoall(4, 64);
  const std::string file = wisdom_of(problem, "bruck:radix=2", "none");
  const Outcome outcome = with_wisdom(file, {"alltoall", "--ranks", "4", "--block", "64B"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_EQ(outcome.out.rfind("On one node take bruck", 0), 0u) << outcome.out;
  for (const std::string part : {"measured", "2.00 µs", "3.00 µs", "2026-11-20", "By size of block", "By number of ranks",
                                 "Every algorithm takes at least 2 rounds"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  const Outcome larger = with_wisdom(file, {"alltoall", "--ranks", "4", "--block", "1MiB", "--json"});
  EXPECT_NE(Json::parse(larger.out)["source"], "wisdom") << "a record for 64 B does not apply to 1 MiB";
}

TEST_F(ExplainTest, ReadsTheWisdomOfTheLibraryThatIsNamed) {
  const Problem problem = Problem::alltoall(4, 64);
  wisdom_of(problem, "bruck:radix=2", "none");
  wisdom_of(problem, "direct", "Open MPI 4.1.4");
  const auto file_with = [&](const Words& more) {
    Words words{"alltoall", "--ranks", "4", "--block", "64B", "--json", "--time", "0.01"};
    words.insert(words.end(), more.begin(), more.end());
    return fs::path(Json::parse(with_wisdom(place_.string(), words).out)["wisdom"].get<std::string>()).filename();
  };
  EXPECT_EQ(file_with({"--mpi", "none"}), "none.wisdom");
  EXPECT_EQ(file_with({"--mpi", "openmpi"}), "Open MPI 4.1.4.wisdom");
  EXPECT_EQ(file_with({"--mpi", "mpich"}), "");
  fs::last_write_time(file("none.wisdom"), fs::last_write_time(file("Open MPI 4.1.4.wisdom")) + std::chrono::hours(1));
  EXPECT_EQ(file_with({}), "none.wisdom") << "the newest";
  write("none.wisdom", "damaged\n");
  const Outcome outcome = with_wisdom(place_.string(), {"alltoall", "--ranks", "4", "--mpi", "none", "--time", "0.01"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.talk.find("none.wisdom"), std::string::npos) << outcome.talk;
}

TEST_F(ExplainTest, ExplainsCountsOfAFile) {
  const std::string counts = write("counts.csv", "0,1000,0,0\n0,0,1000,0\n0,0,0,1000\n90000,0,0,0\n").string();
  const Json told = explained({"alltoallv", "--counts", counts, "--machine", machine()});
  EXPECT_EQ(told["ranks"], 4);
  EXPECT_EQ(told["skew"], 4);
  EXPECT_EQ(told["sparsity"], 4);
  EXPECT_NEAR(told["irregularity"].get<double>(), 4 * 90000.0 / 93000, 1e-9);
  EXPECT_GE(told["by_irregularity"]["looked_up_to"].get<int>(), 4);
  EXPECT_NE(told["by_block"]["note"], "");
}

// A pipe in a folder that is searched, and a device that never ends. The limits end a command that reads one of them.
TEST_F(ExplainTest, LeavesOutWhatIsNoFile) {
  fs::create_directory(file("kept"));
  ASSERT_EQ(::mkfifo(file("kept/pipe.wisdom").c_str(), 0600), 0);
  for (const std::string& place : {file("kept").string(), std::string("/dev/zero")}) {
    SCOPED_TRACE(place);
    const Outcome outcome =
        run_program({"bash", "-c", "ulimit -v 8000000; QUADRILLE_WISDOM=$0 exec timeout 30 \"$@\"", place, QUADRILLE_COMMAND,
                     "explain", "alltoall", "--ranks", "4", "--block", "64B", "--time", "0.01"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
    EXPECT_NE(outcome.talk.find("left out: the wisdom '" + place), std::string::npos) << outcome.talk;
    EXPECT_NE(outcome.talk.find("is not a regular file"), std::string::npos) << outcome.talk;
  }
}

TEST_F(ExplainTest, RefusesInvalidOptions) {
  refuses({"explain", "alltoall"}, "say how many ranks");
  refuses({"explain", "alltoall", "--ranks", "4", "--mpi", "lam"}, "MPI library");
  refuses({"explain", "alltoall", "--ranks", "4", "--machine", "nowhere"}, "nowhere");
  refuses({"explain", "alltoall", "--ranks", "4", "--machine", "paragon"}, "--topology torus:4x8");
  refuses({"explain", "alltoall", "--ranks", "4", "--machine", "hdr", "--mpi", "openmpi"}, "exclude each other");
  refuses({"explain", "alltoall", "--node-sizes", "2x2", "--executor", "shared"}, "hybrid");
}

}  // namespace
}  // namespace quadrille
