// SPDX-License-Identifier: BSD-3-Clause
// The libraries to preload.
#pragma once

#include <string>
#include <string_view>

namespace quadrille::command {

// The path of the library for `mpi`; refuses where it is not installed.
std::string preload_library(std::string_view mpi);

}  // namespace quadrille::command
