// SPDX-License-Identifier: BSD-3-Clause
// A launcher forwards what its processes print. What is still in the pipe when a process aborts may be lost, such as an error's
// text.
#pragma once

#include <chrono>

namespace quadrille {

// Returns when the reader of `descriptor`, if it is a pipe, has read all that was written, or when `limit` has passed.
void wait_until_read(int descriptor, std::chrono::milliseconds limit);

}  // namespace quadrille
