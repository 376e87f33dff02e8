// SPDX-License-Identifier: BSD-3-Clause
#include "draw/panel.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "draw/svg.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
const std::vector<Sheet> sheets{{.columns = {"n", "a", "b"}, .rows = {{Count{1}, 2.5, 30.0}, {Count{2}, 3.0, 410.0}}}};

TEST(Plots, HaveATitleANoteAndTwoPanelsInARow) {
  const Panel panel{.title = "one", .curves = {{1, "A"}}};
  const Read picture(draw_plot("a title", "Verdict: holds", sheets, {panel, panel, panel}));
  picture.expect_inside();
  EXPECT_EQ(picture.all("a title").size(), 1u);
  EXPECT_EQ(picture.all("Verdict: holds").size(), 1u);
  const std::vector<PictureWords> titles = picture.all("one");
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
  EXPECT_EQ(Read(draw_plot("", "", sheets, {a_of_group, b_of_group})).all("450").size(), 2u) << "410 by steps of 50";
  EXPECT_EQ(Read(draw_plot("", "", sheets, {a, b})).all("400").size(), 1u);
  EXPECT_EQ(Read(draw_plot("", "", sheets, {a})).all("0").size(), 0u) << "2.5 to 3";
}

TEST(Plots, BreakLongNotesIntoLines) {
  std::string note;
  for (int i = 0; i < 100; ++i) note += "word ";
  const auto height = [](const std::string& words) {
    const Read picture(draw_plot("", words, sheets, {{.title = "panel", .curves = {{1, ""}}}}));
    picture.expect_inside();
    for (const PictureWords& entry : picture.words()) EXPECT_LE(text_width(entry.text), 620) << entry.text;
    return picture.all("panel").at(0).y;
  };
  EXPECT_EQ(height(note) - height("word"), 5 * 18) << "six lines of 18 words";
}

}  // namespace
}  // namespace quadrille
