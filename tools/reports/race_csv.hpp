// SPDX-License-Identifier: BSD-3-Clause
// A race as comma-separated values (RFC 4180): one row for each size and candidate. The last column says whether the race ended
// before all sizes were measured.
#pragma once

#include <string>

#include "foundation/sheet.hpp"
#include "quadrille/race.hpp"

namespace quadrille::command {

Sheet new_race_sheet();
void add_to(Sheet& sheet, const RaceResult& result, const RaceOptions& options, const std::string& transport);

}  // namespace quadrille::command
