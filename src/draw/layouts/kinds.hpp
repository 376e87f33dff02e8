// SPDX-License-Identifier: BSD-3-Clause
// The kinds of layouts, each in its own file. Each function places the vertices of the networks that it knows, and returns nothing
// for other networks. `layout_of` adds the names of the vertices and moves everything to positive coordinates.
#pragma once

#include <optional>

#include "draw/layouts/layout.hpp"

namespace quadrille {

// Meshes and tori of two to four dimensions and arrays: the last dimension goes to the right and the one before it downwards. With
// a third and a fourth dimension there is a plane for each of their coordinates, and links between planes are stubs.
std::optional<NetworkLayout> grid_layout(const Topology& topology);

// Hypercubes of up to six dimensions: cubes of three dimensions beside and below each other.
std::optional<NetworkLayout> cube_layout(const Topology& topology);

// Networks whose links all lead one level up or down, such as fat trees and clusters: ranks in the lowest row.
// Nothing if the row would be too long for a page.
std::optional<NetworkLayout> layer_layout(const Topology& topology);

// Dragonflies: each group has its routers on an arc and their ranks outside it. The groups stand in a circle.
std::optional<NetworkLayout> group_layout(const Topology& topology);

// Any network: ranks on the outermost circle, and on each further circle the switches that are next to those outside it.
std::optional<NetworkLayout> circle_layout(const Topology& topology);

}  // namespace quadrille
