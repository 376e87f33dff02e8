// SPDX-License-Identifier: BSD-3-Clause
// What solves a problem: an algorithm of the table with its parameters, or the transport's own collective. A text is read once,
// where it comes in; from there on the value is passed.
//
//   const Candidate candidate = parse_candidate(problem, "bruck:radix=8");
//   Plan exchange = plan(communicator, problem, {.algorithm = candidate});
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "quadrille/algorithm.hpp"

namespace quadrille {

// The transport's own collective: MPI_Alltoall, for instance. It has no schedule.
struct Vendor {
  std::string algorithm;  // of the library's own, which it is made to take; empty: the one that it takes by itself

  bool operator==(const Vendor&) const = default;
};

using Candidate = std::variant<Choice, Vendor>;

// With or without an algorithm of the library's own.
inline bool is_vendor(const Candidate& candidate) { return std::holds_alternative<Vendor>(candidate); }
bool names_vendor(std::string_view text);  // does parse_candidate read it as the transport's own collective?

// Reads "vendor", "vendor:linear_sync", or an algorithm as parse_choice does; empty: the default of the collective
// (`default_algorithm`).
Candidate parse_candidate(const Problem& problem, std::string_view text);

// What parse_candidate reads: "vendor" or "vendor:linear_sync", or the algorithm with all its parameters.
std::string specification(const Candidate& candidate);

}  // namespace quadrille
