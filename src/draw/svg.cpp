// SPDX-License-Identifier: BSD-3-Clause
#include "draw/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include "foundation/assert.hpp"
#include "foundation/text/printable.hpp"

namespace quadrille {
namespace {

constexpr const char* style_sheet = R"(
text { font-family: sans-serif; fill: #1f2328; }
.faint { fill: #59636e; }
.on-colour { fill: #111111; }
.over { stroke: #ffffff; stroke-width: 3; paint-order: stroke; }
.ground { fill: #ffffff; }
.frame { fill: none; stroke: #8c959f; stroke-width: 0.6; }
.fresh { fill: none; stroke: #1f2328; stroke-width: 1.6; }
.axis { stroke: #8c959f; stroke-width: 0.8; }
.rank, .switch, .cell { fill: #dde3ea; stroke: #59636e; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .faint { fill: #9198a1; }
  .on-colour { fill: #111111; }
  .over { stroke: #16191d; }
  .ground { fill: #16191d; }
  .fresh { stroke: #e6edf3; }
  .rank, .switch, .cell { fill: #39424d; stroke: #9198a1; }
}
)";

// Added only if ranks stand on nodes.
constexpr const char* style_of_bands = R"(
.band { fill: #e6eaf0; }
@media (prefers-color-scheme: dark) {
  .band { fill: #2a313a; }
}
)";

// Added only if something is wrong.
constexpr const char* style_of_faults = R"(
.fault { fill: none; stroke: #c8102e; stroke-width: 2; }
.fault-missing { fill: none; stroke: #c8102e; stroke-width: 2; stroke-dasharray: 5 3; }
.fault-ground { fill: none; stroke: #ffffff; stroke-width: 5; }
@media (prefers-color-scheme: dark) {
  .fault, .fault-missing { stroke: #ff6b6b; }
  .fault-ground { stroke: #16191d; }
}
)";

using Colour = std::array<double, 3>;  // red, green, blue: 0 .. 255

std::string written(const Colour& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(colour[0]), std::lround(colour[1]), std::lround(colour[2]));
}

Colour between(const Colour& a, const Colour& b, double share) {
  Colour mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = a[i] + (b[i] - a[i]) * share;
  return mixed;
}

std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

void set(pugi::xml_node node, const char* name, const std::string& value) { node.append_attribute(name) = value.c_str(); }

void set(pugi::xml_node node, const char* name, double value) { set(node, name, number(value)); }

void set(pugi::xml_node node, Dashes dashes) {
  if (dashes != Dashes::none) set(node, "stroke-dasharray", dashes == Dashes::dashed ? "4 3" : "1.5 3");
}

}  // namespace

Svg::Svg(const std::string& title) : root_(document_.append_child("svg")), title_(title) {
  root_.append_attribute("xmlns") = "http://www.w3.org/2000/svg";
  root_.append_attribute("role") = "img";
  root_.append_child("title").text() = printable(title).c_str();
  root_.append_child("style").text() = style_sheet;
  ground_ = add("rect", "ground", {});
}

Svg::~Svg() = default;

pugi::xml_node Svg::add(const char* shape, Kind kind, const std::string& explanation) {
  pugi::xml_node node = root_.append_child(shape);
  if (!kind.empty()) set(node, "class", std::string(kind));
  if ((kind.starts_with("fault") && !std::exchange(has_faults_, true)) || (kind == "band" && !std::exchange(has_bands_, true)))
    root_.child("style").text() =
        fmt::format("{}{}{}", style_sheet, has_bands_ ? style_of_bands : "", has_faults_ ? style_of_faults : "").c_str();
  if (!explanation.empty()) node.append_child("title").text() = printable(explanation).c_str();
  return node;
}

void Svg::box(const Box& box, Kind kind, const std::string& fill, const std::string& explanation, double corner) {
  pugi::xml_node node = add("rect", kind, explanation);
  set(node, "x", box.x);
  set(node, "y", box.y);
  set(node, "width", box.width);
  set(node, "height", box.height);
  if (corner > 0) set(node, "rx", corner);
  if (!fill.empty()) set(node, "style", "fill: " + fill);
}

void Svg::circle(Point centre, double radius, Kind kind, const std::string& explanation) {
  pugi::xml_node node = add("circle", kind, explanation);
  set(node, "cx", centre.x);
  set(node, "cy", centre.y);
  set(node, "r", radius);
}

void Svg::line(Point from, Point to, Kind kind) {
  pugi::xml_node node = add("line", kind, {});
  set(node, "x1", from.x);
  set(node, "y1", from.y);
  set(node, "x2", to.x);
  set(node, "y2", to.y);
}

void Svg::arrow(Point from, Point to, const Stroke& stroke, const std::string& explanation) {
  const double angle = std::atan2(to.y - from.y, to.x - from.x), head = 4 + stroke.width;
  std::string path = fmt::format("M{} {}L{} {}", number(from.x), number(from.y), number(to.x), number(to.y));
  for (const double turn : {2.7, -2.7})
    path += fmt::format("L{} {}{}", number(to.x + head * std::cos(angle + turn)), number(to.y + head * std::sin(angle + turn)),
                        turn > 0 ? fmt::format("M{} {}", number(to.x), number(to.y)) : "");
  pugi::xml_node node = add("path", {}, explanation);
  set(node, "d", path);
  set(node, "stroke", stroke.colour);
  set(node, "stroke-width", stroke.width);
  if (stroke.opacity < 1) node.append_attribute("stroke-opacity") = fmt::format("{:.2f}", stroke.opacity).c_str();
  set(node, "fill", "none");
  set(node, stroke.dashes);
}

void Svg::curve(const std::vector<Point>& points, const std::string& colour, double width, Dashes dashes) {
  std::string path;
  for (const Point& point : points) path += fmt::format("{}{} {}", path.empty() ? "M" : "L", number(point.x), number(point.y));
  pugi::xml_node node = add("path", {}, {});
  set(node, "d", path);
  set(node, "stroke", colour);
  set(node, "stroke-width", width);
  set(node, "fill", "none");
  set(node, dashes);
}

void Svg::cross(Point centre, double half, const std::string& explanation) {
  const auto stroke = [&](double side) {
    return fmt::format("M{} {}L{} {}", number(centre.x - half), number(centre.y - side), number(centre.x + half),
                       number(centre.y + side));
  };
  for (const Kind kind : {"fault-ground", "fault"})
    set(add("path", kind, kind == "fault" ? explanation : std::string{}), "d", stroke(half) + stroke(-half));
}

void Svg::marker(Point centre, MarkerShape shape, double radius, const std::string& colour, bool filled,
                 const std::string& explanation) {
  static const std::vector<Point> outlines[] = {{},
                                                {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
                                                {{0, -1.25}, {1.1, 0.65}, {-1.1, 0.65}},
                                                {{0, 1.25}, {1.1, -0.65}, {-1.1, -0.65}},
                                                {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}},
                                                {{-1, -1}, {1, 1}, {0, 0}, {1, -1}, {-1, 1}, {0, 0}}};
  const Kind kind = colour.empty() ? "fresh" : Kind{};
  pugi::xml_node node = add(shape == MarkerShape::disc ? "circle" : "path", kind, explanation);
  if (shape == MarkerShape::disc) {
    set(node, "cx", centre.x);
    set(node, "cy", centre.y);
    set(node, "r", radius);
  } else {
    std::string path;
    for (const Point& corner : outlines[static_cast<std::size_t>(shape)])
      path += fmt::format("{}{} {}", path.empty() ? "M" : "L", number(centre.x + radius * corner.x),
                          number(centre.y + radius * corner.y));
    set(node, "d", path + "Z");
  }
  if (colour.empty()) return;
  set(node, "fill", filled ? colour : "none");
  if (!filled) set(node, "stroke", colour);
}

void Svg::text(Point base, const std::string& words, Anchor anchor, Kind kind, double size, double turn) {
  constexpr std::array<const char*, 3> anchors{"start", "middle", "end"};
  pugi::xml_node node = add("text", kind == "text" ? Kind{} : kind, {});
  set(node, "x", base.x);
  set(node, "y", base.y);
  set(node, "font-size", size);
  if (anchor != Anchor::start) set(node, "text-anchor", anchors[static_cast<std::size_t>(anchor)]);
  if (turn != 0) set(node, "transform", fmt::format("rotate({} {} {})", number(turn), number(base.x), number(base.y)));
  node.text() = printable(words).c_str();
}

double Svg::headline(Point base, double width) {
  constexpr double size = 14, line_height = 18;
  const std::vector<std::string> lines = lines_of(title_, width, size);
  double widest = 0, y = base.y - line_height * static_cast<double>(lines.size() - 1);
  top_ = y - base.y;
  pugi::xml_node before = ground_;
  for (const std::string& line : lines) {
    text({base.x, y}, line, Anchor::start, "text", size);
    before = root_.insert_move_after(root_.last_child(), before);  // readers of the document meet the headline first
    widest = std::max(widest, text_width(line, size));
    y += line_height;
  }
  return widest;
}

std::string Svg::written(double width, double height) {
  const double whole_height = std::ceil(height) - top_;
  set(root_, "width", std::ceil(width));
  set(root_, "height", whole_height);
  set(root_, "viewBox", fmt::format("0 {} {} {}", number(top_), std::ceil(width), number(whole_height)));
  if (top_ < 0) set(ground_, "y", top_);
  set(ground_, "width", std::ceil(width));
  set(ground_, "height", whole_height);
  std::ostringstream out;
  document_.save(out, "", pugi::format_indent | pugi::format_no_declaration);
  return out.str();
}

std::string stage_colour(std::size_t stage) {
  constexpr std::array<const char*, 8> colours{"#2b8fd6", "#e0702c", "#1fa37a", "#c76aa0",
                                               "#b58900", "#8c7ae6", "#5aa02c", "#d64550"};
  return colours[stage % colours.size()];
}

std::string member_colour(Count index, Count count, bool is_amount) {
  constexpr std::array<const char*, 8> few{"#c96200", "#8bffac", "#9366c4", "#eba315", "#1ca186", "#f4c3ff", "#ba92fd", "#60ce9f"};
  constexpr std::array<Colour, 6> many{
      {{131, 120, 216}, {95, 151, 214}, {65, 176, 179}, {108, 198, 129}, {181, 215, 82}, {245, 230, 99}}};
  QUADRILLE_ASSERT(index >= 0 && index < count);
  if (count <= static_cast<Count>(few.size()) && !is_amount) return few[static_cast<std::size_t>(index)];
  const double place =
      static_cast<double>(index * static_cast<Count>(many.size() - 1)) / static_cast<double>(std::max<Count>(1, count - 1));
  const std::size_t before = std::min(static_cast<std::size_t>(place), many.size() - 2);
  return quadrille::written(between(many[before], many[before + 1], place - static_cast<double>(before)));
}

std::string heat(double share) {
  constexpr std::array<double, 4> shares{0, 0.25, 0.6, 1};
  constexpr std::array<Colour, 4> colours{{{158, 202, 230}, {74, 148, 206}, {236, 178, 62}, {224, 70, 60}}};
  std::size_t i = 1;
  while (i + 1 < shares.size() && share > shares[i]) ++i;
  return quadrille::written(between(colours[i - 1], colours[i], (share - shares[i - 1]) / (shares[i] - shares[i - 1])));
}

}  // namespace quadrille
