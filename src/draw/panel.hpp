// SPDX-License-Identifier: BSD-3-Clause
// Plots of one or more panels. A panel says which columns of a sheet are shown, in which form and with which axes. Points, bars
// and spans have explanations, which appear when the pointer is over them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "foundation/sheet.hpp"

namespace quadrille {

// The range of all values that were added; empty at first.
struct ValueRange {
  double least = 1e300, most = -1e300;

  void add(double value);
  bool is_empty() const { return least > most; }

  // Returns the range that an axis shows. A logarithmic axis gets a margin on both sides. A linear axis begins and ends at a
  // tick, and contains 0 if `from_zero`.
  ValueRange for_axis(bool log, bool from_zero) const;
};

// Maps a range of values to a range of pixels. The range of a logarithmic axis is positive. Smaller values are placed at its
// lower end.
class Axis {
 public:
  Axis(const ValueRange& values, bool log, double from, double to) : values_(values), log_(log), from_(from), to_(to) {}

  double at(double value) const;  // the pixel
  std::vector<double> round_values() const;
  std::vector<double> powers_of_two() const;

 private:
  std::vector<double> within(std::vector<double> values) const;

  ValueRange values_;
  bool log_;
  double from_, to_;
};

// Returns a number for a tick, such as "0.25", "1000" or "2·10⁵".
std::string tick_text(double value);

class Svg;  // svg.hpp; exhibits describe panels and need no SVG
struct Box;
struct Point;

// The style `points` (markers without a line, in the colour of text) is for numbers with which ours are compared, such as a
// paper's.
enum class CurveStyle : std::uint8_t { line, dashed, dotted, steps, points };

struct Curve {
  std::size_t column = 0;  // of the sheet
  std::string title;       // for the key; if it is empty, the key leaves the curve out
  CurveStyle style = CurveStyle::line;
  std::optional<std::size_t> colour;  // a number for curve_colour, shared by curves that belong together; absent: its own colour
  // True if the three columns after `column` are the lower and the upper end of the interval of each value, and its explanation.
  bool has_intervals = false;
};

// curves: plots columns over the column `x`.
// bars: draws a bar for each row of the sheet, named by the column `x`. The columns of the curves are its parts, from
// bottom to top. A curve of style `points` is not a part; it is drawn over the bars.
// spans: shows what is busy at which time. Each row of the sheet is a rectangle, given by its first four columns:
// lane (text or a number; lanes are drawn from top to bottom in the order of the sheet), begin, end, and kind (text;
// each kind has a colour). There are no curves.
enum class PanelKind : std::uint8_t { curves, bars, spans };

struct Panel {
  std::string title, x_label, y_label;
  std::size_t sheet = 0;
  std::size_t x = 0;  // column of the sheet
  std::vector<Curve> curves;
  bool log_x = false, log_y = false;  // for curves; a logarithmic axis leaves out points that are not positive
  PanelKind kind = PanelKind::curves;
  // Panels with the same number have the same range of y, or of time in spans, so that they can be compared by eye.
  // Panels of one group must be either all logarithmic in y or all linear.
  std::optional<std::size_t> range_group;
  std::optional<std::size_t> x_names;  // column with the text of the tick at each row's x; absent: ticks are at round numbers
  std::function<std::string(double)> y_text = tick_text;
  std::optional<double> strong_y;  // y of a strong line
};

// Least distance of the axis of y from the left end of a panel.
inline constexpr double least_left_margin = 62;

// The colour number of the curve that other curves are compared with.
inline constexpr std::size_t grey = 8;

// Returns the colour of a stage (svg.hpp), or grey.
std::string curve_colour(std::size_t number);

// Returns the range of the values of y, or of time in spans, and of `others`.
ValueRange values_of(const Panel& panel, const Sheet& sheet, ValueRange others = {});

// Draws a panel with its title and its key, unless `has_key` is false. The axis of y, or of time in spans, shows `values`.
void draw(Svg& svg, const Box& place, const Panel& panel, const Sheet& sheet, const ValueRange& values, bool has_key = true);

// Returns the curves with their colours: a curve without a colour gets the number of its place in the list.
std::vector<Curve> coloured(std::vector<Curve> curves);

// Draws the entries of a key, in lines of at most this width. Returns the y below them.
double draw_key(Svg& svg, Point corner, double width, const std::vector<Curve>& curves, PanelKind kind = PanelKind::curves);

// Draws panels under a title and a note, at most two in a row, as SVG. `Panel::sheet` is an index into `sheets`. There is at least
// one panel.
std::string draw_plot(const std::string& title, const std::string& note, const std::vector<Sheet>& sheets,
                      const std::vector<Panel>& panels);

}  // namespace quadrille
