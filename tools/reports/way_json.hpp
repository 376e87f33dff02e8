// SPDX-License-Identifier: BSD-3-Clause
// Converts ways and their measured times to JSON, alike in all the command's outputs.
#pragma once

#include "quadrille/wisdom.hpp"
#include "schedule/ordering.hpp"
#include "support/json.hpp"

namespace quadrille::command {

inline Json way_json(const Way& way) {
  return {{"algorithm", way.algorithm},
          {"policy", quadrille::name(way.policy)},
          {"buffers", way.buffers},
          {"executor", quadrille::name(way.executor)}};
}

inline Json timing_json(const Timing& timing) {
  return {{"median_s", timing.median_s}, {"lower_s", timing.lower_s}, {"upper_s", timing.upper_s}};
}

inline Json way_json(const WisdomEntry& entry) {
  Json object = way_json(entry.way);
  object.update(timing_json(entry.timing));
  return object;
}

}  // namespace quadrille::command
