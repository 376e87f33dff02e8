// SPDX-License-Identifier: BSD-3-Clause
#include "reports/handout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "quadrille/draw.hpp"

namespace quadrille::command {
namespace {

constexpr double sheet_width = 595, sheet_height = 842, margin = 40;  // points

constexpr std::string_view questions[] = {
    "1. Follow one block in the picture. In which rounds does it move, and why in these?",
    "2. How many rounds are there for 8 ranks? For 16 ranks? For p ranks?",
    "3. How many blocks does a rank send in all? Compare it with the least that is possible.",
    "4. On which machine would you take this algorithm: with slow start-ups, or with slow links?",
};

// Adds text in lines of at most 96 letters, below `y`, which moves down. The texts have no letters that XML escapes.
void add_lines(std::string& sheet, std::string_view text, double size, double& y) {
  constexpr std::size_t most = 96;
  while (!text.empty()) {
    const std::size_t end = text.size() <= most ? text.size() : text.rfind(' ', most);
    std::string line(text.substr(0, end));
    for (std::size_t at = 0; (at = line.find('>', at)) != std::string::npos;) line.replace(at, 1, "\u2192");
    sheet += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text>\n", margin, y += 1.5 * size, size, line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

// The width or the height that a picture states.
double extent_of(std::string_view picture, std::string_view key) {
  const std::size_t at = picture.find(fmt::format("{}=\"", key)) + key.size() + 2;
  double value = 0;
  std::from_chars(picture.data() + at, picture.data() + picture.size(), value);
  return value;
}

}  // namespace

std::string handout(std::string_view title, std::string_view text, const Schedule& schedule) {
  std::string sheet = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\" />\n",
      sheet_width, sheet_height);
  double y = margin;
  add_lines(sheet, title, 18, y);
  y += 6;
  add_lines(sheet, text, 10.5, y);
  constexpr double width = sheet_width - 2 * margin, answers = 260;
  const double height = sheet_height - margin - answers - y - 24;
  std::string picture;
  double scale = 0;
  for (const double row_width : {400.0, 600.0, 800.0, 1000.0, 1200.0}) {  // the picture that is largest on the sheet
    std::string drawn = draw_blocks(schedule, {.row_width = row_width});
    const double fitting = std::min({1.0, width / extent_of(drawn, "width"), height / extent_of(drawn, "height")});
    if (fitting <= scale) continue;
    scale = fitting;
    picture = std::move(drawn);
  }
  sheet += fmt::format("<g transform=\"translate({} {}) scale({})\">{}</g>\n", margin, y + 12, scale, picture);
  y += 24 + scale * extent_of(picture, "height");
  for (const std::string_view question : questions) {
    add_lines(sheet, question, 10.5, y);
    for (int line = 0; line < 2; ++line)
      sheet += fmt::format("<path d=\"M{} {} h{}\" stroke=\"#59636e\" stroke-width=\"0.6\" />\n", margin, y += 24,
                           sheet_width - 2 * margin);
  }
  return sheet + "</svg>\n";
}

}  // namespace quadrille::command
