// SPDX-License-Identifier: BSD-3-Clause
// A replay in which all ranks share a few cores: ranks that compute at the same time get equal parts of them.
#pragma once

#include <functional>

#include "projection/walk.hpp"

namespace quadrille::projection {

// A rank never leaves a collective before the last member has entered it. `report` is called now and then.
void walk_on_shared_cores(Walk& walk, std::size_t side, std::size_t ranks, Count cores, const std::function<void()>& report);

}  // namespace quadrille::projection
