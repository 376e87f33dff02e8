// SPDX-License-Identifier: BSD-3-Clause
#include "reports/plot_panel.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace quadrille::command {
namespace {

// Maps a logarithmic range of values to a range of pixels.
struct Axis {
  double least = 1, most = 1;  // range of values
  double from = 0, to = 0;     // range of pixels

  double at(double value) const {
    if (least == most) return (from + to) / 2;
    return from + (to - from) * std::log(value / least) / std::log(most / least);
  }
};

Axis x_axis(const LogPanel& panel) {
  constexpr double margin = 14;
  Axis axis{panel.x_ticks.front().first, panel.x_ticks.back().first, panel.box.x + margin, panel.box.x + panel.box.width - margin};
  return axis;
}

Axis y_axis(const LogPanel& panel) {
  double least = panel.marks_one ? 1 : 1e300, most = panel.marks_one ? 1 : 0;
  for (const PanelCurve& curve : panel.curves)
    for (const PanelPoint& point : curve.points) {
      least = std::min(least, point.lower);
      most = std::max(most, point.upper);
    }
  if (most == 0) least = most = 1;
  const double margin = std::max(std::pow(most / least, 0.04), 1.03);
  return {least / margin, most * margin, panel.box.y + panel.box.height, panel.box.y};
}

// Returns round numbers for the labels of an axis; the narrower its range, the closer together they are.
std::vector<double> ticks(const Axis& axis) {
  static constexpr double fine[] = {1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9};
  static constexpr double middle[] = {1, 1.5, 2, 3, 5, 7};
  static constexpr double coarse[] = {1, 2, 5};
  static constexpr double decades[] = {1};
  const double range = axis.most / axis.least;
  const std::span<const double> steps = range < 2.5    ? std::span<const double>(fine)
                                        : range < 12   ? std::span<const double>(middle)
                                        : range < 3000 ? std::span<const double>(coarse)
                                                       : std::span<const double>(decades);
  std::vector<double> values;
  for (double decade = std::floor(std::log10(axis.least)); decade <= std::ceil(std::log10(axis.most)); ++decade)
    for (const double step : steps) {
      const double value = step * std::pow(10, decade);
      if (value >= axis.least && value <= axis.most) values.push_back(value);
    }
  return values;
}

// Returns how many ticks of x share one label, so that labels do not overlap.
std::size_t label_interval(const LogPanel& panel, const Axis& x) {
  constexpr double gap = 6;
  for (std::size_t every = 1;; ++every) {
    bool overlap = false;
    for (std::size_t i = every; i < panel.x_ticks.size(); i += every) {
      const auto &one = panel.x_ticks[i - every], &other = panel.x_ticks[i];
      const double widths = text_width(one.second, 11) / 2 + text_width(other.second, 11) / 2;
      overlap = overlap || x.at(other.first) - x.at(one.first) < widths + gap;
    }
    if (!overlap) return every;
  }
}

void draw_axes(Svg& picture, const LogPanel& panel, const Axis& x, const Axis& y) {
  const Box& box = panel.box;
  const double bottom = box.y + box.height;
  picture.text({box.x, box.y - 10}, panel.title, Anchor::start, "text", 13);
  for (const double value : ticks(y)) {
    const double at = y.at(value);
    picture.curve({{box.x, at}, {box.x + box.width, at}}, "#8c959f", 0.4);
    picture.text({box.x - 6, at + 4}, panel.y_text(value), Anchor::end, "faint", 11);
  }
  const std::size_t every = label_interval(panel, x);
  for (std::size_t i = 0; i < panel.x_ticks.size(); ++i) {
    const auto& [value, text] = panel.x_ticks[i];
    picture.line({x.at(value), bottom}, {x.at(value), bottom + 4}, "axis");
    if (i % every == 0) picture.text({x.at(value), bottom + 17}, text, Anchor::middle, "faint", 11);
  }
  picture.line({box.x, box.y}, {box.x, bottom}, "axis");
  picture.line({box.x, bottom}, {box.x + box.width, bottom}, "axis");
  if (panel.marks_one) picture.line({box.x, y.at(1)}, {box.x + box.width, y.at(1)}, "fresh");
}

}  // namespace

void draw(Svg& picture, const LogPanel& panel) {
  const Axis x = x_axis(panel), y = y_axis(panel);
  draw_axes(picture, panel, x, y);
  const auto curves = static_cast<double>(panel.curves.size());
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const PanelCurve& curve = panel.curves[i];
    // Curves are shifted sideways, so that one interval does not hide another.
    const double aside = 2.0 * (static_cast<double>(i) - (curves - 1) / 2);
    std::vector<Point> points;
    for (const PanelPoint& point : curve.points) points.push_back({x.at(point.x) + aside, y.at(point.y)});
    if (points.size() > 1) picture.curve(points, curve.colour, 1.6, curve.dashed);
    for (std::size_t at = 0; at < points.size(); ++at) {
      const PanelPoint& point = curve.points[at];
      const double middle = points[at].x, low = y.at(point.lower), high = y.at(point.upper);
      picture.curve({{middle, low}, {middle, high}}, curve.colour, 1.2);
      for (const double end : {low, high}) picture.curve({{middle - 3, end}, {middle + 3, end}}, curve.colour, 1.2);
      picture.dot(points[at], 2.6, curve.colour, point.explanation);
    }
  }
}

}  // namespace quadrille::command
