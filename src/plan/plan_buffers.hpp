// SPDX-License-Identifier: BSD-3-Clause
// Checks the buffers that are passed to a plan.
#pragma once

#include <string_view>
#include <utility>

#include "quadrille/execute.hpp"

namespace quadrille {

// Makes the checks of Plan::execute or, for a plan in place, those of Plan::execute_in_place on `output`. For callers that run a
// plan's Execution themselves. Returns true if input and output overlap: the caller refuses this, and names the function that the
// program should call instead.
[[nodiscard]] bool overlap(const Plan& plan, const void* input, const void* output);

// The part of a buffer that is used: its first byte, and the one behind its last, counted from the beginning of the buffer.
using UsedPart = std::pair<Bytes, Bytes>;

// Throws Error{misuse} if a buffer is used, but is a null pointer.
void check_given(const void* buffer, const UsedPart& used, const char* what);

// Checks that both buffers are given. Returns true if their used parts overlap.
[[nodiscard]] bool overlap(const void* input, const UsedPart& used_input, const void* output, const UsedPart& used_output);

// Throws Error{misuse}, which says what to call instead of `function`. Typed calls have an in-place form, plans are made in place.
[[noreturn]] void throw_overlap(std::string_view function, bool is_typed_call);

}  // namespace quadrille
