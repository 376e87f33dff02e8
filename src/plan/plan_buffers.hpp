// SPDX-License-Identifier: BSD-3-Clause
// Checks the buffers that are passed to a plan.
#pragma once

#include "quadrille/execute.hpp"

namespace quadrille {

// Makes the checks of Plan::execute or, for a plan in place, those of Plan::execute_in_place on `output`. For
// callers that run a plan's Execution themselves.
void check_buffers(const Plan& plan, const void* input, const void* output);

}  // namespace quadrille
