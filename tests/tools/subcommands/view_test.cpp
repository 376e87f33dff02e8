// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille view. The tests of the page itself are in viewer/.
#include <gtest/gtest.h>

#include <regex>

#include "support/command.hpp"
#include "support/viewer_page.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class ViewTest : public CommandTest {
 protected:
  Json viewed(Words words) const {
    words.insert(words.begin(), "view");
    return page_data(prints(words));
  }
};

TEST_F(ViewTest, APageHoldsTheTraceOfTheSchedule) {
  const Json page = viewed({"alltoall", "--algorithm", "bruck", "--ranks", "5"});
  EXPECT_EQ(page.at("format"), "quadrille-page/1");
  ASSERT_EQ(page.at("documents").size(), 1u);
  EXPECT_EQ(page.at("documents")[0], Json::parse(prints({"trace", "alltoall", "--algorithm", "bruck", "--ranks", "5"})));
}

TEST_F(ViewTest, APageIsTheBuiltPageWithData) {
  const std::string built = contents(fs::path(QUADRILLE_SOURCE_DIR) / "viewer/dist/viewer.html");
  const std::string html = prints({"view", "alltoall", "--algorithm", "bruck", "--ranks", "5"});
  const std::size_t at = built.find("id=\"data\">") + std::string("id=\"data\">").size();
  EXPECT_EQ(html.substr(0, at), built.substr(0, at));
  EXPECT_TRUE(html.ends_with(built.substr(at)));
  EXPECT_LE(built.size(), std::size_t{1} << 20);  // beside the data
}

// Without options of the problem a page shows the network that the algorithm's record names, and vectors with a block for each
// rank.
TEST_F(ViewTest, APageNeedsNoOptionsOfTheProblem) {
  const Json ring = viewed({"allreduce", "--algorithm", "ring"}).at("documents").at(0);
  EXPECT_EQ(ring.at("network").at("topology"), "ring:8");
  EXPECT_EQ(ring.at("block_bytes"), 64);
  EXPECT_EQ(viewed({"allreduce", "--algorithm", "ring", "--ranks", "5"}).at("documents").at(0).at("block_bytes"), 40);
  EXPECT_EQ(viewed({"alltoall", "--algorithm", "bruck"}).at("documents").at(0).at("ranks"), 8);
  EXPECT_EQ(viewed({"alltoall", "--algorithm", "torus"}).at("documents").at(0).at("network").at("topology"), "torus:4x4");
  EXPECT_EQ(viewed({"scan", "--algorithm", "direct", "--ranks", "4", "--block", "8B"}).at("documents").at(0).at("block_bytes"), 8);
}

TEST_F(ViewTest, APageHasTheAlgorithmsSentences) {
  const Json page = viewed({"alltoall", "--algorithm", "shift", "--ranks", "3"}).at("documents").at(0);
  EXPECT_EQ(page.at("rounds").at("says").at(1), "Every rank sends 1 block straight to the rank 2 further, for which it is");
}

TEST_F(ViewTest, TwoSchedulesAreShownSideBySide) {
  EXPECT_EQ(viewed({"alltoall", "--algorithm", "bruck", "--algorithm", "shift", "--ranks", "4"}).at("documents").size(), 2u);
  refuses({"view", "alltoall", "--algorithm", "bruck:radix=2..4", "--ranks", "8"}, "side by side, not 3");
}

TEST_F(ViewTest, FilesAreSchedulesOrTraces) {
  const Words problem{"alltoall", "--algorithm", "bruck", "--ranks", "5"};
  Words words = problem;
  words.insert(words.begin(), "schedule");
  const std::string schedule = write("bruck.sched", prints(words));
  words.front() = "trace";
  const std::string trace = write("bruck.json", prints(words));
  const Json page = viewed({schedule, trace});
  EXPECT_EQ(page.at("documents")[0].at("messages"), page.at("documents")[1].at("messages"));
  refuses({"view", file("none.json")}, "none.json");
  refuses({"view", write("empty.json", "{}")}, "empty.json");
}

// Returns the centres of the circles of a picture: the ranks in their order.
std::vector<std::pair<double, double>> circles_of(const std::string& svg) {
  static const std::regex circle(R"re(<circle[^>]* cx="([^"]*)" cy="([^"]*)")re");
  std::vector<std::pair<double, double>> centres;
  for (std::sregex_iterator found(svg.begin(), svg.end(), circle), end; found != end; ++found)
    centres.emplace_back(std::stod((*found)[1]), std::stod((*found)[2]));
  return centres;
}

// A page has the layout in which `draw` shows the network, also if a trace names it.
TEST_F(ViewTest, APageHasTheLayoutOfItsNetwork) {
  const Words problem{"alltoall", "--algorithm", "direct", "--topology", "fat-tree:4"};
  const Json layout = viewed(problem).at("layouts").at(0);
  const Json &x = layout.at("x"), &y = layout.at("y");
  Words drawing = problem;
  drawing.insert(drawing.begin(), "draw");
  drawing.insert(drawing.end(), {"--as", "links"});
  const auto centres = circles_of(prints(drawing));
  ASSERT_EQ(centres.size(), 16u);
  ASSERT_EQ(x.size(), 36u);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(x[i].get<double>() - x[0].get<double>(), centres[i].first - centres[0].first, 0.2) << i;
    EXPECT_NEAR(y[i].get<double>() - y[0].get<double>(), centres[i].second - centres[0].second, 0.2) << i;
  }
  EXPECT_EQ(layout.at("switches").size(), 20u);
  EXPECT_EQ(layout.at("switches")[0], "switch 0");
  Words words = problem;
  words.insert(words.begin(), "trace");
  EXPECT_EQ(viewed({write("trace.json", prints(words))}).at("layouts").at(0), layout);
  const Json torus = viewed({"alltoall", "--algorithm", "direct", "--topology", "torus:2x3x4"}).at("layouts").at(0);
  EXPECT_EQ(torus.at("parts").size(), 2u);
  EXPECT_FALSE(torus.at("stubs").at("link").empty());
  const Json nodes = viewed({"alltoall", "--algorithm", "direct", "--node-sizes", "3x2"}).at("layouts").at(0);
  EXPECT_EQ(nodes.at("parts").size(), 3u);
  EXPECT_EQ(nodes.at("parts")[1].at("name"), "node 1");
}

TEST_F(ViewTest, AMachineAddsSimulatedTimes) {
  const Words problem{"alltoall", "--algorithm", "torus", "--topology", "torus:4x4", "--block", "1KiB", "--machine", "sp1"};
  Words words = problem;
  words.insert(words.begin(), "trace");
  EXPECT_EQ(viewed(problem).at("documents")[0].at("times"), Json::parse(prints(words)).at("times"));
  refuses({"view", "alltoall", "--algorithm", "bruck", "--ranks", "4", "--model", "postal"}, "simulated times need a machine");
  refuses({"view", write("trace.json", prints(words)), "--machine", "sp1"}, "has its own network and times");
  refuses({"view", write("trace.json", prints(words)), "--topology", "ring:16"}, "leave --topology out");
}

TEST_F(ViewTest, OnlyPicksFromAFile) {
  const auto traced = [&](const char* algorithm) {
    return prints({"trace", "alltoall", "--algorithm", algorithm, "--ranks", "4"});
  };
  const std::string several = write("several.json", '[' + traced("bruck") + ',' + traced("direct") + ',' + traced("shift") + ']');
  const auto algorithms = [](const Json& page) {
    std::vector<std::string> list;
    for (const Json& document : page.at("documents")) list.push_back(document.at("algorithm"));
    return list;
  };
  EXPECT_EQ(algorithms(viewed({several, "--only", "2"})), (std::vector<std::string>{"direct"}));
  EXPECT_EQ(algorithms(viewed({several, "--only", "shift", "--only", "1"})), (std::vector<std::string>{"shift", "bruck"}));
  refuses({"view", several}, "side by side, not 3; pick by --only");
  refuses({"view", several, "--only", "0"}, "has nothing that --only 0 names; it holds 1: alltoall, bruck");
  refuses({"view", several, "--only", "4"}, "--only 4");
  refuses({"view", several, "--only", "alltoall"}, "3 titles in");
  refuses({"view", several, several, "--only", "1"}, "--only picks from one file");
  refuses({"view", "alltoall", "--algorithm", "bruck", "--ranks", "4", "--only", "1"}, "--only picks from a file");
  const std::string schedules = prints({"schedule", "alltoall", "--algorithm", "bruck:radix=2..4", "--ranks", "9", "--json"});
  EXPECT_EQ(viewed({write("schedules.json", schedules), "--only", "radix=3"}).at("documents").size(), 1u);
}

Words race_words() {
  return {"race",  "alltoall",      "--ranks", "2",      "--block", "8B,64B",     "--algorithm", "direct", "--algorithm",
          "bruck", "--repetitions", "2",       "--time", "0.02s",   "--executor", "threads",     "--json"};
}

TEST_F(ViewTest, ResultsOfRacesAreShown) {
  const std::string text = prints(race_words()), race = write("race.json", text);
  const Json page = viewed({race, race, race});
  ASSERT_EQ(page.at("documents").size(), 3u);
  EXPECT_FALSE(page.contains("layouts"));
  EXPECT_EQ(page.at("documents")[0], Json::parse(text));
  EXPECT_NE(page.at("documents")[0].at("command").get<std::string>().find("race alltoall --ranks 2"), std::string::npos);
  EXPECT_GT(page.at("documents")[0].at("start_unix_s").get<Count>(), 1'600'000'000);
  EXPECT_FALSE(page.at("documents")[0].at("host").get<std::string>().empty());
  EXPECT_EQ(viewed({write("marked.json", "\xef\xbb\xbf" + text)}).at("documents")[0], Json::parse(text)) << "a byte order mark";
}

const char* const report_text =
    R"({"format": "quadrille-report", "format_version": 1, "program": "./app", "mpi": "an MPI", "world_size": 2,
        "hosts": ["a"], "start_unix_s": 1700000000.5,
        "seconds": 1, "share": 0.5, "communicators": [{"name": "MPI_COMM_WORLD"}], "balance": {"late_s": 0},
        "ranks": [{"rank": 0, "host": "a", "state": "ended", "seconds": 1, "collective_seconds": 0.5}],
        "rows": [{"collective": "Alltoall", "communicator": 0, "calls": 1, "ours_calls": 0, "share": 0.5, "rank_seconds": 1,
                  "most_seconds": 0.5}],
        "costliest_calls": [{"rank": 1, "begin_s": 0.1, "seconds": 0.2, "collective": "Alltoall",
                             "communicator": 0, "block_bytes": 8, "by_ours": true}],
        "traffic_bytes": [[0, 8], [8, 0]]})";

const char* const tuning_text =
    R"({"ranks": 2, "transport": "threads", "collectives": [], "cells": [{"collective": "alltoall", "shape": "", "block_bytes": 8,
        "ways": [{"algorithm": "direct", "median_s": 1e-6, "lower_s": 1e-6, "upper_s": 2e-6}]}]})";

TEST_F(ViewTest, OtherResultsAreShownOrRefused) {
  EXPECT_EQ(viewed({write("report.json", report_text)}).at("documents").size(), 1u);
  EXPECT_EQ(viewed({write("tuned.json", tuning_text)}).at("documents").size(), 1u);
  EXPECT_EQ(viewed({write("tuned.json", std::string("[") + tuning_text + "," + tuning_text + "]")}).at("documents").size(), 1u);
  struct Change {
    const char *text, *words, *other, *hint;
  };
  for (const Change& change : std::vector<Change>{
           {report_text, R"("world_size": 2)", R"("world_size": 0)", "a count is too small"},
           {report_text, R"("world_size": 2)", R"("world_size": 3)", "the traffic has another number of ranks"},
           {report_text, R"("program")", R"("programme")", "key 'program' not found"},
           {report_text, R"("communicator": 0, "calls")", R"("communicator": 1, "calls")", "none of the communicators"},
           {report_text, R"("communicator": 0, "block)", R"("communicator": 1, "block)", "none of the communicators"},
           {report_text, R"("seconds": 1, "share")", R"("seconds": -1, "share")", "not a number from 0 on"},
           {report_text, R"({"rank": 0)", R"({"rank": 2)", "none of the world's"},
           {report_text, R"({"rank": 1)", R"({"rank": 2)", "none of the world's"},
           {report_text, "[8, 0]", "[8]", "another number of ranks"},
           {report_text, "[8, 0]", "[8, 0.5]", "something else than whole numbers"},
           {report_text, "[8, 0]", "[8, 9007199254740992]", "something else than whole numbers"},
           {report_text, R"(["a"])", "[1]", "type must be string"},
           {report_text, R"("block_bytes": 8)", R"("block_bytes": 8.5)", "not a whole number"},
           {report_text, R"("communicator": 0, "calls")", R"("vendor": 1, "communicator": 0, "calls")", "cannot use at()"},
           {report_text, R"([{"name": "MPI_COMM_WORLD"}])", R"({"name": "MPI_COMM_WORLD"})", "no list"},
           {report_text, "1700000000.5", "null", "type must be number"},
           {tuning_text, R"("threads")", "7", "type must be string"},
           {tuning_text, R"("cells")", R"("command": 1, "cells")", "type must be string"},
           {tuning_text, R"("cells")", R"("start_unix_s": -1, "cells")", "not a number from 0 on"},
           {tuning_text, R"("cells")", R"("machine": {"model": "A", "cores": 1, "threads": 0.5}, "cells")", "not a whole number"},
           {report_text, R"("format_version": 1)", R"("format_version": 2)", "the version of quadrille that wrote it"},
           {tuning_text, R"("alltoall")", R"("gossip")", "gossip"},
           {tuning_text, R"("median_s": 1e-6)", R"("median_s": null)", "type must be number"},
           {tuning_text, R"("ways")", R"("wage")", "key 'ways' not found"},
       }) {
    SCOPED_TRACE(change.other);
    std::string text = change.text;
    const std::size_t at = text.find(change.words);
    ASSERT_NE(at, std::string::npos) << change.words;
    text.replace(at, std::string(change.words).size(), change.other);
    refuses({"view", write("broken.json", text)}, change.hint);
  }
  std::string race = prints(race_words());
  race.replace(race.find(R"("median_s")"), 10, R"("medium_s")");
  refuses({"view", write("broken.json", race)}, "key 'median_s' not found");
  refuses({"view", write("a.json", report_text), write("b.json", tuning_text)}, "make a page for each");
  refuses({"view", write("a.json", report_text), write("b.json", report_text)}, "make a page for each");
  refuses({"view", write("a.json", report_text), "--machine", "sp1"}, "holds measured times");
  refuses({"view", write("a.json", report_text), "--only", "1"}, "leave --only out");
}

TEST_F(ViewTest, SaysWhatToDoWithOtherFormats) {
  const std::string simulation =
      write("sim.json", prints({"simulate", "alltoall", "--algorithm", "bruck", "--ranks", "4", "--machine", "sp1", "--json"}));
  refuses({"view", simulation}, "holds predicted times only; 'quadrille plot' draws them");
  for (const char* command : {"view", "trace"})
    refuses({command, write("newer.json", R"({"format": "quadrille-trace/2"})")},
            "has the format quadrille-trace/2, and this version reads quadrille-trace/1; use the version of quadrille that "
            "wrote it");
  refuses({"view", write("newer.json", R"({"format": "quadrille-schedule/2"})")}, "expected 'quadrille-schedule/1'");
}

TEST_F(ViewTest, AWrongScheduleIsShownWithItsFindings) {
  std::string text = prints({"schedule", "alltoall", "--algorithm", "shift", "--ranks", "3"});
  const std::size_t line = text.find("  send to");
  text.erase(line, text.find('\n', line) - line + 1);
  const Outcome outcome = run({"view", write("wrong.sched", text)});
  EXPECT_EQ(outcome.exit_code, 1);
  const auto findings = page_data(outcome.out).at("documents")[0].at("findings");
  ASSERT_FALSE(findings.empty());
  for (const auto& finding : findings) EXPECT_TRUE(finding.contains("cause")) << finding;
}

TEST_F(ViewTest, TextsOfADocumentDoNotEndTheElementOfTheData) {
  std::string text = prints({"schedule", "alltoall", "--algorithm", "shift", "--ranks", "3", "--json"});
  text.replace(text.find("\"shift\""), 7, "\"</script><script>alert(1)</script>\"");
  const std::string html = prints({"view", write("named.json", text)});
  EXPECT_EQ(html.find("</script><script>alert"), std::string::npos);
  EXPECT_EQ(page_data(html).at("documents")[0].at("algorithm"), "</script><script>alert(1)</script>");
}

TEST_F(ViewTest, RefusesWhatItCannotDo) {
  refuses({"view"}, "name a collective or a file");
  refuses({"view", "alltoall", "--algorithm", "bruck", "--ranks", "1025"}, "at most 1024 ranks, not 1025");
  std::string trace = prints({"trace", "alltoall", "--algorithm", "bruck", "--ranks", "4", "--topology", "ring:4"});
  const auto changed = [&](const std::string& words, const std::string& other) {
    std::string text = trace;
    return write("changed.json", text.replace(text.find(words), words.size(), other));
  };
  refuses({"view", changed("\"round_count\": 1", "\"round_count\": 131073")}, "at most 131072 rounds");
  EXPECT_EQ(run({"view", changed("\"round_count\": 1", "\"round_count\": 131072")}).exit_code, 0);
  refuses({"view", changed("[32,32,32,32]", "[9007199254740992,0,0,0]")}, "sizes below 2^53 bytes");
  EXPECT_EQ(run({"view", changed("[32,32,32,32]", "[9007199254740991,0,0,0]")}).exit_code, 0);
  refuses({"view", changed("\"vertices\": 4", "\"vertices\": 4097")}, "at most 4096 ranks and switches, not 4097");
  EXPECT_EQ(run({"view", changed("\"vertices\": 4", "\"vertices\": 4096")}).exit_code, 0);
  refuses({"view", "alltoall", "--ranks", "4"}, "--algorithm");
  refuses({"view", "alltoall", "--algorithm", "bruck", "--ranks", "4", "--open"}, "--open needs a file");
  refuses({"view", "alltoall", "--algorithm", "bruck", "--ranks", "4", "-o", file("page.svg")}, "SVG");
  refuses({"view", "alltoall", "--gallery", file("gallery")}, "--gallery");
  refuses({"view", "--course"}, "--course needs the folder of a gallery");
}

TEST_F(ViewTest, AGalleryOverwritesGalleriesOnly) {
  const fs::path folder = file("mine");
  fs::create_directory(folder);
  const std::string index = write("mine/index.html", "hi\n");
  refuses({"view", "--gallery", folder}, "mine/index.html' exists, and a gallery would overwrite it");
  EXPECT_EQ(contents(index), "hi\n");
  EXPECT_FALSE(fs::exists(folder / "viewer.js"));
  fs::remove(index);
  for (int times = 0; times < 2; ++times) EXPECT_EQ(run({"view", "--gallery", folder}).exit_code, 0);
}

TEST_F(ViewTest, OpenStartsXdgOpenWithThePage) {
  const fs::path program = write("xdg-open", "#!/bin/sh\necho \"$1\" > \"$(dirname \"$0\")/opened\"\n");
  fs::permissions(program, fs::perms::owner_all);
  const std::string page = file("page.html");
  const Outcome outcome = run_program({"env", "PATH=" + program.parent_path().string() + ":/usr/bin:/bin", QUADRILLE_COMMAND,
                                       "view", "alltoall", "--algorithm", "bruck", "--ranks", "4", "-o", page, "--open"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_EQ(contents(file("opened")), page + "\n");
  EXPECT_TRUE(contents(page).starts_with("<!DOCTYPE html>"));
}

}  // namespace
}  // namespace quadrille
