// SPDX-License-Identifier: BSD-3-Clause
// The setting that makes the MPI library of a slow run do what that of a fast run of the same program did.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

// What is known of the MPI library in a run.
struct VendorRun {
  std::string mpi;                    // such as "Open MPI v4.1.4"
  std::vector<std::string> settings;  // Recording::settings
  Count nodes = 1;
  std::string algorithm;  // what the library took for a collective; empty: not known
};

// Returns the name or number of the algorithm that the settings force for a collective, empty if they force none.
std::string forced_algorithm(const VendorRun& run, Collective collective);

struct VendorSwitch {
  bool is_to_unset = false;  // the slow run has it, and should not
  std::string settings;      // such as "NAME=1 OTHER=2"
  std::string reason;        // the rest of a sentence: "because only the slower run sets it"
};

// Returns nothing if no setting is known.
std::optional<VendorSwitch> switch_between(const VendorRun& slow, const VendorRun& fast, Collective collective);

}  // namespace quadrille
