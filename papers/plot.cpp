// SPDX-License-Identifier: BSD-3-Clause
// Writes panels as a gnuplot script that contains the data, and sets the colours of the resulting SVG.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "papers/exhibit.hpp"

namespace quadrille::papers {
namespace {

constexpr std::size_t panel_width = 480, panel_height = 400, most_in_a_row = 2, least_width = 620;
constexpr std::size_t heading_height = 34, verdict_line_height = 18;
constexpr double letter_width = 6.0;  // average width of a letter of the verdict

struct Colour {
  unsigned light, dark;  // for a light and for a dark ground, as 0xrrggbb
};

// Colours that people with colour blindness can also tell apart, by hue and lightness (after Okabe and Ito). Each has a contrast of
// at least 3:1 to its ground.
constexpr std::array<Colour, 8> colours{{{0x0072b2, 0x4da3e0},
                                         {0xd55e00, 0xf0803c},
                                         {0x00805d, 0x2bbf95},
                                         {0xb5578c, 0xe19cc4},
                                         {0x6f4fb0, 0xa98de0},
                                         {0xa87400, 0xe6b422},
                                         {0x1f2328, 0xe6edf3},
                                         {0x767676, 0x9a9a9a}}};
constexpr Colour ink{0x1f2329, 0xe6edf3}, faint{0x59636e, 0x9198a1}, grid{0xd8dee4, 0x39424d}, ground{0xffffff, 0x16191d};

std::string written(unsigned colour) { return fmt::format("#{:06x}", colour); }

std::string in_quotes(std::string_view text) {
  std::string within = "'";
  for (const char letter : text) within += letter == '\'' ? std::string("''") : std::string(1, letter);
  within += '\'';
  return within;
}

std::optional<double> number_in(const Cell& cell) {
  if (const Count* count = std::get_if<Count>(&cell)) return static_cast<double>(*count);
  if (const double* number = std::get_if<double>(&cell)) return *number;
  return std::nullopt;
}

// Quotes text for a data block, which does not allow double quotes in it.
std::string quoted(const std::string& text) {
  std::string within = "\"";
  for (const char letter : text)
    if (letter != '"') within += letter;
  return within + '"';
}

// Returns the sheet as a data block. Columns of text are quoted, so that axes can use them as labels.
std::string data_of(const Sheet& sheet, std::size_t number) {
  std::string lines = fmt::format("$sheet{} << EOD\n", number);
  for (const auto& row : sheet.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string* words = std::get_if<std::string>(&row[c]);
      lines += fmt::format("{}{}", c ? " " : "", words ? quoted(*words) : number_in(row[c]) ? text_of(row[c]) : "NaN");
    }
    lines += '\n';
  }
  return lines + "EOD\n";
}

struct AxisRange {
  double first = 0, last = 0;
  bool log = false;
};

// Rounds down, or up if `up`, to 1, 2 or 5 times a power of ten.
double round_number(double value, bool up) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  const double steps[] = {1, 2, 5, 10};
  double best = up ? 10 : 1;
  for (const double step : steps) {
    if (up && step * decade >= value * (1 - 1e-9)) best = std::min(best, step);
    if (!up && step * decade <= value * (1 + 1e-9)) best = std::max(best, step);
  }
  return best * decade;
}

// The range of the values that panels show. A logarithmic range begins at the smallest positive value, a linear one
// at 0 or at a negative value.
class Extent {
 public:
  void add(double value, bool log) {
    log_ = log;
    if (log && value <= 0) return;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }

  std::optional<AxisRange> range() const {
    if (least_ > most_ || most_ <= 0) return std::nullopt;
    if (log_) return AxisRange{round_number(least_, false), round_number(most_, true), true};
    const double step = round_number(most_, true) / 10;
    return AxisRange{least_ < 0 ? std::floor(least_ / step) * step : 0, std::ceil(most_ / step * (1 - 1e-9)) * step, false};
  }

 private:
  double least_ = 1e300, most_ = -1e300;
  bool log_ = false;
};

void add_to(Extent& extent, const Panel& panel, const Sheet& sheet) {
  for (const auto& row : sheet.rows) {
    if (panel.kind == PanelKind::spans) {
      extent.add(number_in(row[2]).value_or(0), false);
      continue;
    }
    double stacked = 0;
    for (const Curve& curve : panel.curves) {
      const auto value = number_in(row[curve.column]);
      if (!value) continue;
      if (panel.kind == PanelKind::bars && curve.style != CurveStyle::points)
        stacked += *value;
      else
        extent.add(*value, panel.log_y);
    }
    if (panel.kind == PanelKind::bars) extent.add(stacked, panel.log_y);
  }
}

std::map<std::size_t, AxisRange> ranges_of(const Reproduction& reproduction) {
  std::map<std::size_t, Extent> extents;
  for (const Panel& panel : reproduction.panels)
    if (panel.range_group) add_to(extents[*panel.range_group], panel, reproduction.sheets[panel.sheet]);
  std::map<std::size_t, AxisRange> ranges;
  for (const auto& [group, extent] : extents)
    if (const auto range = extent.range()) ranges[group] = *range;
  return ranges;
}

// Returns the style of a curve. Only every `interval`-th point has a marker, because hundreds of markers would hide
// the line.
std::string style_of(const Curve& curve, std::size_t own, std::size_t interval) {
  const std::size_t number = curve.colour.value_or(own);
  const std::string colour = written(colours[number % colours.size()].light);
  // Marker shapes by number: square, disc, triangles, diamond, pentagon; filled for solid lines, open for dashed
  // ones.
  const std::size_t shape = 4 + 2 * (number % 6);
  switch (curve.style) {
    case CurveStyle::line:
      return fmt::format("with linespoints lc rgb '{}' lw 1.6 pt {} ps 0.5 pi {}", colour, shape + 1, interval);
    case CurveStyle::dashed:
      return fmt::format("with linespoints lc rgb '{}' lw 1.6 dt (7,4) pt {} ps 0.65 pi {}", colour, shape, interval);
    case CurveStyle::dotted:
      return fmt::format("with linespoints lc rgb '{}' lw 1.8 dt (1.5,3) pt 2 ps 0.8 pi {}", colour, interval);
    case CurveStyle::steps: return fmt::format("with steps lc rgb '{}' lw 1.6", colour);
    case CurveStyle::points: return fmt::format("with points lc rgb '{}' pt 12 ps 1.3 lw 1.8", written(ink.light));
  }
  return {};
}

std::string key_of(const Curve& curve) {
  if (curve.style != CurveStyle::points) return curve.title;
  return curve.title.empty() ? "paper" : "paper: " + curve.title;
}

std::string curves_of(const Panel& panel, const Sheet& sheet) {
  const std::size_t interval = std::max<std::size_t>(1, sheet.rows.size() / 20);
  std::string script = "set offsets graph 0.03, graph 0.03, 0, 0\nplot ";  // keeps markers off the axes
  for (std::size_t i = 0; i < panel.curves.size(); ++i)
    script += fmt::format("{}$sheet{} using {}:{} {} title {}", i ? ", \\\n     " : "", panel.sheet, panel.x + 1,
                          panel.curves[i].column + 1, style_of(panel.curves[i], i, interval), in_quotes(key_of(panel.curves[i])));
  return script + '\n';
}

std::string bars_of(const Panel& panel, const Sheet& sheet) {
  std::size_t longest = 0;
  for (const auto& row : sheet.rows) longest = std::max(longest, text_of(row[panel.x]).size());
  const bool crowded = static_cast<double>(longest * sheet.rows.size()) * letter_width > 0.75 * panel_width;
  std::string script =
      "set style data histograms\nset style histogram rowstacked\nset boxwidth 0.6\nset style fill solid 1 border rgb '" +
      written(ground.light) + "'\nset xtics scale 0" +
      (crowded ? fmt::format(" rotate by {}\nset rmargin 9", sheet.rows.size() > 6 ? -60 : -20) : "") + "\nset grid noxtics\nplot ";
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    const bool is_part = curve.style != CurveStyle::points;
    script +=
        fmt::format("{}$sheet{} using {} {} title {}", i ? ", \\\n     " : "", panel.sheet,
                    is_part ? fmt::format("{}:xtic({})", curve.column + 1, panel.x + 1) : fmt::format("0:{}", curve.column + 1),
                    is_part ? fmt::format("lc rgb '{}'", written(colours[curve.colour.value_or(i) % colours.size()].light))
                            : style_of(curve, i, 1),
                    in_quotes(key_of(curve)));
  }
  return script + '\n';
}

// Limits the columns of the key, so that it is not cut off at the edge of the panel.
std::string key_columns(const std::vector<std::string>& entries) {
  std::size_t longest = 1;
  for (const std::string& entry : entries) longest = std::max(longest, entry.size());
  const double width = static_cast<double>(longest) * 1.2 * letter_width + 50;
  return fmt::format("set key maxcols {}\n", std::max(1, static_cast<int>(0.8 * panel_width / width)));
}

// Draws rectangles, with a colour and a key entry for each kind; lanes are drawn from top to bottom.
std::string spans_of(const Sheet& sheet, const std::optional<AxisRange>& times) {
  std::vector<std::string> lanes, kinds, lines;
  const auto place_of = [](std::vector<std::string>& list, const std::string& name) {
    const auto found = std::find(list.begin(), list.end(), name);
    const std::size_t place = index(found - list.begin());
    if (found == list.end()) list.push_back(name);
    return place;
  };
  for (const auto& row : sheet.rows) {
    const std::size_t lane = place_of(lanes, text_of(row[0])), kind = place_of(kinds, text_of(row[3]));
    lines.push_back(fmt::format("{} {} {} {}\n", kind, lane, text_of(row[1]), text_of(row[2])));
  }
  std::string script = fmt::format("$spans << EOD\n{}EOD\nset style fill solid 1 border rgb '{}'\nset grid noytics\nset ytics (",
                                   fmt::join(lines, ""), written(ground.light));
  for (std::size_t i = 0; i < lanes.size(); ++i) script += fmt::format("{}{} {}", i ? ", " : "", quoted(lanes[i]), i);
  script += fmt::format(") scale 0\nset yrange [{}:-0.6]\n", static_cast<double>(lanes.size()) - 0.4);
  script += key_columns(kinds);
  if (times) script += fmt::format("set xrange [{}:{}]\n", times->first, times->last);
  script += "plot ";
  for (std::size_t i = 0; i < kinds.size(); ++i)
    script += fmt::format("{}$spans using ($1=={}?$3:NaN):2:3:4:($2-0.38):($2+0.38) with boxxyerror lc rgb '{}' title {}",
                          i ? ", \\\n     " : "", i, written(colours[i % colours.size()].light), in_quotes(kinds[i]));
  return script + '\n';
}

// Returns the base of a logarithmic x axis: 10 if some value is below 1, else 2, because x is then a count.
int base_of_x(const Panel& panel, const Sheet& sheet) {
  return std::any_of(sheet.rows.begin(), sheet.rows.end(), [&](const auto& row) { return number_in(row[panel.x]).value_or(1) < 1; })
             ? 10
             : 2;
}

// Returns true if ticks should be powers of ten. Otherwise "100000" and "1e+06" would stand side by side.
bool has_large_decades(const Panel& panel, const Sheet& sheet, const std::optional<AxisRange>& given) {
  Extent own;
  add_to(own, panel, sheet);
  const std::optional<AxisRange> range = given ? given : own.range();
  return panel.log_y && range && range->last >= 1e5 && range->last >= 1e3 * range->first;
}

std::string script_of(const Panel& panel, const Reproduction& reproduction, const std::map<std::size_t, AxisRange>& ranges) {
  std::string script = fmt::format(
      "reset\nset border 3 lc rgb '{0}'\nset tics nomirror textcolor rgb '{0}'\nset grid lc rgb '{1}' lw 0.7\n"
      "unset mxtics\nunset mytics\nset key below height 1 samplen 3 width 1 textcolor rgb '{2}'\n",
      written(faint.light), written(grid.light), written(ink.light));
  script += fmt::format("set title {} textcolor rgb '{}'\n", in_quotes(panel.title), written(ink.light));
  script += fmt::format("set xlabel {0} offset 0,0.4 textcolor rgb '{2}'\nset ylabel {1} textcolor rgb '{2}'\n",
                        in_quotes(panel.x_label), in_quotes(panel.y_label), written(ink.light));
  std::optional<AxisRange> range;
  if (panel.range_group && ranges.contains(*panel.range_group)) range = ranges.at(*panel.range_group);
  const Sheet& sheet = reproduction.sheets[panel.sheet];
  if (panel.kind == PanelKind::spans) return script + spans_of(sheet, range);
  if (panel.log_x) script += fmt::format("set logscale x {}\nset format x '%g'\n", base_of_x(panel, sheet));
  if (panel.log_y) script += "set logscale y 10\n";
  if (has_large_decades(panel, sheet, range)) script += "set format y '10^%T'\n";
  std::vector<std::string> entries;
  for (const Curve& curve : panel.curves) entries.push_back(key_of(curve));
  script += key_columns(entries);
  if (range) script += fmt::format("set yrange [{}:{}]\n", range->first, range->last);
  if (!range && panel.kind == PanelKind::bars) script += "set yrange [0:*]\n";
  return script + (panel.kind == PanelKind::bars ? bars_of(panel, sheet) : curves_of(panel, sheet));
}

// Breaks a sentence into at most `most_lines` lines of at most `letters` letters. If it is longer, the last line ends
// in dots.
std::vector<std::string> wrapped(const std::string& sentence, std::size_t letters, std::size_t most_lines) {
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
    if (!lines.back().empty() && lines.back().size() + 1 + (end - at) > letters) {
      if (lines.size() == most_lines) {
        lines.back() += " ...";
        break;
      }
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + sentence.substr(at, end - at);
    at = end + 1;
  }
  return lines;
}

// Returns the notations that gnuplot uses for a colour.
std::vector<std::string> spellings(unsigned colour) {
  const unsigned red = colour >> 16, green = colour >> 8 & 255, blue = colour & 255;
  return {fmt::format("rgb({:3},{:4},{:4})", red, green, blue), fmt::format("rgb({},{},{})", red, green, blue),
          fmt::format("rgb({:3}, {:3}, {:3})", red, green, blue), written(colour), fmt::format("#{:06X}", colour)};
}

}  // namespace

std::string plot_script(std::string_view title, const Reproduction& reproduction) {
  const std::size_t panels = reproduction.panels.size();
  if (panels == 0) return {};
  const std::size_t columns = std::min(panels, most_in_a_row), rows = (panels + columns - 1) / columns;
  const std::size_t width = std::max(columns * panel_width, least_width);
  const std::size_t letters = static_cast<std::size_t>(static_cast<double>(width) / letter_width) - 4;
  const std::vector<std::string> verdict = wrapped("Verdict: " + verdict_of(reproduction).headline, letters, 3);
  const std::size_t heading = heading_height + (verdict.size() + 1) * verdict_line_height, height = rows * panel_height + heading;
  const auto from_top = [&](std::size_t pixels) { return 1 - ratio(pixels, height); };

  std::string script =
      fmt::format("set terminal svg size {},{} font 'sans-serif,12' background '{}' noenhanced\nset encoding utf8\n", width, height,
                  written(ground.light));
  for (std::size_t i = 0; i < reproduction.sheets.size(); ++i) script += data_of(reproduction.sheets[i], i);
  // The heading consists of two labels of the first panel, in two sizes. The blank title of the multiplot reserves its space.
  script += fmt::format("set multiplot layout {},{} title \"{} \" font ',{}'\n", rows, columns, "", heading / 2);
  std::string heading_labels = fmt::format("set label {} at screen 0.5,{:.5f} center font ',15' textcolor rgb '{}'\n",
                                           in_quotes(title), from_top(20), written(ink.light));
  for (std::size_t i = 0; i < verdict.size(); ++i)
    heading_labels += fmt::format("set label {} at screen 0.5,{:.5f} center textcolor rgb '{}'\n", in_quotes(verdict[i]),
                                  from_top(heading_height + 6 + i * verdict_line_height), written(faint.light));
  const auto ranges = ranges_of(reproduction);
  for (const Panel& panel : reproduction.panels) {
    std::string of_panel = script_of(panel, reproduction, ranges);
    if (&panel == &reproduction.panels.front()) of_panel.insert(std::string_view("reset\n").size(), heading_labels);
    script += of_panel;
  }
  return script + "unset multiplot\n";
}

std::string with_dark_colours(std::string picture) {
  std::string rules;
  std::vector<Colour> all(colours.begin(), colours.end());
  all.insert(all.end(), {ink, faint, grid, ground});
  for (const Colour& colour : all)
    for (const char* property : {"stroke", "fill", "color"}) {
      std::vector<std::string> selectors;
      for (const std::string& spelling : spellings(colour.light)) selectors.push_back(fmt::format("[{}='{}']", property, spelling));
      rules += fmt::format("  {} {{ {}: {}; }}\n", fmt::join(selectors, ", "), property, written(colour.dark));
    }
  const std::string style = fmt::format(
      "<style>\n@media (prefers-color-scheme: dark) {{\n  [fill='black'] {{ fill: {0}; }}\n  [color='black'] {{ color: {0}; "
      "}}\n{1}}}\n</style>\n",
      written(ink.dark), rules);
  const std::size_t description = picture.find("</desc>");
  if (description != std::string::npos) picture.insert(picture.find('\n', description) + 1, style);
  return picture;
}

}  // namespace quadrille::papers
