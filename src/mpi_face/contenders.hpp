// SPDX-License-Identifier: BSD-3-Clause
// Makes the plans that compete with the MPI library's function for a site's calls. Everything here is collective over the group and
// has the same result on all ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_face/policy/step.hpp"
#include "mpi_face/sites.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {

// The bytes that rank 0 sends to the other ranks: the ways that are worth trying or, if there are none, a sentence that says why.
std::string told_ways(const std::vector<Way>& ways, const Decision& decision);

// Returns the ways in the bytes of told_ways; none if they are a sentence.
std::vector<PlannedWay> ways_told(std::string_view told);

// The site's problem, on the group's nodes. Not for sites that run as exchanges.
Problem problem_of(const Site& site, Communicator& group);

// Is the group itself broken, so that no plan can be made any more?
inline bool is_of_group(const Error& error) { return error.code() == ErrorCode::transport || error.code() == ErrorCode::peer_lost; }

// Returns nothing if there can be no such plan. `is_elastic`: the plan also runs the other sizes of the site's class, if its
// algorithm allows it. Throws only errors of the group itself (is_of_group).
std::optional<Plan> plan_by(Communicator& group, const Site& site, const Way& way, bool is_elastic);

// A plan by the algorithm that the user has named. Throws Error{misuse} if the algorithm does not fit the site's problem.
Plan named_plan(Communicator& group, const Site& site, const std::string& algorithm);

struct Contenders {
  std::vector<Plan> plans;
  std::vector<PlannedWay> ways;     // of the plans
  std::string cause;                // if there are none: why the MPI library keeps the calls
  double choice_s = 0, plan_s = 0;  // seconds for choosing them, and for making one plan; 0: no plan was made
};

// The contenders for a first trial, at most `most`: the way that is best by wisdom, or the ways with the lowest prices. There are
// none if wisdom says that the MPI library's function is faster, or if the prices say so by more than their error. `anyhow` (for
// tests): one contender, whatever is known. `mates`: Action::mates.
Contenders contenders(Communicator& group, const Site& site, std::size_t most, bool anyhow, int mates);

// Races candidates for the site's problem for about `seconds`. Contenders that are made later follow from the result.
void race_for(Communicator& group, const Site& site, double seconds);

}  // namespace quadrille::mpi_face
