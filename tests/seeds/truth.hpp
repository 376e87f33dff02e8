// SPDX-License-Identifier: BSD-3-Clause
// Compares what was read from a rank's file with the history of the rank.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "recording/rank_contents.hpp"
#include "seeds/history.hpp"
#include "seeds/remains.hpp"

namespace quadrille::seeds {

// What the file may hold: `header_done` up to `units_done` steps and the step after these, without units of the step `cut` and
// later ones. Returns what is wrong, or "".
std::string wrong_in(const recording::RankContents& contents, const RankHistory& history, const Fate& fate, std::size_t cut);

std::string_view name(RecordedStep::What what);

}  // namespace quadrille::seeds
