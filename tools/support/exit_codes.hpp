// SPDX-License-Identifier: BSD-3-Clause
// Exit codes of the command. Code that cannot continue throws Error; `main` prints its sentence on stderr and exits with 2.
#pragma once

namespace quadrille::command {

inline constexpr int good = 0;
inline constexpr int with_findings = 1;
inline constexpr int misused = 2;

}  // namespace quadrille::command
