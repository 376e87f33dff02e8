// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille::command {

// All of a text file, which is not empty; "-" is stdin, which can be read once. `label` is what it is called in sentences.
std::string read_text(const std::string& file, const std::string& label);
using ReadText = std::function<std::string(const std::string& file, const std::string& label)>;

// "'mine.json'", or "stdin".
std::string label_of(const std::string& file);

// As a terminal may show it: control characters, and what is no UTF-8, are written out.
std::string printable(const std::string& text);

// Of what is no collective. Throws Error{misuse} if it is no file but a collective misspelt, or if there are options that say which
// problem is meant, `about_problem`, or which algorithm, where that is not asked beside the file's: a file says so itself.
void check_names_file(const std::string& subject, bool about_problem, bool about_algorithm = false);

// The schedules of a file in either form; "-" is stdin. Throws Error with a sentence that names the file.
std::vector<Schedule> read_schedules(const std::string& file, const ReadText& read = read_text);

}  // namespace quadrille::command
