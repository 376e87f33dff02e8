// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille::command {

// The schedules of a file in either form; "-" is stdin. Throws Error with a sentence that names the file.
std::vector<Schedule> read_schedules(const std::string& file);

}  // namespace quadrille::command
