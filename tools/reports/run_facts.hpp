// SPDX-License-Identifier: BSD-3-Clause
// What results of measurements say about their run, alike in all the command's outputs.
#pragma once

#include <cstdint>

#include "support/json.hpp"
#include "support/machine.hpp"

namespace quadrille::command {

std::int64_t unix_seconds_now();

// Adds where, when and by which command something was measured: machine, host, start_unix_s, command and version. The command is
// cut after 1,000 letters.
void add_run_facts(Json& results, const Machine& machine, std::int64_t start_unix_s);

}  // namespace quadrille::command
