// SPDX-License-Identifier: BSD-3-Clause
// Points and boxes in pictures, in pixels: x grows to the right, and y downwards. Also how wide texts are, and how texts are
// broken into lines.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(double factor, Point point) { return {factor * point.x, factor * point.y}; }

inline double length(Point point) { return std::hypot(point.x, point.y); }
inline Point unit(Point point) { return (1 / length(point)) * point; }

// Returns the vector turned by a right angle, clockwise as seen in the picture.
inline Point to_the_right(Point point) { return {-point.y, point.x}; }

// Returns the length of `count` items of length `each`.
inline double extent(Count count, double each) { return static_cast<double>(count) * each; }

// Returns the approximate width of a line of text; the true width depends on the font.
double text_width(std::string_view words, double size = 12);

// Returns the text. A text that is wider than `width` is cut and ends with an ellipsis; it is empty if there is no room for one.
std::string fitted(std::string words, double width, double size = 12);

// Breaks text at spaces into lines of at most this width. A wider word is broken after its commas; a part that is still too wide
// is cut.
std::vector<std::string> lines_of(const std::string& words, double width, double size = 12);

}  // namespace quadrille
