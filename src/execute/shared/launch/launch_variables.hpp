// SPDX-License-Identifier: BSD-3-Clause
// The environment variables by which `quadrille run` tells the processes that it starts their rank and group.
#pragma once

namespace quadrille {

inline constexpr const char* rank_variable = "QUADRILLE_RANK";
inline constexpr const char* ranks_variable = "QUADRILLE_RANKS";
inline constexpr const char* head_variable = "QUADRILLE_HEAD";  // number of the descriptor of the group's head file (head_file.hpp)

}  // namespace quadrille
