// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille view. The tests of the page itself are in viewer/.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "quadrille/algorithm.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class ViewTest : public CommandTest {
 protected:
  // Returns the data of a page.
  static Json data_of(const std::string& html) {
    const std::string begin = "id=\"data\">";
    const std::size_t at = html.find(begin) + begin.size();
    return Json::parse(html.substr(at, html.find("</script>", at) - at));
  }

  Json viewed(Words words) const {
    words.insert(words.begin(), "view");
    return data_of(prints(words));
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

TEST_F(ViewTest, ResultsOfRacesAreShown) {
  const std::string race = write("race.json", R"({"collective": "alltoall", "ranks": 4, "sizes": []})");
  EXPECT_EQ(viewed({race, race, race}).at("documents").size(), 3u);
}

TEST_F(ViewTest, AWrongScheduleIsShownWithItsFindings) {
  std::string text = prints({"schedule", "alltoall", "--algorithm", "shift", "--ranks", "3"});
  const std::size_t line = text.find("  send to");
  text.erase(line, text.find('\n', line) - line + 1);
  const Outcome outcome = run({"view", write("wrong.sched", text)});
  EXPECT_EQ(outcome.exit_code, 1);
  const auto findings = data_of(outcome.out).at("documents")[0].at("findings");
  ASSERT_FALSE(findings.empty());
  for (const auto& finding : findings) EXPECT_TRUE(finding.contains("cause")) << finding;
}

TEST_F(ViewTest, TextsOfADocumentDoNotEndTheElementOfTheData) {
  std::string text = prints({"schedule", "alltoall", "--algorithm", "shift", "--ranks", "3", "--json"});
  text.replace(text.find("\"shift\""), 7, "\"</script><script>alert(1)</script>\"");
  const std::string html = prints({"view", write("named.json", text)});
  EXPECT_EQ(html.find("</script><script>alert"), std::string::npos);
  EXPECT_EQ(data_of(html).at("documents")[0].at("algorithm"), "</script><script>alert(1)</script>");
}

TEST_F(ViewTest, RefusesWhatItCannotDo) {
  refuses({"view"}, "name a collective or a file");
  refuses({"view", "alltoall", "--algorithm", "bruck", "--ranks", "1025"}, "at most 1024 ranks, not 1025");
  refuses({"view", "alltoall", "--ranks", "4"}, "--algorithm");
  refuses({"view", "alltoall", "--algorithm", "bruck", "--ranks", "4", "--open"}, "--open needs a file");
  refuses({"view", "alltoall", "--algorithm", "bruck", "--ranks", "4", "-o", file("page.svg")}, "SVG");
  refuses({"view", "alltoall", "--gallery", file("gallery")}, "--gallery");
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

// Every algorithm that applies to the ranks of the gallery has a page, every link leads to a page, and pages share the viewer.
TEST_F(ViewTest, TheGalleryHasAPageForEachAlgorithm) {
  const fs::path folder = file("gallery");
  EXPECT_EQ(run({"view", "--gallery", folder}).exit_code, 0);
  const Json index = data_of(contents(folder / "index.html"));
  std::set<std::string> linked{"index.html", "viewer.js", "viewer.css"};
  for (const Json& section : index.at("sections"))
    for (const Json& page : section.at("pages")) {
      const std::string html = contents(folder / page.at("file"));
      linked.insert(page.at("file"));
      EXPECT_NE(html.find("<script src=\"viewer.js\">"), std::string::npos) << page;
      EXPECT_LT(html.size(), 100'000u) << page;
      for (const Json& link : data_of(html).at("links")) EXPECT_TRUE(exists(folder / link.at("file"))) << link;
    }
  std::set<std::string> files;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.insert(entry.path().filename());
    bytes += entry.file_size();
  }
  EXPECT_EQ(files, linked);
  EXPECT_LT(bytes, 3'000'000u);
  std::size_t missing = 0;
  for (const Algorithm* algorithm : all_algorithms()) {
    std::string name = fmt::format("{}-{}.html", quadrille::name(algorithm->collective), algorithm->id);
    std::replace(name.begin(), name.end(), '_', '-');
    if (!files.contains(name)) ++missing;
  }
  EXPECT_LE(missing, 4u);  // those that need another number of ranks
}

}  // namespace
}  // namespace quadrille
