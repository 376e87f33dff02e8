// SPDX-License-Identifier: BSD-3-Clause
// A picture of a few kinds of shapes, written as SVG. Lengths are in pixels from the upper left corner. Colours are either
// fixed, as "#rrggbb", and to be seen on light and dark ground, or those of a kind, which follow the reader's choice.
#pragma once

#include <pugixml.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace quadrille {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

enum class Dashes : std::uint8_t { none, dashed, dotted };

enum class Anchor : std::uint8_t { start, middle, end };

// The classes of the style sheet: "text", "faint" (text of less weight), "on-colour" (text on a fixed colour), "over" (text
// over lines), "frame" (an outline), "fresh" (a strong one), "axis" (a thin line), "node" (a filled shape), "fault" (the strongest
// outline), "fault-missing" (the same, dashed).
using Kind = std::string_view;

class Svg {
 public:
  explicit Svg(const std::string& title);
  ~Svg();

  // An explanation is shown when the pointer rests on the shape. `fill` is a colour, and may go on with other properties.
  void box(const Box& box, Kind kind, const std::string& fill = {}, const std::string& explanation = {});
  void circle(Point centre, double radius, Kind kind, const std::string& explanation = {});
  void line(Point from, Point to, Kind kind);
  void arrow(Point from, Point to, const std::string& colour, double width, const std::string& explanation = {},
             Dashes dashes = Dashes::none);
  void curve(const std::vector<Point>& points, const std::string& colour, double width, bool dashed = false);
  void cross(Point centre, double half, const std::string& explanation = {});                    // over everything
  void crossed_out(const Box& box, bool twice, Kind kind, const std::string& explanation = {});  // once: one diagonal
  void dot(Point centre, double radius, const std::string& colour, const std::string& explanation = {});
  void text(Point base, const std::string& words, Anchor anchor = Anchor::start, Kind kind = "text", double size = 12);

  // A bar of the colours of `heat`, from nothing to `most`. Returns how far it reaches.
  double heat_scale(Point corner, const std::string& most);

  std::string written(double width, double height);

 private:
  pugi::xml_node add(const char* shape, Kind kind, const std::string& explanation);

  pugi::xml_document document_;
  pugi::xml_node root_, ground_;
  bool has_faults_ = false;
};

// About how wide a line of text is; letters differ from font to font.
double text_width(std::string_view words, double size = 12);

std::string stage_colour(std::size_t stage);              // strong ones, again after eight
std::string member_colour(double index, double members);  // light ones, to be written upon: as many as there are members
std::string heat(double share);                           // of the most, 0 < share <= 1

}  // namespace quadrille
