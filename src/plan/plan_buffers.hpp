// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quadrille/execute.hpp"

namespace quadrille {

// What Plan::execute checks before it does anything, or Plan::execute_in_place, which has its buffer in `output`. For those that
// run a plan's execution themselves.
void check_buffers(const Plan& plan, const void* input, const void* output);

}  // namespace quadrille
