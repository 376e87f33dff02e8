// SPDX-License-Identifier: BSD-3-Clause
// The kinds of sites as words.
#pragma once

#include <string_view>

#include "quadrille/recording.hpp"

namespace quadrille::recording {

constexpr std::string_view name(RecordedKind kind) {
  switch (kind) {
    case RecordedKind::collective: return "collective";
    case RecordedKind::start: return "start";
    case RecordedKind::completion: return "completion";
    case RecordedKind::point_to_point: return "point-to-point";
    case RecordedKind::making: return "making";
    case RecordedKind::others: break;
  }
  return "others";
}

}  // namespace quadrille::recording
