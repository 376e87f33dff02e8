// SPDX-License-Identifier: BSD-3-Clause
// Plots by gnuplot, run as a child process: a tool of its own that need not be there.
#pragma once

#include <optional>
#include <string>

namespace quadrille::command {

// What gnuplot prints when it is given the script; nothing where there is no gnuplot. Throws Error{environment} with what it
// says where it does not like the script.
std::optional<std::string> plotted(const std::string& script);

}  // namespace quadrille::command
