// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace quadrille {

// The version of the binary that contains the caller: the library, a plug-in or the Python module. Each of them has this function
// of its own, hidden from the others, so that the library can compare its version with theirs.
[[gnu::visibility("hidden")]] const char* build_version();

}  // namespace quadrille
