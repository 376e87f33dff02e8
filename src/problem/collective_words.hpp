// SPDX-License-Identifier: BSD-3-Clause
// Words that users write for a collective, if they are not its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quadrille/problem.hpp"

namespace quadrille {

// Returns the collective of an MPI function, in any case, and also without "MPI_": "MPI_Bcast", "ibcast", "Allreduce_init".
std::optional<Collective> collective_of_mpi(std::string_view function);

// Returns the name of the collective that the word probably means: that of MPI's function, or else the most similar one.
std::optional<std::string> nearest_collective(std::string_view word);

// Returns the sentence that refuses the word: "there is no <what> 'bcast'; did you mean 'broadcast'?"
std::string unknown_collective(std::string_view word, std::string_view what = "collective");

}  // namespace quadrille
