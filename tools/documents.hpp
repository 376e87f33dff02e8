// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille::command {

// All of a text file, which is not empty; "-" is stdin. `label` is what it is called in sentences.
std::string read_text(const std::string& file, const std::string& label);

// The schedules of a file in either form; "-" is stdin. Throws Error with a sentence that names the file.
std::vector<Schedule> read_schedules(const std::string& file);

}  // namespace quadrille::command
