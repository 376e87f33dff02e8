// SPDX-License-Identifier: BSD-3-Clause
// A call in our terms: the collective, its sizes in bytes, and where its data is.
#pragma once

#include <optional>

#include "mpi_face/call.hpp"
#include "mpi_face/elements.hpp"
#include "quadrille/problem.hpp"

namespace quadrille::mpi_face {

struct Shape {
  Collective collective = Collective::barrier;
  Bytes block_bytes = 0;  // as Problem has it, and of allgatherv and reduce_scatterv all shares together
  Numbers counts;         // of allgatherv and reduce_scatterv: the shares of all ranks, in elements of the output
  Rank root = 0;
  Elements input, output;     // a rank that gives or gets nothing has none
  bool in_place = false;      // the input lies in the output's memory; of broadcast always
  bool keeps_output = false;  // nothing is to be written: the root's own block of a scatter in place
};

// Absent for those that plans cannot run, see shape_of.
std::optional<Collective> collective_of(Function function);

// All that plans can run: every blocking collective but alltoallv, alltoallw, gatherv and scatterv, whose counts are each rank's
// own. Absent where the arguments are wrong: the MPI library reports the error.
std::optional<Shape> shape_of(const MpiCall& call, Rank rank, Count ranks);

// Does every rank leave the call only after all ranks have entered? The same on all ranks.
bool synchronises(const Shape& shape, Count ranks);

}  // namespace quadrille::mpi_face
