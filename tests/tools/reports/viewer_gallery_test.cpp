// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille view --gallery.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "quadrille/algorithm.hpp"
#include "support/browser_verifier.hpp"
#include "support/command.hpp"
#include "support/viewer_page.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class GalleryTest : public CommandTest {};

// Every algorithm has a page, every link leads to a page, and pages share the viewer.
TEST_F(GalleryTest, HasAPageForEachAlgorithm) {
  const fs::path folder = file("gallery");
  EXPECT_EQ(run({"view", "--gallery", folder}).exit_code, 0);
  const Json index = page_data(contents(folder / "index.html"));
  std::set<std::string> linked{"index.html", "viewer.js", "viewer.css"};
  for (const Json& section : index.at("sections"))
    for (const Json& page : section.at("pages")) {
      const std::string html = contents(folder / page.at("file"));
      linked.insert(page.at("file"));
      linked.insert(page.at("picture"));
      EXPECT_NE(html.find("<script src=\"viewer.js\">"), std::string::npos) << page;
      EXPECT_LT(html.size(), 100'000u) << page;
      for (const Json& link : page_data(html).at("links")) EXPECT_TRUE(exists(folder / link.at("file"))) << link;
    }
  std::set<std::string> files;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.insert(entry.path().filename());
    bytes += entry.file_size();
  }
  EXPECT_EQ(files, linked);
  EXPECT_LT(bytes, 3'000'000u);
  for (const Algorithm* algorithm : all_algorithms())
    EXPECT_TRUE(files.contains(page_of(name(algorithm->collective), algorithm->id)))
        << name(algorithm->collective) << ' ' << algorithm->id;
}

// Between the summary and the figures of an algorithm's page is what one sees, in whole sentences.
TEST_F(GalleryTest, SaysWhatOneSeesOfEachAlgorithm) {
  const fs::path folder = file("gallery");
  EXPECT_EQ(run({"view", "--gallery", folder}).exit_code, 0);
  for (const Algorithm* algorithm : all_algorithms()) {
    const std::string page = page_of(name(algorithm->collective), algorithm->id);
    const std::string text = page_data(contents(folder / page)).at("text");
    const std::size_t begin = text.find(". ") + 2, end = text.find(" It takes C1 = ");
    ASSERT_LT(begin, end) << page;
    const std::string picture = text.substr(begin, end - begin);
    EXPECT_EQ(picture, algorithm->picture) << page;
    EXPECT_GE(std::count(picture.begin(), picture.end(), '.'), 2) << page << ": " << picture;
    EXPECT_TRUE(picture.size() >= 100 && picture.ends_with('.')) << page << ": " << picture;
    EXPECT_EQ(picture.find('`'), std::string::npos) << page << ": pages show plain text";
  }
}

// Algorithms that the usual grid of 2 x 4 does not fit are shown on a network, or with counts, that do.
TEST_F(GalleryTest, ShowsAlgorithmsOnProblemsThatFitThem) {
  const fs::path folder = file("gallery");
  EXPECT_EQ(run({"view", "--gallery", folder}).exit_code, 0);
  const auto trace = [&](const char* algorithm, const char* collective = "alltoall") {
    return page_data(contents(folder / page_of(collective, algorithm))).at("documents").at(0);
  };
  EXPECT_EQ(trace("torus-direct").at("network").at("topology"), "torus:4x4,balanced");
  EXPECT_EQ(trace("imaginary-node").at("ranks"), 9);
  EXPECT_EQ(trace("subtorus").at("ranks"), 32);
  EXPECT_EQ(trace("bruck").at("ranks"), 8);
  const Json counts = trace("groups", "alltoallv").at("counts");
  for (std::size_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(counts.at(rank) == Json({0, 0, 0, 0, 0, 0, 0, 0}), rank >= 3) << counts.at(rank);
}

// A course has the lessons only, with a task and a link to it, and all that its pages load. It needs the verifier for browsers.
TEST_F(GalleryTest, ACourseIsCompleteOrIsRefused) {
  const fs::path folder = file("course");
  const Outcome outcome = run({"view", "--gallery", folder, "--course"});
  if (!fs::exists(browser_verifier_file())) {
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_NE(outcome.talk.find("--target quadrille_browser_verifier"), std::string::npos) << outcome.talk;
    EXPECT_FALSE(fs::exists(folder / "index.html"));
    return;
  }
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  const Json sections = page_data(contents(folder / "index.html")).at("sections");
  ASSERT_EQ(sections.size(), 3u);
  ASSERT_EQ(sections[0].at("pages").size(), 12u);
  for (std::size_t lesson = 0; lesson < 12; ++lesson) {
    const Json page = page_data(contents(folder / sections[0].at("pages")[lesson].at("file")));
    EXPECT_EQ(page.at("links").back().at("file"), "write.html#task=" + std::to_string(lesson + 1)) << page.at("title");
  }
  const std::string editor = contents(folder / "write.html");
  EXPECT_NE(editor.find("script-src 'self' file: 'wasm-unsafe-eval'; worker-src blob:"), std::string::npos);
  EXPECT_EQ(contents(folder / "lesson-1-ring.html").find("wasm-unsafe-eval"), std::string::npos);
  EXPECT_GE(page_data(editor).at("machines").size(), 10u);
  EXPECT_LE(fs::file_size(folder / "verifier.js"), 3u << 20);
  ASSERT_EQ(sections[2].at("pages").size(), 2u);
  for (const Json& sheet : sections[2].at("pages")) {
    const std::string name = sheet.at("file"), text = contents(folder / name);
    EXPECT_TRUE(text.starts_with(name.ends_with(".pdf") ? "%PDF" : "<svg")) << name;
  }
}

}  // namespace
}  // namespace quadrille
