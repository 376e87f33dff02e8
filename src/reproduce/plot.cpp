// SPDX-License-Identifier: BSD-3-Clause
// Panels as a script for gnuplot, the data within it: an SVG on white ground, which reads the same on light and dark pages.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reproduce/exhibit.hpp"

namespace quadrille::reproduce {
namespace {

constexpr std::size_t panel_width = 480, panel_height = 400, most_in_a_row = 2;
// By hue and lightness told apart also by those who do not see all colours (after Okabe and Ito).
constexpr std::array<const char*, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#56b4e9", "#e69f00", "#000000", "#999999"};

std::string in_quotes(std::string_view text) {
  std::string within = "'";
  for (const char letter : text)
    if (letter != '\'') within += letter;
  within += '\'';
  return within;
}

std::string data_of(const Sheet& sheet, std::size_t number) {
  std::string lines = fmt::format("$sheet{} << EOD\n", number);
  for (const auto& row : sheet.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool is_number = std::holds_alternative<Count>(row[c]) || std::holds_alternative<double>(row[c]);
      lines += fmt::format("{}{}", c ? " " : "", is_number ? text_of(row[c]) : "NaN");
    }
    lines += '\n';
  }
  return lines + "EOD\n";
}

std::string style_of(const Curve& curve, std::size_t own) {
  const std::size_t number = curve.colour.value_or(own);
  const char* colour = colours[number % colours.size()];
  switch (curve.style) {
    case CurveStyle::line: return fmt::format("with linespoints lc rgb '{}' lw 1.6 pt {} ps 0.45", colour, 5 + 2 * (number % 5));
    case CurveStyle::dashed: return fmt::format("with lines lc rgb '{}' lw 1.6 dt 2", colour);
    case CurveStyle::points: return fmt::format("with points lc rgb '{}' pt 6 ps 0.9 lw 1.6", colour);
  }
  return {};
}

std::string script_of(const Panel& panel) {
  std::string script = fmt::format("unset logscale\nset title {}\nset xlabel {} offset 0,0.4\nset ylabel {}\n",
                                   in_quotes(panel.title), in_quotes(panel.x_label), in_quotes(panel.y_label));
  if (panel.log_x) script += "set logscale x 2\n";
  if (panel.log_y) script += "set logscale y 10\n";
  script += "plot ";
  for (std::size_t i = 0; i < panel.curves.size(); ++i)
    script += fmt::format("{}$sheet{} using {}:{} {} title {}", i ? ", \\\n     " : "", panel.sheet, panel.x + 1,
                          panel.curves[i].column + 1, style_of(panel.curves[i], i), in_quotes(panel.curves[i].title));
  return script + '\n';
}

}  // namespace

std::string plot_script(std::string_view title, const Reproduction& reproduction) {
  const std::size_t panels = reproduction.panels.size();
  if (panels == 0) return {};
  const std::size_t columns = std::min(panels, most_in_a_row), rows = (panels + columns - 1) / columns;
  std::string script = fmt::format(
      "set terminal svg size {},{} font 'sans-serif,12' background '#ffffff' noenhanced\nset encoding utf8\n"
      "set border 3 lc rgb '#59636e'\nset tics nomirror\nset grid lc rgb '#d8dee4' lw 0.7\n"
      "unset mxtics\nunset mytics\nset key below height 1 samplen 2 width 1\n",
      std::max<std::size_t>(columns * panel_width, 620), rows * panel_height + 30);
  for (std::size_t i = 0; i < reproduction.sheets.size(); ++i) script += data_of(reproduction.sheets[i], i);
  script += fmt::format("set multiplot layout {},{} title {}\n", rows, columns, in_quotes(title));
  for (const Panel& panel : reproduction.panels) script += script_of(panel);
  return script + "unset multiplot\n";
}

}  // namespace quadrille::reproduce
