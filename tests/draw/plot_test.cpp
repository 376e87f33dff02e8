// SPDX-License-Identifier: BSD-3-Clause
#include "draw/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "draw/svg.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
const std::vector<Sheet> sheets{{.columns = {"n", "a", "b"}, .rows = {{Count{1}, 2.5, 30.0}, {Count{2}, 3.0, 410.0}}}};

std::size_t times(const Read& picture, const std::string& text) {
  const auto texts = picture.texts();
  return static_cast<std::size_t>(std::count(texts.begin(), texts.end(), text));
}

TEST(Plots, HaveATitleANoteAndTwoPanelsInARow) {
  const Panel panel{.title = "one", .curves = {{1, "A"}}};
  const Read picture(draw_plot("a title", "Verdict: holds", sheets, {panel, panel, panel}));
  picture.expect_inside();
  EXPECT_EQ(times(picture, "a title"), 1u);
  EXPECT_EQ(times(picture, "Verdict: holds"), 1u);
  std::vector<PictureWords> titles = picture.words();
  std::erase_if(titles, [](const PictureWords& words) { return words.text != "one"; });
  ASSERT_EQ(titles.size(), 3u);
  EXPECT_EQ(titles[0].y, titles[1].y);
  EXPECT_GT(titles[1].x, titles[0].x);
  EXPECT_GT(titles[2].y, titles[1].y);
  EXPECT_EQ(titles[2].x, titles[0].x);
}

// Panels of one group have one range of y, which begins at 0; other panels have their own.
TEST(Plots, ShareRanges) {
  const Panel a{.curves = {{1, ""}}}, b{.curves = {{2, ""}}};
  Panel a_of_group = a, b_of_group = b;
  a_of_group.range_group = b_of_group.range_group = 3;
  EXPECT_EQ(times(Read(draw_plot("", "", sheets, {a_of_group, b_of_group})), "450"), 2u) << "410 by steps of 50";
  EXPECT_EQ(times(Read(draw_plot("", "", sheets, {a, b})), "400"), 1u);
  EXPECT_EQ(times(Read(draw_plot("", "", sheets, {a})), "0"), 0u) << "2.5 to 3";
}

TEST(Plots, BreakLongNotesIntoLines) {
  std::string note;
  for (int i = 0; i < 100; ++i) note += "word ";
  const auto height = [](const std::string& words) {
    const Read picture(draw_plot("", words, sheets, {{.title = "panel", .curves = {{1, ""}}}}));
    picture.expect_inside();
    for (const PictureWords& entry : picture.words()) EXPECT_LE(text_width(entry.text), 620) << entry.text;
    const auto all = picture.words();
    return std::find_if(all.begin(), all.end(), [](const PictureWords& entry) { return entry.text == "panel"; })->y;
  };
  EXPECT_EQ(height(note) - height("word"), 5 * 18) << "six lines of 18 words";
}

}  // namespace
}  // namespace quadrille
