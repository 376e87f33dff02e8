// SPDX-License-Identifier: BSD-3-Clause
// What a projection comes to (verdict_text in projection.hpp has the sentence).
#pragma once

#include "quadrille/projection.hpp"

namespace quadrille::projection {

double share_of(const ProjectedRun& run, ProjectedPart part);  // of its total

ProjectionVerdict verdict_of(const ProjectedRun& vendor, const Band& gain);

}  // namespace quadrille::projection
