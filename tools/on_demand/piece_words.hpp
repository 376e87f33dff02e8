// SPDX-License-Identifier: BSD-3-Clause
// What traces say of the pieces of a projected run.
#pragma once

#include <cstdint>
#include <string>

#include "quadrille/projection.hpp"

namespace quadrille::command {

// "Alltoall 64 B", "point-to-point"; of no call: "away".
std::string title_of(const RecordedSite* site);

std::string title_of(const ProjectedPiece& piece);  // "computing", "waiting for late ranks", or the title of its call

std::int64_t nanoseconds(double seconds);  // at most 9e18

}  // namespace quadrille::command
