// SPDX-License-Identifier: BSD-3-Clause
// Which calls of the instrumentation, and which throws, the runs have reached, by their return addresses.
#pragma once

#include <string>

namespace quadrille::seeds {

void note_reached(const void* place);
std::string shown_place(const void* place);  // "FUNCTION at FILE:LINE", by the program's debug information if addr2line is there
// The report of what was reached: throws, and protocol points (atomic accesses) of the engine.
std::string coverage();

}  // namespace quadrille::seeds
