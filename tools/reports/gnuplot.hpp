// SPDX-License-Identifier: BSD-3-Clause
// Draws plots with gnuplot, run as a child process. It is a separate program that may be missing.
#pragma once

#include <optional>
#include <string>

namespace quadrille::command {

// Runs gnuplot with the script and returns its output; nothing if gnuplot is not installed. Throws Error{environment} with
// gnuplot's message if it rejects the script.
std::optional<std::string> plotted(const std::string& script);

}  // namespace quadrille::command
