// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's functions for the table of vendor_choice.hpp.
#pragma once

#include <string>
#include <string_view>

#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

Result<std::string> openmpi_algorithm(const Problem& problem);   // of Open MPI 4.1
Result<std::string> openmpi5_algorithm(const Problem& problem);  // of Open MPI 5.0
Result<std::string> openmpi_equivalent(const Problem& problem, std::string_view algorithm);

}  // namespace quadrille
