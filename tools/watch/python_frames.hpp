// SPDX-License-Identifier: BSD-3-Clause
// The frames of Python in another process, found in the memory of its interpreter. The process is not stopped, and runs no code for
// this. Only CPython 3.11 is known, and only if its headers were there when this was compiled (QUADRILLE_PYTHON_HEADERS).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "watch/places.hpp"

namespace quadrille::command {

// Returns the frames of the main thread, innermost first, at most 64: "program.py:31 (exchange)". Returns nothing if the process
// runs no CPython 3.11, if its memory may not be read, or if what is read makes no sense. `places` are those of the process.
std::vector<std::string> python_frames(pid_t process, const SourcePlaces& places);

}  // namespace quadrille::command
