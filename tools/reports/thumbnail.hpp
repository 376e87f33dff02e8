// SPDX-License-Identifier: BSD-3-Clause
// A small picture of a trace, for the index of the gallery.
#pragma once

#include <string>

#include "quadrille/trace.hpp"

namespace quadrille::command {

// Returns an SVG with a panel for each of the first rounds that have messages: the ranks where the page shows them, and a line with
// an arrowhead for each message, in the colour of its sender.
std::string thumbnail_of(const Trace& trace);

}  // namespace quadrille::command
