// SPDX-License-Identifier: BSD-3-Clause
// The result of a projection as text, as JSON and as a picture.
#pragma once

#include <optional>
#include <string>

#include "quadrille/projection.hpp"
#include "quadrille/recording.hpp"
#include "support/text.hpp"

namespace quadrille::command {

// A description of what was projected.
struct ProjectedSituation {
  std::string program, machine;
  Count ranks = 1, nodes = 1;
  std::vector<std::string> changes;  // what-ifs: "computing times 0.5"
  std::optional<RankScale> scale;    // the ranks were scaled
};

ProjectedSituation situation_of(const Recording& recording, const ProjectionOptions& options,
                                const std::optional<RankScale>& scale = {});

std::string place_text(const ProjectedSituation& situation);  // "64 ranks on 8 nodes of hdr, scaled from 8 to 64 (weak)"
std::string title_text(const ProjectedSituation& situation);  // "./app: 64 ranks on 8 nodes of hdr, with computing times 0.5"
// The verdict. This sentence also says whether the ranks were scaled.
std::string sentence_of(const Projection& projection, const ProjectedSituation& situation);
std::string text_of(const Projection& projection, const ProjectedSituation& situation, bool full);
Json json_of(const Projection& projection, const ProjectedSituation& situation);
std::string svg_of(const Projection& projection, const ProjectedSituation& situation);  // bars before and after

}  // namespace quadrille::command
