// SPDX-License-Identifier: BSD-3-Clause
#include "draw/plot.hpp"

#include <algorithm>
#include <map>

#include "draw/svg.hpp"

namespace quadrille {
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
