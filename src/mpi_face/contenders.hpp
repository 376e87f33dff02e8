// SPDX-License-Identifier: BSD-3-Clause
// Makes the plans that compete with the MPI library's function for a site's calls. Everything here is collective over the group and
// has the same result on all ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mpi_face/site.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {

// The site's problem, on the group's nodes. Not if it is exchanged.
Problem problem_of(const Site& site, Communicator& group);

// Is the group itself broken, so that no plan can be made any more?
inline bool is_of_group(const Error& error) { return error.code() == ErrorCode::transport || error.code() == ErrorCode::peer_lost; }

// Returns nothing if there can be no such plan. Throws only errors of the group itself (is_of_group).
std::optional<Contender> contender(Communicator& group, const Site& site, const Way& way, std::string why);

// A plan by the algorithm that the user has named. Throws Error{misuse} if it does not fit the site's problem.
Contender named_contender(Communicator& group, const Site& site, const std::string& algorithm);

struct Contenders {
  std::vector<Contender> all;
  std::string cause;  // if there are none: why the MPI library keeps the calls
};

// The contenders for a first trial, at most `most`: the way that is best by wisdom, or the ways with the lowest prices. There are
// none if wisdom says that the MPI library's function is faster, or if prices say so and the gap exceeds their error. `anyhow`: one
// contender, whatever is known (tests).
Contenders contenders(Communicator& group, const Site& site, std::size_t most, bool anyhow);

// Races candidates for the site's problem for about `seconds`; later contenders go by the result.
void race_for(Communicator& group, const Site& site, double seconds);

}  // namespace quadrille::mpi_face
