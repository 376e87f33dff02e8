// SPDX-License-Identifier: BSD-3-Clause
// What --algorithm accepts in place of an algorithm of the table: an MPI library's own choice.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/result.hpp"

namespace quadrille::command {

struct VendorCase {
  std::string name;  // "vendor:openmpi"
  std::string note;  // "Open MPI 4.1 takes linear_sync here, ..", without a full stop
  Choice choice;     // the algorithm of the table that sends the same messages
};

// Parses "vendor:openmpi", the library's choice for this problem, or "vendor:openmpi:pairwise", one of its algorithms. Returns the
// reason if the choice is not known or the table has no such algorithm. Throws Error{misuse} if no known library is named.
Result<VendorCase> parse_vendor_case(const Problem& problem, std::string_view specification);

std::vector<std::string> vendor_library_ids();  // "openmpi", "mpich"

// What --algorithm also accepts, for help: "what an MPI library would send (vendor:..)".
std::string vendor_case_help();

}  // namespace quadrille::command
