// SPDX-License-Identifier: BSD-3-Clause
// Problems and machines for exhibits. The papers' machines are read from the installed files, never from files with
// the same names in the user's folder.
#pragma once

#include <string>

#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"

namespace quadrille::papers {

MachineCosts machine_of_paper(const std::string& name);  // throws Error{environment} if it is not installed

Problem problem_of(Collective collective, Count ranks, Bytes block_bytes);

}  // namespace quadrille::papers
