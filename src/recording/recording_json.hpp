// SPDX-License-Identifier: BSD-3-Clause
// A recording as one object of JSON, with all calls. docs/recording.md describes the fields.
#pragma once

#include <iosfwd>

#include "quadrille/recording.hpp"

namespace quadrille::recording {

// Throws Error{malformed} if a rank's entries are damaged.
void write_json(std::ostream& to, const Recording& recording);

}  // namespace quadrille::recording
