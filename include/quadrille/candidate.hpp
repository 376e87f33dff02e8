// SPDX-License-Identifier: BSD-3-Clause
// A candidate is one way to solve a problem: an algorithm of the table with its parameters, a family of schedules of your own, or
// the transport's own collective (the "vendor"). Text from the user is parsed once, on entry; after that the program passes the
// parsed value.
//
//   const Candidate candidate = parse_candidate(problem, "bruck:radix=8");
//   Plan exchange = plan(communicator, problem, {.algorithm = candidate});
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "quadrille/algorithm.hpp"
#include "quadrille/family.hpp"

namespace quadrille {

// The transport's own collective, such as MPI_Alltoall. It has no schedule.
struct Vendor {
  std::string algorithm;  // forces this algorithm of the MPI library; empty: the library chooses

  bool operator==(const Vendor&) const = default;
};

using Candidate = std::variant<Choice, Vendor, Family>;

// True for the vendor's collective, whether or not one of its algorithms is forced.
inline bool is_vendor(const Candidate& candidate) { return std::holds_alternative<Vendor>(candidate); }
bool names_vendor(std::string_view text);  // true if parse_candidate reads `text` as the transport's own collective

// Parses "vendor", "vendor:linear_sync", or an algorithm as parse_choice does. Empty text means the collective's
// default algorithm (`default_algorithm`). No text stands for a family.
Candidate parse_candidate(const Problem& problem, std::string_view text);
Candidate parse_candidate(Collective collective, std::string_view text);  // for problems of any size, as parse_choice

// Returns the candidate with values for all its parameters, as `completed` does for a choice.
Candidate completed(const Problem& problem, Candidate candidate);

// The inverse of parse_candidate: "vendor", "vendor:linear_sync", or the algorithm with all its parameters; for a family, its name.
std::string specification(const Candidate& candidate);

// The same without the parameters that have their default values for this problem: "bruck:radix=8".
std::string short_name(const Problem& problem, const Candidate& candidate);

// Returns the candidate's schedule. Throws Error{misuse}, with the reason, if the candidate cannot solve the problem, or if it is
// the vendor's collective, which has no schedule.
Schedule make_schedule(const Problem& problem, const Candidate& candidate);

}  // namespace quadrille
