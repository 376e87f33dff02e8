// SPDX-License-Identifier: BSD-3-Clause
#include "on_demand/piece_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foundation/text/wording.hpp"

namespace quadrille::command {

std::string title_of(const RecordedSite* site) {
  if (!site) return "away";
  if (site->kind == RecordedKind::point_to_point) return std::string(name(ProjectedPart::point_to_point));
  if (site->kind == RecordedKind::others) return "other collectives";
  const bool has_blocks = site->block_bytes > 0 && site->kind != RecordedKind::making;
  return has_blocks ? fmt::format("{} {}", site->function, bytes_text(site->block_bytes)) : site->function;
}

std::string title_of(const ProjectedPiece& piece) {
  const bool has_part_name = piece.part == ProjectedPart::computing || piece.part == ProjectedPart::waiting;
  return has_part_name ? std::string(name(piece.part)) : title_of(piece.site);
}

std::int64_t nanoseconds(double seconds) { return std::llround(std::min(seconds, 9e9) * 1e9); }

}  // namespace quadrille::command
