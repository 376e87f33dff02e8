// SPDX-License-Identifier: BSD-3-Clause
// One size of a race as JSON, with all samples.
#pragma once

#include "quadrille/race.hpp"
#include "support/json.hpp"

namespace quadrille::command {

Json json_of(const RaceResult& result);

}  // namespace quadrille::command
