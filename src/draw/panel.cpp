// SPDX-License-Identifier: BSD-3-Clause
#include "draw/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "draw/svg.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr double least_log_ratio = 1.2;  // in a narrower range ticks are as on a linear axis

// Returns the size of a step: 1, 2 or 5 times a power of ten, so that the range has at most ten steps.
double step_of(const ValueRange& range) {
  const double least = (range.most - range.least) / 10 * (1 - 1e-9), decade = std::pow(10, std::floor(std::log10(least)));
  for (const double step : {1, 2, 5})
    if (step * decade >= least) return step * decade;
  return 10 * decade;
}

constexpr double right_margin = 14, tick_size = 11, key_line = 18, sample_width = 26, marker_radius = 3;
constexpr double inset = 14;              // of curves from the ends of the axis of x
constexpr std::size_t most_markers = 20;  // more markers would hide the line
constexpr const char* faint_line = "#8c959f";

struct Tick {
  double at = 0;  // pixel
  std::string text;
};

bool has_log_y(const Panel& panel) { return panel.log_y && panel.kind == PanelKind::curves; }

bool is_part(const Panel& panel, const Curve& curve) { return panel.kind == PanelKind::bars && curve.style != CurveStyle::points; }

// Returns each text of a column once, in the order of the rows.
std::vector<std::string> names_in(const Sheet& sheet, std::size_t column) {
  std::vector<std::string> names;
  for (const auto& row : sheet.rows)
    if (std::string name = cell_text(row[column]); std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  return names;
}

std::size_t place_in(const std::vector<std::string>& names, const Cell& cell) {
  return index(std::find(names.begin(), names.end(), cell_text(cell)) - names.begin());
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text, tick_size));
  return width;
}

// Returns n if only every n-th tick gets a text, so that texts do not overlap.
std::size_t text_interval(const std::vector<Tick>& ticks) {
  constexpr double gap = 6;
  for (std::size_t every = 1;; ++every) {
    bool overlap = false;
    for (std::size_t i = every; i < ticks.size(); i += every) {
      const Tick &one = ticks[i - every], &other = ticks[i];
      const double widths = (text_width(one.text, tick_size) + text_width(other.text, tick_size)) / 2;
      overlap = overlap || other.at - one.at < widths + gap;
    }
    if (!overlap) return every;
  }
}

Dashes dashes_of(CurveStyle style) {
  return style == CurveStyle::dashed ? Dashes::dashed : style == CurveStyle::dotted ? Dashes::dotted : Dashes::none;
}

// The shape tells the colour number. Dashed lines have open markers, and dotted ones crosses.
void draw_marker(Svg& svg, Point centre, const Curve& curve, const std::string& explanation = {}) {
  if (curve.style == CurveStyle::points)
    svg.marker(centre, MarkerShape::diamond, 2 * marker_radius, {}, false, explanation);
  else
    svg.marker(centre,
               curve.style == CurveStyle::dotted ? MarkerShape::cross : static_cast<MarkerShape>(*curve.colour % closed_shapes),
               marker_radius, curve_colour(*curve.colour), curve.style == CurveStyle::line, explanation);
}

// Draws a panel from the outside inwards: each step leaves less room for the next step.
class PanelDrawing {
 public:
  PanelDrawing(Svg& svg, const Box& place, const Panel& panel, const Sheet& sheet, const ValueRange& values, bool has_key)
      : svg_(svg),
        has_key_(has_key),
        panel_(panel),
        sheet_(sheet),
        values_(values.for_axis(has_log_y(panel), panel.kind != PanelKind::curves || panel.range_group)),
        box_(place),
        curves_(coloured(panel.curves)) {
    if (panel.kind == PanelKind::spans) {
      lanes_ = names_in(sheet, 0);
      for (const std::string& kind : names_in(sheet, 3)) curves_.push_back({.title = kind, .colour = curves_.size()});
    }
  }

  void draw() {
    draw_title_and_key();
    draw_axes();
    switch (panel_.kind) {
      case PanelKind::curves:
        for (std::size_t i = 0; i < curves_.size(); ++i) draw_curve(i);
        break;
      case PanelKind::bars: draw_bars(); break;
      case PanelKind::spans: draw_spans(); break;
    }
  }

 private:
  bool has_spans() const { return panel_.kind == PanelKind::spans; }
  double bottom() const { return box_.y + box_.height; }
  double right() const { return box_.x + box_.width; }
  double row_width() const { return box_.width / static_cast<double>(std::max<std::size_t>(1, sheet_.rows.size())); }
  double lane_height() const { return box_.height / static_cast<double>(lanes_.size()); }
  double middle_of(std::size_t row) const { return box_.x + row_width() * (static_cast<double>(row) + 0.5); }

  Axis y_axis() const { return {values_, has_log_y(panel_), bottom(), box_.y}; }

  Axis x_axis() const {
    if (has_spans()) return {values_, false, box_.x, right()};
    ValueRange range;
    for (const auto& row : sheet_.rows)
      if (const auto x = cell_number(row[panel_.x]); x && (!panel_.log_x || *x > 0)) range.add(*x);
    return {range, panel_.log_x, box_.x + inset, right() - inset};
  }

  std::vector<Tick> y_ticks() const {
    std::vector<Tick> ticks;
    for (const std::string& lane : lanes_)
      ticks.push_back({box_.y + lane_height() * (static_cast<double>(ticks.size()) + 0.5), lane});
    if (has_spans()) return ticks;
    const Axis y = y_axis();
    for (const double value : y.round_values()) ticks.push_back({y.at(value), panel_.y_text(value)});
    return ticks;
  }

  std::vector<Tick> x_ticks() const {
    std::vector<Tick> ticks;
    const bool bars = panel_.kind == PanelKind::bars;
    const std::optional<std::size_t> names = bars ? panel_.x : panel_.x_names;
    const Axis x = x_axis();
    for (std::size_t row = 0; names && row < sheet_.rows.size(); ++row) {
      const double at = bars ? middle_of(row) : x.at(cell_number(sheet_.rows[row][panel_.x]).value_or(0));
      ticks.push_back({at, cell_text(sheet_.rows[row][*names])});
    }
    if (names) return ticks;
    const bool counts = panel_.log_x && std::all_of(sheet_.rows.begin(), sheet_.rows.end(),
                                                    [&](const auto& row) { return cell_number(row[panel_.x]).value_or(1) >= 1; });
    for (const double value : counts ? x.powers_of_two() : x.round_values()) ticks.push_back({x.at(value), tick_text(value)});
    return ticks;
  }

  void draw_title_and_key() {
    label_x_ = box_.x + 16;
    const double margin = std::max(least_left_margin, 1.15 * widest(y_ticks()) + (panel_.y_label.empty() ? 8 : 28));
    box_.x += margin;
    box_.width -= margin + right_margin;
    constexpr double usual_size = 13;  // a longer title is written smaller, so that it ends inside the box
    const double size = std::min(usual_size, usual_size * box_.width / text_width(panel_.title, usual_size));
    svg_.text({box_.x, box_.y + 24}, panel_.title, Anchor::start, "text", size);
    const double end = (has_key_ ? draw_key(svg_, {box_.x, box_.y + 30}, box_.width, curves_, panel_.kind) : box_.y + 30) + 8;
    box_.height -= end - box_.y;
    box_.y = end;
  }

  void draw_axes() {
    const std::vector<Tick> below = x_ticks();
    if (!panel_.x_label.empty()) {
      svg_.text({box_.x + box_.width / 2, bottom() - 8}, panel_.x_label, Anchor::middle);
      box_.height -= 24;
    }
    // Names of bars are turned by 30 degrees if they do not fit beside each other, and by 60 degrees if bars are narrow.
    const double turn = panel_.kind != PanelKind::bars || text_interval(below) == 1 ? 0 : row_width() < 2 * tick_size ? 60 : 30;
    box_.height -= 22 + widest(below) * std::sin(turn / 180 * std::numbers::pi);
    const std::size_t every = turn > 0 ? 1 : text_interval(below);
    for (std::size_t i = 0; i < below.size(); ++i) {
      const auto& [at, text] = below[i];
      if (has_spans())
        svg_.curve({{at, box_.y}, {at, bottom()}}, faint_line, 0.4);
      else if (panel_.kind == PanelKind::curves)
        svg_.line({at, bottom()}, {at, bottom() + 4}, "axis");
      if (turn > 0)
        svg_.text({at + 4, bottom() + 12}, text, Anchor::end, "faint", tick_size, -turn);
      else if (i % every == 0)
        svg_.text({at, bottom() + 17}, text, Anchor::middle, "faint", tick_size);
    }
    if (!panel_.y_label.empty()) svg_.text({label_x_, box_.y + box_.height / 2}, panel_.y_label, Anchor::middle, "text", 12, -90);
    for (const auto& [at, text] : y_ticks()) {
      if (!has_spans()) svg_.curve({{box_.x, at}, {right(), at}}, faint_line, 0.4);
      svg_.text({box_.x - 6, at + 4}, text, Anchor::end, "faint", tick_size);
    }
    svg_.line({box_.x, box_.y}, {box_.x, bottom()}, "axis");
    svg_.line({box_.x, bottom()}, {right(), bottom()}, "axis");
    if (panel_.strong_y) svg_.line({box_.x, y_axis().at(*panel_.strong_y)}, {right(), y_axis().at(*panel_.strong_y)}, "fresh");
  }

  std::string explanation(const Curve& curve, const std::vector<Cell>& row) const {
    if (curve.has_intervals) return cell_text(row[curve.column + 3]);
    const std::string& name = curve.title.empty() ? sheet_.columns[curve.column] : curve.title;
    return fmt::format("{}, {}: {}", name, cell_text(row[panel_.x]), cell_text(row[curve.column]));
  }

  void draw_curve(std::size_t number) {
    const Curve& curve = curves_[number];
    const std::string colour = curve_colour(*curve.colour);
    const Axis x = x_axis(), y = y_axis();
    // Curves with intervals are shifted sideways, so that one interval does not hide another.
    const double aside = curve.has_intervals ? 2.0 * static_cast<double>(number) - static_cast<double>(curves_.size() - 1) : 0;
    std::vector<Point> line, points;
    std::vector<const std::vector<Cell>*> rows;
    for (const auto& row : sheet_.rows) {
      const auto over = cell_number(row[panel_.x]), value = cell_number(row[curve.column]);
      if (!over || !value || (panel_.log_x && *over <= 0) || (has_log_y(panel_) && *value <= 0)) continue;
      const Point point{x.at(*over) + aside, y.at(*value)};
      if (curve.style == CurveStyle::steps && !line.empty()) line.push_back({point.x, line.back().y});
      line.push_back(point);
      points.push_back(point);
      rows.push_back(&row);
    }
    if (curve.style != CurveStyle::points && line.size() > 1) svg_.curve(line, colour, 1.6, dashes_of(curve.style));
    if (curve.style == CurveStyle::steps) return;
    const std::size_t every = std::max<std::size_t>(1, sheet_.rows.size() / most_markers);
    for (std::size_t i = 0; i < points.size(); i += curve.has_intervals ? 1 : every) {
      if (curve.has_intervals) draw_interval(points[i].x, *rows[i], curve, colour);
      draw_marker(svg_, points[i], curve, explanation(curve, *rows[i]));
    }
  }

  void draw_interval(double middle, const std::vector<Cell>& row, const Curve& curve, const std::string& colour) {
    const auto end_of = [&](std::size_t after) { return y_axis().at(cell_number(row[curve.column + after]).value_or(0)); };
    const double low = end_of(1), high = end_of(2);
    svg_.curve({{middle, low}, {middle, high}}, colour, 1.2);
    for (const double end : {low, high}) svg_.curve({{middle - 3, end}, {middle + 3, end}}, colour, 1.2);
  }

  void draw_bars() {
    const Axis y = y_axis();
    const double width = 0.6 * row_width();
    for (std::size_t number = 0; number < sheet_.rows.size(); ++number) {
      const auto& row = sheet_.rows[number];
      double stacked = 0;
      for (const Curve& curve : curves_) {
        const auto value = cell_number(row[curve.column]);
        if (!value || !is_part(panel_, curve)) continue;
        const double from = y.at(stacked), to = y.at(stacked += *value);
        const double height = std::max(from - to - 1, 0.5);  // a gap separates the parts
        svg_.box({middle_of(number) - width / 2, to, width, height}, {}, curve_colour(*curve.colour), explanation(curve, row));
      }
      for (const Curve& curve : curves_)
        if (const auto value = cell_number(row[curve.column]); value && !is_part(panel_, curve))
          draw_marker(svg_, {middle_of(number), y.at(*value)}, curve, explanation(curve, row));
    }
  }

  void draw_spans() {
    const Axis time = x_axis();
    const std::vector<std::string> kinds = names_in(sheet_, 3);
    for (const auto& row : sheet_.rows) {
      const double begin = time.at(cell_number(row[1]).value_or(0)), end = time.at(cell_number(row[2]).value_or(0));
      const double y = box_.y + lane_height() * (static_cast<double>(place_in(lanes_, row[0])) + 0.12);
      svg_.box({begin, y, std::max(end - begin, 0.5), 0.76 * lane_height()}, {}, curve_colour(place_in(kinds, row[3])),
               fmt::format("{}, {}: {} to {}", cell_text(row[0]), cell_text(row[3]), cell_text(row[1]), cell_text(row[2])));
    }
  }

  Svg& svg_;
  const bool has_key_;
  const Panel& panel_;
  const Sheet& sheet_;
  const ValueRange values_;
  Box box_;                    // the space that is left; at the end, between the axes
  std::vector<Curve> curves_;  // with colours; in spans, one for each kind
  double label_x_ = 0;
  std::vector<std::string> lanes_;
};

}  // namespace

void ValueRange::add(double value) {
  least = std::min(least, value);
  most = std::max(most, value);
}

ValueRange ValueRange::for_axis(bool log, bool from_zero) const {
  if (is_empty()) return {1, 2};
  ValueRange range = *this;
  if (log) {
    const double margin = std::max(std::pow(most / least, 0.04), 1.03);
    return {least / margin, most * margin};
  }
  if (from_zero) range.add(0);
  if (range.least == range.most) range.most = range.least + std::max(1.0, std::abs(range.least));
  const double step = step_of(range);
  return {std::floor(range.least / step + 1e-9) * step, std::ceil(range.most / step - 1e-9) * step};
}

double Axis::at(double value) const {
  if (values_.least == values_.most) return (from_ + to_) / 2;
  const double share = log_ ? std::log(std::max(value, values_.least) / values_.least) / std::log(values_.most / values_.least)
                            : (value - values_.least) / (values_.most - values_.least);
  return from_ + (to_ - from_) * share;
}

std::vector<double> Axis::within(std::vector<double> values) const {
  const double slack = 1e-9 * (values_.most - values_.least);
  std::erase_if(values, [&](double value) { return value < values_.least - slack || value > values_.most + slack; });
  return values;
}

std::vector<double> Axis::round_values() const {
  if (values_.least == values_.most) return {values_.least};
  std::vector<double> values;
  if (!log_ || values_.most / values_.least < least_log_ratio) {
    const double step = step_of(values_);
    for (double count = std::floor(values_.least / step); count * step <= values_.most + step; ++count)
      values.push_back(count * step);
    return within(std::move(values));
  }
  // A narrower range has closer ticks.
  using Steps = std::vector<double>;
  const double ratio = values_.most / values_.least;
  const Steps steps = ratio < 2.5    ? Steps{1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9}
                      : ratio < 12   ? Steps{1, 1.5, 2, 3, 5, 7}
                      : ratio < 3000 ? Steps{1, 2, 5}
                                     : Steps{1};
  for (double decade = std::floor(std::log10(values_.least)); decade <= std::ceil(std::log10(values_.most)); ++decade)
    for (const double step : steps) values.push_back(step * std::pow(10, decade));
  return within(std::move(values));
}

std::vector<double> Axis::powers_of_two() const {
  std::vector<double> values;
  for (double power = std::exp2(std::floor(std::log2(values_.least))); power <= 2 * values_.most; power *= 2)
    values.push_back(power);
  return within(std::move(values));
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size < 1e-300 || (size >= 1e-4 * (1 - 1e-9) && size < 1e5)) return fmt::format("{:.6g}", value);
  const int decade = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const std::string factor = fmt::format("{:.6g}", value / std::pow(10, decade));
  std::string text = factor == "1" ? "10" : factor + "·10";
  static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (decade < 0) text += "⁻";
  for (const char digit : std::to_string(std::abs(decade))) text += raised[digit - '0'];
  return text;
}

std::string curve_colour(std::size_t number) { return number == grey ? "#7d8590" : stage_colour(number); }

ValueRange values_of(const Panel& panel, const Sheet& sheet, ValueRange range) {
  const auto add = [&](std::optional<double> value) {
    if (value && (!has_log_y(panel) || *value > 0)) range.add(*value);
  };
  for (const auto& row : sheet.rows) {
    if (panel.kind == PanelKind::spans) add(cell_number(row[2]));
    double stacked = 0;
    for (const Curve& curve : panel.curves) {
      const auto value = cell_number(row[curve.column]);
      if (is_part(panel, curve))
        add(stacked += value.value_or(0));
      else
        add(value);
      if (!curve.has_intervals) continue;
      for (const std::size_t end : {curve.column + 1, curve.column + 2}) add(cell_number(row[end]));
    }
  }
  add(panel.strong_y);
  return range;
}

void draw(Svg& svg, const Box& place, const Panel& panel, const Sheet& sheet, const ValueRange& values, bool has_key) {
  PanelDrawing(svg, place, panel, sheet, values, has_key).draw();
}

std::vector<Curve> coloured(std::vector<Curve> curves) {
  for (std::size_t i = 0; i < curves.size(); ++i) curves[i].colour = curves[i].colour.value_or(i);
  return curves;
}

double draw_key(Svg& svg, Point corner, double width, const std::vector<Curve>& curves, PanelKind kind) {
  Point next = corner;
  for (const Curve& curve : curves) {
    if (curve.title.empty()) continue;
    const double length = sample_width + 8 + text_width(curve.title);
    if (next.x > corner.x && next.x + length > corner.x + width) next = {corner.x, next.y + key_line};
    const double middle = next.y + key_line / 2, end = next.x + sample_width;
    const std::string colour = curve_colour(curve.colour.value_or(0));
    if (kind != PanelKind::curves && curve.style != CurveStyle::points) {
      svg.box({next.x, middle - 4, sample_width, 8}, {}, colour);
    } else {
      if (curve.style != CurveStyle::points) svg.curve({{next.x, middle}, {end, middle}}, colour, 2, dashes_of(curve.style));
      if (curve.style != CurveStyle::steps) draw_marker(svg, {(next.x + end) / 2, middle}, curve);
    }
    svg.text({end + 8, middle + 4}, curve.title);
    next.x += length + 22;
  }
  return next.x > corner.x ? next.y + key_line : corner.y;
}

namespace {

constexpr double panel_width = 480, panel_height = 400, least_width = 620, margin = 16, plot_line_height = 18;
constexpr std::size_t most_in_a_row = 2;

// Returns true if all panels show curves with the same titles and looks, so that one key serves them all.
bool share_a_key(const std::vector<Panel>& panels) {
  if (panels.size() < 2) return false;
  const std::vector<Curve> first = coloured(panels[0].curves);
  const auto looks_alike = [](const Curve& one, const Curve& other) {
    return one.title == other.title && one.style == other.style && one.colour == other.colour;
  };
  return std::all_of(panels.begin(), panels.end(), [&](const Panel& panel) {
    const std::vector<Curve> curves = coloured(panel.curves);
    return panel.kind == PanelKind::curves && std::equal(curves.begin(), curves.end(), first.begin(), first.end(), looks_alike);
  });
}

}  // namespace

std::string draw_plot(const std::string& title, const std::string& note, const std::vector<Sheet>& sheets,
                      const std::vector<Panel>& panels) {
  std::map<std::size_t, ValueRange> shared;  // of each range group
  for (const Panel& panel : panels)
    if (panel.range_group) shared[*panel.range_group] = values_of(panel, sheets[panel.sheet], shared[*panel.range_group]);
  const std::size_t columns = std::clamp<std::size_t>(panels.size(), 1, most_in_a_row);
  const double width = std::max(static_cast<double>(columns) * panel_width, least_width);
  const double each = width / static_cast<double>(columns);

  Svg svg(title);
  double y = 26;
  svg.text({margin, y}, title, Anchor::start, "text", 15);
  for (const std::string& line : lines_of(note, width - 2 * margin))
    svg.text({margin, y += plot_line_height}, line, Anchor::start, "faint");
  const bool has_one_key = share_a_key(panels);
  y = has_one_key ? draw_key(svg, {margin, y + 6}, width - 2 * margin, coloured(panels[0].curves)) : y + plot_line_height;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Panel& panel = panels[i];
    const Sheet& sheet = sheets[panel.sheet];
    const auto column = static_cast<double>(i % columns), row = static_cast<double>(i / columns);
    draw(svg, {column * each, y + row * panel_height, each, panel_height - margin}, panel, sheet,
         panel.range_group ? shared[*panel.range_group] : values_of(panel, sheet), !has_one_key);
  }
  const auto rows = static_cast<double>((panels.size() + columns - 1) / columns);
  return svg.written(width, y + rows * panel_height);
}

}  // namespace quadrille
