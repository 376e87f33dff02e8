// SPDX-License-Identifier: BSD-3-Clause
// Checks the results that a page shows as curves and tables. The viewer reads them itself, so they are written to the page as they
// are. All functions throw Error{malformed} with a sentence that names the file by `label`.
#pragma once

#include <string>

#include "support/json.hpp"

namespace quadrille::command {

void check_races(const Json& results, const std::string& label);      // of quadrille race --json: one, or an array
void check_tuning(const Json& results, const std::string& label);     // of quadrille tune --json: one, or an array
void check_run_report(const Json& report, const std::string& label);  // of quadrille report --json

}  // namespace quadrille::command
