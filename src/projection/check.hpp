// SPDX-License-Identifier: BSD-3-Clause
// What a recording and options must have to be projected.
#pragma once

#include <string>

#include "quadrille/projection.hpp"

namespace quadrille::projection {

// Throws Error{malformed} if the recording contradicts itself, Error{misuse} if ranks are missing. The sentence has the first
// remark of the recording, which may say why.
void check_complete(const Recording& recording);

// Throws as check_complete, and Error{misuse} if the options do not fit the recording.
void check(const Recording& recording, const ProjectionOptions& options);

[[noreturn]] void refuse(const std::string& sentence);  // throws Error{misuse}

}  // namespace quadrille::projection
