// SPDX-License-Identifier: BSD-3-Clause
// One size of a race as JSON, with all samples, or as comma-separated values (RFC 4180).
#pragma once

#include <optional>
#include <string>

#include "foundation/sheet.hpp"
#include "quadrille/race.hpp"
#include "support/text.hpp"

namespace quadrille::command {

Json json_of(const RaceResult& result);

// Bounds of every schedule of the problem: the least C2 on as many ports, and, by the fit of the entry's executor, the least time.
std::optional<double> least_c2_of(const Problem& problem, Count ports);
std::optional<double> least_seconds_of(const RaceResult& result, const RaceEntry& entry);

// One row for each size and candidate. The last column says whether the race ended before all sizes were measured.
Sheet new_race_sheet();
void add_to(Sheet& sheet, const RaceResult& result, const RaceOptions& options, const std::string& transport);

}  // namespace quadrille::command
