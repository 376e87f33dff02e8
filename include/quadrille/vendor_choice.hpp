// SPDX-License-Identifier: BSD-3-Clause
// Tells which of its own algorithms an MPI library chooses by its built-in rules, and which algorithm of our table sends the same
// messages. So the MPI library's collective can be priced and simulated where it was not measured, also on machines that do not
// have it.
//
//   const Problem problem = Problem::alltoall(16, 64);
//   const auto taken = vendor_algorithm("openmpi", problem);             // "modified_bruck"
//   const auto ours = vendor_equivalent("openmpi", problem, *taken);     // the choice "bruck:radix=2"
//
// The rules hold for a library as it was installed: without tuning files, with the operators of MPI, and with buffers that are not
// in place. They also depend on Problem::nodes; if it is empty, all ranks share a node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// An MPI library whose rules are known.
struct VendorLibrary {
  std::string_view id;                  // "openmpi", "openmpi5", "mpich"
  std::string_view title;               // "Open MPI 4.1"
  std::string_view without_nodes = {};  // the setting with which it splits no collective by nodes; empty: none is known
  bool is_checked = true;  // were the rules compared with what the library does? False: they were only read in its source
};

std::vector<VendorLibrary> all_vendor_libraries();
std::optional<VendorLibrary> find_vendor_library(std::string_view id);  // nothing if there is none
// Returns the library of a name and version such as "Open MPI 4.1.4" (Fingerprint::mpi) or "Open MPI v4.1.4" (Recording::mpi);
// nothing if its rules are not known.
std::optional<VendorLibrary> vendor_library_of(std::string_view mpi);

// Returns the library's name of the algorithm that it takes, as in "vendor:linear_sync"; or the reason why it is not known.
// MPICH's rules are read from its installed library, so the reason may be that MPICH is not installed. Throws Error{misuse} for
// an unknown library.
Result<std::string> vendor_algorithm(std::string_view library, const Problem& problem);

// Returns the algorithm of our table that sends the same messages for this problem as the library's `algorithm`; or the reason
// why the table has none. For some problems, a library's algorithm falls back to another one; the result is then the equivalent
// of the algorithm that runs. Throws Error{misuse} for an unknown library.
Result<Choice> vendor_equivalent(std::string_view library, const Problem& problem, std::string_view algorithm);

}  // namespace quadrille
