// SPDX-License-Identifier: BSD-3-Clause
// A panel with two logarithmic axes: curves with intervals at their points.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "draw/svg.hpp"

namespace quadrille::command {

struct PanelPoint {
  double x = 0, y = 0, lower = 0, upper = 0;
  std::string explanation;
};

struct PanelCurve {
  std::string colour;
  bool dashed = false;
  std::vector<PanelPoint> points;  // in ascending order of x
};

struct LogPanel {
  Box box;  // the rectangle of the axes
  std::string title;
  std::vector<std::pair<double, std::string>> x_ticks;
  std::function<std::string(double)> y_text;
  bool marks_one = false;  // draw a strong line at y = 1
  std::vector<PanelCurve> curves;
};

void draw(Svg& picture, const LogPanel& panel);

}  // namespace quadrille::command
