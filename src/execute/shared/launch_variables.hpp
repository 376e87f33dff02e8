// SPDX-License-Identifier: BSD-3-Clause
// What `quadrille run` leaves in the environment of the processes that it starts.
#pragma once

namespace quadrille {

inline constexpr const char* rank_variable = "QUADRILLE_RANK";
inline constexpr const char* ranks_variable = "QUADRILLE_RANKS";
inline constexpr const char* head_variable = "QUADRILLE_HEAD";  // a file descriptor

}  // namespace quadrille
