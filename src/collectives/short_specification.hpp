// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "quadrille/schedule.hpp"

namespace quadrille {

// The algorithm of a schedule with those parameters that differ from their defaults. A schedule from a file may name another
// algorithm than those of the table, or other parameters or values; then it has all parameters that the file states.
std::string short_specification(const Schedule& schedule);

}  // namespace quadrille
