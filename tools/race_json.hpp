// SPDX-License-Identifier: BSD-3-Clause
// One size of a race as JSON, with all samples.
#pragma once

#include "json.hpp"
#include "quadrille/race.hpp"

namespace quadrille::command {

Json json_of(const RaceResult& result);

}  // namespace quadrille::command
