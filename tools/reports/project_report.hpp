// SPDX-License-Identifier: BSD-3-Clause
// What a projection says, for people, as JSON and as a picture.
#pragma once

#include <string>

#include "quadrille/projection.hpp"
#include "quadrille/recording.hpp"
#include "support/json.hpp"

namespace quadrille::command {

// What was projected, in words.
struct ProjectedSituation {
  std::string program, machine;
  Count ranks = 1, nodes = 1;
  std::vector<std::string> changes;  // what-ifs: "computing times 0.5"
};

ProjectedSituation situation_of(const Recording& recording, const ProjectionOptions& options);

std::string text_of(const Projection& projection, const ProjectedSituation& situation, bool full);
Json json_of(const Projection& projection, const ProjectedSituation& situation);
std::string svg_of(const Projection& projection, const ProjectedSituation& situation);  // bars before and after

}  // namespace quadrille::command
