// SPDX-License-Identifier: BSD-3-Clause
// Version and build type of this command.
#pragma once

#include <string_view>

namespace quadrille::command {

inline constexpr std::string_view version = QUADRILLE_VERSION;
inline constexpr std::string_view build_type = *QUADRILLE_BUILD_TYPE ? QUADRILLE_BUILD_TYPE : "plain";
#if defined(__clang__)
inline constexpr std::string_view compiler = "Clang " __clang_version__;
#else
inline constexpr std::string_view compiler = "GCC " __VERSION__;
#endif

}  // namespace quadrille::command
