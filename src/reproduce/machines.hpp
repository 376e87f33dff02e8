// SPDX-License-Identifier: BSD-3-Clause
// What exhibits count with: problems, and the papers' machines as they are installed, whatever the user keeps under their names.
#pragma once

#include <string>

#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"

namespace quadrille::reproduce {

MachineCosts machine_of_paper(const std::string& name);  // throws Error{environment} where it is not installed

Problem problem_of(Collective collective, Count ranks, Bytes block_bytes);

}  // namespace quadrille::reproduce
