// SPDX-License-Identifier: BSD-3-Clause
// Faults that a test plants in this source, to show that the runs under seeds find them (tests/seeds; `quadrille_seeds --plant`
// lists them). Everywhere else is_planted is false when this source is compiled, and costs nothing.
#pragma once

#include <string_view>

namespace quadrille {

#ifdef QUADRILLE_PLANTS
extern std::string_view planted;  // the name of the planted fault; empty: none
inline bool is_planted(std::string_view name) { return name == planted; }
#else
constexpr bool is_planted(std::string_view) { return false; }
#endif

}  // namespace quadrille
