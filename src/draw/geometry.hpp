// SPDX-License-Identifier: BSD-3-Clause
// Points and boxes in pictures, in pixels. x grows to the right, and y downwards.
#pragma once

#include <cmath>

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

// Returns the vector turned by a right angle clockwise, as it looks in a picture.
inline Point to_the_right(Point point) { return {-point.y, point.x}; }

}  // namespace quadrille
