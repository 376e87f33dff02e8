// SPDX-License-Identifier: BSD-3-Clause
// Writes simple shapes as SVG. Lengths are in pixels from the upper left corner. A colour is either fixed, as "#rrggbb", or given
// by a kind. Fixed colours are visible on light and on dark backgrounds. The colours of kinds follow the reader's light or dark
// colour scheme.
#pragma once

#include <pugixml.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "draw/geometry.hpp"

namespace quadrille {

enum class Dashes : std::uint8_t { none, dashed, dotted };

struct Stroke {
  std::string colour;
  double width = 1;
  Dashes dashes = Dashes::none;
  double opacity = 1;
};

enum class Anchor : std::uint8_t { start, middle, end };

enum class MarkerShape : std::uint8_t { disc, square, triangle, inverted_triangle, diamond, cross };
inline constexpr std::size_t closed_shapes = 5;  // those before the cross

// A class of the style sheet: "text"; "faint" (less prominent text); "on-colour" (text on a fixed colour); "over" (text over
// lines); "frame" (an outline); "fresh" (a stronger outline); "axis" (a thin line); "rank", "switch" and "cell" (filled shapes that
// look alike: a rank, a switch, a cell of a table); "band" (a light ground behind parts that belong together); "fault" (the
// strongest outline); "fault-missing" (the same, dashed).
using Kind = std::string_view;

class Svg {
 public:
  explicit Svg(const std::string& title);
  ~Svg();

  // `explanation` is shown when the pointer is over the shape. `fill` is a colour. Further style properties may follow it.
  // `corner` is the radius of the box's corners.
  void box(const Box& box, Kind kind, const std::string& fill = {}, const std::string& explanation = {}, double corner = 0);
  void circle(Point centre, double radius, Kind kind, const std::string& explanation = {});
  void line(Point from, Point to, Kind kind);
  void arrow(Point from, Point to, const Stroke& stroke, const std::string& explanation = {});
  void curve(const std::vector<Point>& points, const std::string& colour, double width, Dashes dashes = Dashes::none);

  // Draws a cross with a border, so that it stands out on any ground.
  void cross(Point centre, double half, const std::string& explanation = {});

  // Draws a filled or an open shape. A cross has no inside, so it is open. A shape without a colour is open, and coloured as
  // text.
  void marker(Point centre, MarkerShape shape, double radius, const std::string& colour, bool filled,
              const std::string& explanation = {});

  // `turn` is in degrees, clockwise about `base`.
  void text(Point base, const std::string& words, Anchor anchor = Anchor::start, Kind kind = "text", double size = 12,
            double turn = 0);

  // Writes the title at the top, in lines of at most this width. The place of the last line does not depend on the number of
  // lines. So the headline can be written at the end, when the width of the picture is known. Returns the width of the longest
  // line.
  double headline(Point base, double width);

  std::string written(double width, double height);

 private:
  pugi::xml_node add(const char* shape, Kind kind, const std::string& explanation);

  pugi::xml_document document_;
  pugi::xml_node root_, ground_;
  const std::string title_;
  double top_ = 0;  // of the picture; negative if the headline has several lines
  bool has_bands_ = false, has_faults_ = false;
};

// Returns a strong colour. Colours repeat after eight stages.
std::string stage_colour(std::size_t stage);

// Returns the colour of a rank, or of another one of `count` things, to write on in black: of up to 8 things, colours that readers
// with any deficiency of colour vision tell apart; of more, and of amounts, colours from dark to light.
// As in viewer/src/views/look.ts.
std::string member_colour(Count index, Count count, bool is_amount = false);

// Returns a colour: pale blue for 0, blue for 1/4, yellow for 0.6, red for 1.
std::string heat(double share);

}  // namespace quadrille
