// SPDX-License-Identifier: BSD-3-Clause
#include "draw/panel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "draw/svg.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

Read drawn(const Panel& panel, const Sheet& sheet) {
  Svg svg("title");
  draw(svg, {0, 0, 480, 400}, panel, sheet, values_of(panel, sheet));
  Read picture(svg.written(480, 400));
  picture.expect_inside();
  return picture;
}

const Sheet three_rows{.columns = {"n", "a (ms)", "b (ms)"},
                       .rows = {{Count{1}, 2.0, 0.5}, {Count{2}, 4.0, Cell{}}, {Count{4}, 8.0, 0.25}}};

TEST(Panels, PlotColumnsOverAColumn) {
  const Read picture = drawn(
      {.title = "it's one", .x_label = "n", .y_label = "t (ms)", .curves = {{1, "A"}, {2, "B", CurveStyle::dashed}}, .log_x = true},
      three_rows);
  EXPECT_THAT(picture.texts(), IsSupersetOf({"it's one", "n", "t (ms)", "A", "B", "1", "2", "4", "0", "8"}));
  const auto points = picture.explained("A, ");
  ASSERT_EQ(points.size(), 3u);
  EXPECT_STREQ(points[1].child("title").text().get(), "A, 2: 4");
  EXPECT_NEAR(number(points[1], "cx") - number(points[0], "cx"), number(points[2], "cx") - number(points[1], "cx"), 0.2)
      << "1, 2 and 4 are equally far apart on a logarithmic axis";
  EXPECT_NEAR(number(points[0], "cy") - number(points[2], "cy"), 3 * (number(points[0], "cy") - number(points[1], "cy")), 0.3);
  const auto gap = picture.explained("B, ");
  ASSERT_EQ(gap.size(), 2u) << "an empty cell is no point";
  EXPECT_STREQ(gap[0].attribute("fill").value(), "none") << "markers of dashed lines are open";
  EXPECT_EQ(picture.turned(), 1u) << "the label of y";
}

// Curves of one colour differ by their lines and markers; curves of different colours by their shapes, too.
TEST(Panels, TellCurvesApartByMarkers) {
  const auto outline = [](CurveStyle style, std::size_t colour) {
    const auto picture = drawn({.curves = {{1, "A", style, colour}}}, three_rows);  // its nodes live as long as this
    const auto marker = picture.explained("A, 1: 2").at(0);
    return fmt::format("{} {} {}", marker.name(), marker.attribute("d").as_string(), marker.attribute("fill").as_string());
  };
  std::set<std::string> outlines;
  for (std::size_t colour = 0; colour < 5; ++colour) outlines.insert(outline(CurveStyle::line, colour));
  for (const CurveStyle style : {CurveStyle::dashed, CurveStyle::dotted, CurveStyle::points}) outlines.insert(outline(style, 3));
  EXPECT_EQ(outlines.size(), 8u);
}

TEST(Panels, LeaveOutWhatALogarithmicAxisCannotShow) {
  const Sheet sheet{.columns = {"x", "y"}, .rows = {{0.0, 1.0}, {1.0, 0.0}, {2.0, 3.0}, {4.0, 30.0}}};
  const Panel panel{.curves = {{1, "A"}}, .log_x = true, .log_y = true};
  EXPECT_EQ(drawn(panel, sheet).explained("A, ").size(), 2u);
  EXPECT_EQ(values_of(panel, sheet).least, 1.0);
  EXPECT_THAT(
      drawn({.curves = {{1, "A"}}, .log_x = true, .log_y = true}, {.columns = {"x", "y"}, .rows = {{0.0, 0.0}}}).explained("A, "),
      IsEmpty());
}

// x is a count if it is at least 1; then its ticks are powers of two.
TEST(Panels, HaveTicksThatSuitTheValues) {
  const auto texts = [](double x) {
    return drawn({.curves = {{1, ""}}, .log_x = true}, {.columns = {"x", "y"}, .rows = {{x, 0.5}, {64 * x, 1.0}}}).texts();
  };
  EXPECT_THAT(texts(2), IsSupersetOf({"2", "4", "32", "128"}));
  EXPECT_THAT(texts(0.01), IsSupersetOf({"0.01", "0.02", "0.5"}));
  Panel named{.curves = {{1, ""}}, .log_x = true, .x_names = 2, .y_text = [](double y) { return fmt::format("{} s", y); }};
  const Sheet sheet{.columns = {"x", "y", "size"}, .rows = {{8.0, 1.0, std::string("8 B")}, {1024.0, 2.0, std::string("1 KiB")}}};
  EXPECT_THAT(drawn(named, sheet).texts(), IsSupersetOf({"8 B", "1 KiB", "1 s", "2 s"}));
  EXPECT_THAT(drawn(named, sheet).texts(), Not(Contains("16")));
}

TEST(Panels, DrawStepsAndFewMarkersOnLongCurves) {
  Sheet sheet{.columns = {"x", "y"}};
  for (Count x = 0; x < 100; ++x) sheet.rows.push_back({x, x % 7});
  EXPECT_EQ(drawn({.curves = {{1, "A"}}}, sheet).explained("A, ").size(), 20u);
  const Read steps = drawn({.curves = {{1, "A", CurveStyle::steps}}}, {.columns = {"x", "y"}, .rows = {{0.0, 0.0}, {1.0, 1.0}}});
  EXPECT_THAT(steps.explained("A, "), IsEmpty());
  const std::string curve = steps.paths(stage_colour(0)).back();  // after that of the key
  EXPECT_EQ(std::count(curve.begin(), curve.end(), 'L'), 2) << curve << " goes right, then up";
}

TEST(Panels, ShowIntervalsWithTheirExplanations) {
  const Sheet sheet{.columns = {"x", "y", "from", "to", "words"},
                    .rows = {{1.0, 2.0, 1.0, 9.0, std::string("2 of 3")}, {2.0, 3.0, 2.5, 4.0, std::string("3 of 3")}}};
  const Panel panel{.curves = {{.column = 1, .has_intervals = true}}, .log_y = true, .strong_y = 0.5};
  EXPECT_EQ(values_of(panel, sheet).least, 0.5) << "the strong line is in the range";
  EXPECT_EQ(values_of(panel, sheet).most, 9.0);
  const Read picture = drawn(panel, sheet);
  EXPECT_THAT(picture.explanations("circle"), ElementsAre("2 of 3", "3 of 3"));
  EXPECT_EQ(picture.paths(stage_colour(0)).size(), 1u + 2 * 3) << "a curve, and three strokes for each interval";
  EXPECT_EQ(picture.count("line", "fresh"), 1u);
}

// The parts are on top of each other; points are over the bars.
TEST(Panels, StackBars) {
  const Sheet sheet{.columns = {"stage", "a", "b", "paper"},
                    .rows = {{std::string("I"), 2.0, 4.0, 9.0}, {std::string("II"), 1.0, Cell{}, Cell{}}}};
  const Panel panel{.curves = {{1, "A"}, {2, "B"}, {3, "paper", CurveStyle::points}}, .kind = PanelKind::bars};
  EXPECT_EQ(values_of(panel, sheet).most, 9);
  const Read picture = drawn(panel, sheet);
  const auto lower = picture.explained("A, I: 2").at(0), upper = picture.explained("B, I: 4").at(0);
  EXPECT_NEAR(number(upper, "y") + number(upper, "height") + 1, number(lower, "y"), 0.2);
  EXPECT_NEAR(number(upper, "height") + 1, 2 * (number(lower, "height") + 1), 0.3);
  EXPECT_STREQ(picture.explained("paper, I: 9").at(0).attribute("class").value(), "fresh");
  EXPECT_EQ(picture.explanations("rect").size(), 3u);
  EXPECT_THAT(picture.texts(), IsSupersetOf({"I", "II", "A", "B", "paper", "0", "9"}));
}

TEST(Panels, TurnNamesThatDoNotFit) {
  Sheet sheet{.columns = {"name", "y"}};
  const auto turned = [&] { return drawn({.curves = {{1, "A"}}, .kind = PanelKind::bars}, sheet).turned(); };
  for (int i = 0; i < 3; ++i) sheet.rows.push_back({fmt::format("bar {}", i), 1.0});
  EXPECT_EQ(turned(), 0u);
  for (int i = 0; i < 3; ++i) sheet.rows.push_back({fmt::format("a bar with a long name {}", i), 1.0});
  EXPECT_EQ(turned(), 6u);
}

TEST(Panels, ShowSpansInLanes) {
  const Sheet sheet{.columns = {"lane", "begin", "end", "what"},
                    .rows = {{std::string("node 0"), 0.0, 2.0, std::string("send")},
                             {std::string("node 1"), 1.0, 4.0, std::string("receive")},
                             {std::string("node 0"), 3.0, 4.0, std::string("receive")}}};
  const Read picture = drawn({.x_label = "time (µs)", .kind = PanelKind::spans}, sheet);
  const auto first = picture.explained("node 0, send: 0 to 2").at(0), second = picture.explained("node 1, receive: 1 to 4").at(0),
             third = picture.explained("node 0, receive: 3 to 4").at(0);
  EXPECT_EQ(number(first, "y"), number(third, "y"));
  EXPECT_GT(number(second, "y"), number(first, "y") + number(first, "height"));
  EXPECT_NEAR(2 * number(second, "width"), 3 * number(first, "width"), 0.3);
  EXPECT_STREQ(second.attribute("style").value(), third.attribute("style").value());
  EXPECT_STRNE(second.attribute("style").value(), first.attribute("style").value());
  EXPECT_THAT(picture.texts(), IsSupersetOf({"node 0", "node 1", "send", "receive", "time (µs)"}));
}

TEST(Panels, GiveGreyToWhatOthersAreComparedWith) {
  for (std::size_t number = 0; number < grey; ++number) EXPECT_EQ(curve_colour(number), stage_colour(number));
  for (std::size_t number = 0; number < grey; ++number) EXPECT_NE(curve_colour(number), curve_colour(grey));
}

// Entries go into as many lines as they need, and none is cut off at the right.
TEST(Panels, BreakKeysIntoLines) {
  Svg svg("title");
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < 6; ++i) curves.push_back({.title = fmt::format("a rather long entry {}", i), .colour = i});
  const double end = draw_key(svg, {10, 20}, 400, curves);
  const Read picture(svg.written(420, 200));
  EXPECT_EQ(end, 20 + 3 * 18) << "two entries in a line";
  picture.expect_texts_left_of(410);
  EXPECT_EQ(draw_key(svg, {10, 20}, 400, {}), 20);
}

}  // namespace
}  // namespace quadrille
